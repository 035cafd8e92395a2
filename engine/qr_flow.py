r"""QR sweeps through a stack: frames carried from layer to layer, stretches kept as logs.

The one place where products of layers are taken. A sweep factors
$B(\ell) Q(\ell) = Q(\ell+1) R(\ell)$ layer by layer with $R_{ii} \ge 0$, so nothing
overflows, small directions stay accurate and singular layers are harmless: a stretch
below round-off of its layer becomes an exact zero.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import bucket, run

ZERO_STRETCH = 1e-14
"""A diagonal entry of R below this share of the layer's largest entry is a zero."""

FRAME_SEED = 20261129
"""Seed of the random start frames: fixed, so that the same stack gives the same numbers."""


def random_frame(width: int) -> Float[np.ndarray, "d d"]:
    """Draw the fixed random orthogonal frame of a given width.

    Never start from the identity: triangular layers would return their own diagonal.

    **Arguments:**

    - `width`: number of rows and columns d.

    **Returns:** an orthogonal matrix, always the same for the same width.
    """
    normal = np.random.default_rng([FRAME_SEED, width]).standard_normal((width, width))
    return np.linalg.qr(normal)[0]


def padded(factors: Float[np.ndarray, "layers d d"]) -> Float[np.ndarray, "bucket d d"]:
    """Append identity layers up to the next bucket, so that nearby depths share a compiled kernel."""
    depth, width, _ = factors.shape
    rest = np.broadcast_to(np.eye(width), (bucket(depth) - depth, width, width))
    return np.concatenate([factors, rest])


def qr_step(layer: jax.Array, frame: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Factor layer @ frame = new frame @ triangle, with a non-negative diagonal and exact zeros."""
    rotated, triangle = jnp.linalg.qr(layer @ frame)
    sign = jnp.where(jnp.diagonal(triangle) < 0, -1.0, 1.0)
    triangle = triangle * sign[:, None]
    diagonal = jnp.diagonal(triangle)
    lost = diagonal <= ZERO_STRETCH * jnp.abs(layer).max()
    return rotated * sign, triangle - jnp.diag(jnp.where(lost, diagonal, 0.0))


def forward_sweep(layers: jax.Array, frame: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Carry a frame through all layers; return the last frame and every triangle."""

    def step(frame: jax.Array, layer: jax.Array) -> tuple[jax.Array, jax.Array]:
        return qr_step(layer, frame)

    return jax.lax.scan(step, frame, layers)


def adapted_frame(layers: jax.Array, frame: jax.Array) -> jax.Array:
    r"""Carry a frame from the last layer to the first by the transposes: $W(\ell) = B(\ell)^T W(\ell+1)$.

    Its first k columns span the directions at depth 0 that the whole stack stretches
    most, whatever the layers look like, so a forward sweep started there loses no
    layers to alignment.
    """
    return forward_sweep(jnp.swapaxes(layers, 1, 2)[::-1], frame)[0]


@jax.jit
def _triangles_kernel(layers: jax.Array, frame: jax.Array) -> tuple[jax.Array, jax.Array]:
    return forward_sweep(layers, frame)


@jax.jit
def _adapted_triangles_kernel(layers: jax.Array, frame: jax.Array) -> tuple[jax.Array, jax.Array]:
    return forward_sweep(layers, adapted_frame(layers, frame))


def log_stretches(
    factors: Float[np.ndarray, "layers d d"], frame: Float[np.ndarray, "d k"] | None = None
) -> Float[np.ndarray, "layers k"]:
    r"""Log stretch of each frame direction at each layer, $\log R_{ii}(\ell)$.

    Sums over a stretch of layers are the QR estimates of its growth; divided by the
    depth, the sums over a long stack are its Lyapunov exponents, and their total is
    $\sum_\ell \log|\det B(\ell)|$ exactly.

    **Arguments:**

    - `factors`: layers B(l), first layer first.
    - `frame`: orthonormal start columns; with fewer than d, the leading directions are followed alone,
      as they would be among all. Left out: the frame adapted to the whole stack, carried back from its
      end by the transposes.

    **Returns:** natural logs per layer, one column per direction; −inf where a layer
    loses a direction.

    Reference: Dieci and Van Vleck, SIAM J. Numer. Anal. 40 (2002) 516-542.
    """
    depth, width, _ = factors.shape
    if frame is None:
        _, triangles = run(_adapted_triangles_kernel, padded(factors), random_frame(width))
    else:
        _, triangles = run(_triangles_kernel, padded(factors), frame)
    with np.errstate(divide="ignore"):
        return np.log(np.diagonal(triangles[:depth], axis1=1, axis2=2))


def carried_frame(
    factors: Float[np.ndarray, "layers d d"], frame: Float[np.ndarray, "d k"]
) -> Float[np.ndarray, "d k"]:
    """Carry a frame through a stack; the result is the warmed-up frame behind its last layer.

    **Arguments:**

    - `factors`: layers B(l), first layer first.
    - `frame`: orthonormal start columns.

    **Returns:** the orthonormal columns behind the last layer.
    """
    return run(_triangles_kernel, padded(factors), frame)[0]
