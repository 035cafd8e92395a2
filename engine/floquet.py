"""Floquet spaces: the leading directions that one period of a stack carries onto themselves."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Float

from engine.device import run
from engine.dichotomy import SAME_MODULUS
from engine.qr_flow import forward_sweep, padded, random_frame

CLOSED = 1e-13
"""A leading space is periodic when one period turns it by less than this."""

SWEEPS = 8
"""Sweeps through the period before an open split is decided by the eigenvalues of its own block."""


def leading_space(factors: Float[np.ndarray, "period d d"], rank: int) -> Float[np.ndarray, "d d"] | None:
    r"""Find a frame whose first k columns span the k largest multipliers' generalised eigenspaces.

    QR sweeps through the period close every split of the frame between clearly different
    moduli. If split k is still open after eight of them, it cuts a block of nearly equal
    moduli: that block's product is then well scaled, and its ordered real Schur form
    decides. A single layer is such a block from the start.

    **Arguments:**

    - `factors`: layers B(0), …, B(p−1) of one period.
    - `rank`: number of leading directions k, 0 … d.

    **Returns:** an orthogonal frame at depth 0, or None when the moduli k and k + 1 are equal
    (within 1e-8 per layer, relative), a complex pair included.

    Reference: Golub & Van Loan, Matrix Computations, 4th ed., sections 7.3 and 7.6.
    """
    period, width, _ = factors.shape
    if rank in (0, width):
        return np.eye(width)
    if period == 1:
        return _ordered_frame(factors[0], rank, period)
    start, turn, triangles = run(_sweeps_kernel, padded(factors), random_frame(width), rank)
    closed = [split for split in range(width + 1) if _leaving(turn, split) <= CLOSED]
    if rank in closed:
        return start
    first = max(split for split in closed if split < rank)
    block = slice(first, min(split for split in closed if split > rank))
    inner = _ordered_frame(_block_product(turn, triangles, block), rank - first, period)
    if inner is None:
        return None
    frame = start.copy()
    frame[:, block] = start[:, block] @ inner
    return frame


@jax.jit
def _sweeps_kernel(layers: jax.Array, frame: jax.Array, rank: jax.Array) -> tuple[jax.Array, ...]:
    """Sweep until split `rank` closes, eight times at most; the frame, its turn and the triangles."""
    index = jnp.arange(len(frame))
    across = (index[:, None] >= rank) & (index < rank)

    def open_split(state: tuple[jax.Array, ...]) -> jax.Array:
        _, _, turn, _, sweeps = state
        return (sweeps < SWEEPS) & (jnp.abs(jnp.where(across, turn, 0.0)).max() > CLOSED)

    def sweep(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        start = state[1]
        end, triangles = forward_sweep(layers, start)
        return start, end, start.T @ end, triangles, state[4] + 1

    blank = (frame, frame, jnp.ones_like(frame), jnp.zeros_like(layers), jnp.asarray(0))
    start, _, turn, triangles, _ = jax.lax.while_loop(open_split, sweep, blank)
    return start, turn, triangles


def _leaving(turn: np.ndarray, split: int) -> float:
    """Largest share of the first `split` directions that one period turns out of their span."""
    return float(np.abs(turn[split:, :split]).max(initial=0.0))


def _block_product(turn: np.ndarray, triangles: np.ndarray, block: slice) -> Float[np.ndarray, "m m"]:
    """Multiply out one diagonal block over the period, halved pairwise and rescaled each time."""
    layers = triangles[:, block, block]
    while len(layers) > 1:
        layers = layers[1::2] @ layers[::2]
        layers = layers / np.maximum(np.abs(layers).max(axis=(1, 2), keepdims=True), np.finfo(float).tiny)
    return turn[block, block] @ layers[0]


def _ordered_frame(
    matrix: Float[np.ndarray, "m m"], rank: int, period: int
) -> Float[np.ndarray, "m m"] | None:
    """Real Schur vectors with the `rank` largest moduli first; None when the next one is as large."""
    modulus = -np.sort(-np.abs(np.linalg.eigvals(matrix)))
    inside, outside = modulus[rank - 1], modulus[rank]
    if outside >= inside * (1 - SAME_MODULUS) ** period:
        return None
    edge = (inside + outside) / 2
    _, frame, found = scipy.linalg.schur(matrix, sort=lambda real, imag: np.hypot(real, imag) > edge)  # pyright: ignore[reportAssignmentType, reportArgumentType]
    return frame if found == rank else None
