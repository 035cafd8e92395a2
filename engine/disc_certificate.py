r"""An upper bound of the token differences of a causal block from one disc in the complex plane.

Let C be the causal kernel on the states whose first token is zero. $C^{-1}$ is the bidiagonal
map $y \mapsto t y_t - (t-1) y_{t-1}$, and in the norm with weights $t^{-b}$ its real part is at
least c(b, P). So the disc $|z - r| \le r$, $r = 1/(2c)$, holds the image of a half-plane that
contains the numerical range of $C^{-1}$, and von Neumann's inequality, which holds for
polynomials with matrix coefficients, bounds $F_\perp = \Phi_C(\ell,0)(Q \otimes I)$ by the
largest $\|\Phi_z(\ell,0)\|_2$ on its edge.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Complex, Float
from scipy.linalg import eigh_tridiagonal

from engine.kernel import TokenKind, check_kernel, check_stack
from engine.sectors import sector_norms

WEIGHT_EXPONENTS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0, 16.0)
"""Exponents b that are tried; c rises with b to its limit 2, which it misses by 0.0015 at b = 16."""

OVERSAMPLING = 4
"""Points on the circle per layer of a segment: the bound is at most 8 % above the maximum they miss."""

LONGEST_SEGMENT = 64
SHORTEST_SEGMENT = 16
SEGMENT_WORK = 4096
"""Layers whose polynomial is followed in one piece: SEGMENT_WORK / d², within these limits."""

ROUNDING = 1e-12
"""Added to the log factors: at depth 0 the bound is exact and must not fall below by round-off."""


class Disc(NamedTuple):
    r"""One disc and the price of its norm.

    **Fields:**

    - `radius`: r = 1/(2c); the disc touches 0 and reaches to 2r.
    - `log_factor`: natural log of $P^{b/2} \|D^{1/2} Q\|_2$, D = diag($t^{-b}$).
    """

    radius: float
    log_factor: float


def disc(block_length: int, exponent: float) -> Disc:
    r"""Find the disc of the causal kernel in the norm with weights $t^{-b}$ on tokens 2..P.

    The factor is the norm of Q into the weighted space times the norm of the way back. It
    is at most $\sqrt P (P/2)^{b/2}$, with equality at b = 0 and at P = 2.

    **Arguments:**

    - `block_length`: tokens per block P ≥ 2.
    - `exponent`: b ≥ 0.

    **Returns:** radius and factor.

    **Raises:** `ValueError` for a block without differences or a negative exponent.
    """
    if block_length < 2 or exponent < 0:
        raise ValueError(
            f"block_length must be at least 2 tokens and exponent at least 0; got {block_length}, {exponent}."
        )
    tokens = np.arange(2.0, block_length + 1)
    coupling = -(tokens[1:] - 1) / 2 * (1 - 1 / tokens[1:]) ** (exponent / 2)
    smallest = eigh_tridiagonal(tokens, coupling, eigvals_only=True, select="i", select_range=(0, 0))[0]
    roots = (block_length / tokens) ** (exponent / 2)
    weighted = np.diag(roots**2) + np.outer(roots, roots)
    return Disc(float(1 / (2 * smallest)), float(np.log(np.linalg.norm(weighted, 2)) / 2))


def disc_certificate(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: TokenKind,
    leak: float = 0.0,
) -> Float[np.ndarray, " depths"]:
    r"""Bound the ℓ² norm of the fluctuation map at every depth, for any matrices.

    The smallest bound over the exponents b. The maximum over a circle is bounded from
    above by samples: a polynomial of degree n, sampled at N equally spaced points, is
    nowhere larger than its largest sample divided by $\cos(\pi n / 2N)$ (Bernstein). Deep stacks
    are cut into segments whose maxima multiply. Bidirectional: the disc shrinks to 0 and
    the bound is the norm itself, $\|\prod(I+M)\|_2$. Leaky: the bound of its first block;
    $\Phi$ of $(1-\varepsilon)V$ is $\Phi_{(1-\varepsilon)z}$, and the shrunken disc lies in the full one.

    Compare it with `engine.fluctuation.fluctuation_l2_norms`, not with the token-sup norm.

    **Arguments:**

    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `block_length`: tokens per block P. One token has no fluctuation: all −inf.
    - `kind`: `causal`, `bidirectional` or `leaky`.
    - `leak`: share ε of attention on earlier blocks, for `leaky`.

    **Returns:** natural logs of the bound at depths 0..L; −inf for zero.

    **Raises:** `ValueError` for an empty block, an unknown kind, a leak that does not fit
    or stacks of different shape.
    """
    check_kernel(block_length, kind, leak)
    check_stack(mixing, value)
    if block_length == 1:
        return np.full(len(mixing) + 1, -np.inf)
    if kind == "bidirectional":
        return sector_norms(mixing, value, np.array([np.inf]))[0]
    discs = [disc(block_length, exponent) for exponent in WEIGHT_EXPONENTS]
    log_bounds = np.array([disc.log_factor for disc in discs]) + ROUNDING
    radii = np.array([disc.radius for disc in discs])
    layers = np.eye(mixing.shape[-1]) + mixing
    longest = int(np.clip(SEGMENT_WORK // layers.shape[-1] ** 2, SHORTEST_SEGMENT, LONGEST_SEGMENT))
    curve = [log_bounds.min()]
    for start in range(0, len(layers), longest):
        segment = slice(start, start + longest)
        smallest, log_bounds = _segment(layers[segment], value[segment], radii, log_bounds)
        curve.extend(smallest)
    return np.array(curve)


def _segment(
    layers: Float[np.ndarray, "layers d d"],
    values: Float[np.ndarray, "layers d d"],
    radii: Float[np.ndarray, " discs"],
    log_bounds: Float[np.ndarray, " discs"],
) -> tuple[list[float], Float[np.ndarray, " discs"]]:
    """Continue every disc's bound through a segment: the smallest at each depth, and all at its end."""
    depth, width, _ = layers.shape
    points = OVERSAMPLING * depth
    angles = 2 * np.pi * np.arange(points // 2 + 1) / points
    edges = radii[:, None] * (1 + np.exp(1j * angles))
    products = np.zeros((width, *edges.shape, width), complex)
    products[np.arange(width), :, :, np.arange(width)] = 1.0
    slack = -np.log(np.cos(np.pi * np.arange(1, depth + 1) / (2 * points)))
    curve = []
    for layer in range(depth):
        products = _next_products(products, edges, layers[layer], values[layer])
        sizes = np.sqrt((products.real**2 + products.imag**2).sum(axis=(0, 3)))
        largest = sizes.max(axis=1)
        safe = np.where(largest > 0, largest, 1.0)
        products /= safe[:, None, None]
        with np.errstate(divide="ignore"):
            log_bounds = log_bounds + np.log(largest)
        best = int(log_bounds.argmin())
        curve.append(log_bounds[best] + slack[layer] + _log_largest_norm(products[:, best]))
    ends = [_log_largest_norm(products[:, index]) for index in range(len(radii))]
    return curve, log_bounds + slack[-1] + np.array(ends)


def _next_products(
    products: Complex[np.ndarray, "d discs points d"],
    edges: Complex[np.ndarray, "discs points"],
    layer: Float[np.ndarray, "d d"],
    value: Float[np.ndarray, "d d"],
) -> Complex[np.ndarray, "d discs points d"]:
    """Multiply every product by I + M + zV: one real product with both matrices serves all points."""
    both = np.concatenate([layer, value]) @ products.view(float).reshape(len(layer), -1)
    own, shared = both.view(complex).reshape(2, *products.shape)
    return own + edges[:, :, None] * shared


def _log_largest_norm(products: Complex[np.ndarray, "d points d"]) -> float:
    """Log of the largest 2-norm; only points whose Frobenius norm could win are decomposed."""
    matrices = products.swapaxes(0, 1)
    sizes = np.linalg.norm(matrices, axis=(1, 2))
    first = np.linalg.norm(matrices[sizes.argmax()], 2)
    rivals = matrices[sizes > first]
    largest = max(first, np.linalg.norm(rivals, 2, axis=(1, 2)).max()) if len(rivals) else first
    return float(np.log(largest)) if largest > 0 else 0.0
