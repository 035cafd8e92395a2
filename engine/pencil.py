r"""Matrix pencils whose real eigenvalues are the amplitudes of a crossing.

Two kinds. The *sign* pencil $F \mp E + \varrho\,G$ is singular when a multiplier is ±1. The *pair*
pencil, of $X \mapsto (F+\varrho G)X(F+\varrho G)^* - EXE^*$ on Hermitian X, is singular when two
multipliers satisfy $\mu_i\bar\mu_j = 1$, in particular when one has modulus one. For a real loop
antisymmetric X are enough (the bialternate product): complex pairs are found, at a quarter of the size.
Periods of several maps enter as cyclic blocks, never as products.
"""

import math

import numpy as np
from jaxtyping import Float

from engine.hold import Loop
from engine.topology import block_diagonal, is_real


def sign_pencil(loop: Loop, sign: float, phase: float = 0.0) -> Float[np.ndarray, "2 n n"]:
    r"""Build the pencil that is singular when a multiplier of one closed period equals `sign`.

    **Arguments:**

    - `loop`: closed maps, period q.
    - `sign`: +1 or −1.
    - `phase`: 0 or π, radians.

    **Returns:** coefficients of ϱ⁰ and ϱ¹, size q·d.
    """
    closing = np.eye(loop.width) if loop.frames is None else loop.frames
    target = np.array(np.broadcast_to(closing, loop.factors.shape))
    target[-1] *= sign
    next_state = np.roll(block_diagonal(target), loop.width, axis=1)
    return np.stack(
        [block_diagonal(loop.factors) - next_state, math.cos(phase) * block_diagonal(loop.injections)]
    )


def pair_pencil(loop: Loop, phase: float) -> Float[np.ndarray, "3 n n"]:
    r"""Build the pencil that is singular when a multiplier (φ ≠ 0, π) or a complex pair has modulus one.

    **Arguments:**

    - `loop`: closed maps, period q.
    - `phase`: φ, radians.

    **Returns:** coefficients of ϱ⁰, ϱ¹, ϱ², size `pair_size`.

    Reference: Kuznetsov, Elements of Applied Bifurcation Theory, §10.2 (bialternate product).
    """
    width = loop.width
    basis = _antisymmetric_basis(width) if is_real(phase) else _hermitian_basis(width)
    turned = loop.injections * (math.cos(phase) if is_real(phase) else np.exp(1j * phase))

    def acting(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        image = left[:, None] @ basis @ np.swapaxes(right.conj(), 1, 2)[:, None]
        coordinates = image.reshape(*image.shape[:2], width**2) @ basis.conj().reshape(-1, width**2).T
        return np.swapaxes(np.real(coordinates), 1, 2)

    closing = np.eye(loop.width) if loop.frames is None else loop.frames
    targets = np.array(np.broadcast_to(closing, loop.factors.shape))
    constant, quadratic = acting(loop.factors, loop.factors), acting(turned, turned)
    linear = acting(turned, loop.factors) + acting(loop.factors, turned)
    next_state = np.roll(block_diagonal(acting(targets, targets)), basis.shape[0], axis=1)
    return np.stack(
        [block_diagonal(constant) - next_state, block_diagonal(linear), block_diagonal(quadratic)]
    )


def amplitude_unit(loop: Loop) -> float:
    """Amplitude at which the injection is as large as the rest, (1 + ‖F‖)/‖G‖ in Frobenius norms."""
    largest = np.abs(loop.injections).max()
    injected = largest * np.linalg.norm(loop.injections / largest, axis=(1, 2)).max()
    return float((1.0 + np.linalg.norm(loop.factors, axis=(1, 2)).max()) / injected)


def pair_size(loop: Loop, phase: float) -> int:
    """Size of the pair pencil: q·d(d−1)/2 for a real loop, q·d² for another phase."""
    width = loop.width
    return loop.maps * (width * (width - 1) // 2 if is_real(phase) else width * width)


def _hermitian_basis(width: int) -> np.ndarray:
    """Orthonormal basis of the Hermitian matrices, shape (d², d, d)."""
    rows, columns = np.triu_indices(width, 1)
    symmetric = _units(rows, columns, width)
    symmetric = (symmetric + np.swapaxes(symmetric, 1, 2)) / math.sqrt(2)
    diagonal = _units(np.arange(width), np.arange(width), width)
    return np.concatenate([diagonal, symmetric, 1j * _antisymmetric_basis(width)])


def _antisymmetric_basis(width: int) -> np.ndarray:
    """Orthonormal basis of the real antisymmetric matrices, shape (d(d−1)/2, d, d)."""
    units = _units(*np.triu_indices(width, 1), width)
    return (units - np.swapaxes(units, 1, 2)) / math.sqrt(2)


def _units(rows: np.ndarray, columns: np.ndarray, width: int) -> np.ndarray:
    units = np.zeros((rows.size, width, width))
    units[np.arange(rows.size), rows, columns] = 1.0
    return units
