r"""Largest singular values of many small matrices by squaring their Gram matrices.

Products of small matrices are some twenty times cheaper than decompositions. Let $G = A^\top A$,
$p_i$ the eigenvalues of $G^n$ and $S_1, S_2$ the sums of them and of their squares. Then
$S_2/S_1 \le p_1 \le S_1/d + \sqrt{(1-1/d)(S_2 - S_1^2/d)}$ (the right side is Samuelson's inequality),
and the two meet as n doubles, often to the last digit. Where they do not, LAPACK decides.
"""

from typing import TypeVar

import jax
import numpy as np
from jaxtyping import Float

WIDEST = 16
"""From here on a decomposition costs no more than the products."""

SQUARINGS = 8
"""Squarings before LAPACK is asked; they settle matrices with σ₂ below 0.94 σ₁."""

MET = 1e-13
"""Relative distance of the two bounds at which they count as one number."""

Numbers = TypeVar("Numbers", np.ndarray, jax.Array)


def top_singular_values(matrices: Float[np.ndarray, "*batch d d"]) -> Float[np.ndarray, "*batch"]:
    r"""Largest singular value $\sigma_1$ of each matrix, up to 2×2 in closed form.

    **Arguments:**

    - `matrices`: any batch of square matrices, entries at most of size one or so (their
      squares must fit; entries below 1e-150 count as zero).

    **Returns:** their 2-norms, exact up to round-off.
    """
    width = matrices.shape[-1]
    if width == 1:
        return np.abs(matrices[..., 0, 0])
    if width == 2:
        a, b, c, d = (matrices[..., row, column] for row in range(2) for column in range(2))
        return (np.hypot(a + d, c - b) + np.hypot(a - d, b + c)) / 2
    grams = matrices.swapaxes(-1, -2) @ matrices
    sizes = np.einsum("...ii->...", grams)
    alive = sizes > 0
    grams = grams / np.where(alive, sizes, 1.0)[..., None, None]
    log_sum, power = np.zeros_like(sizes), 1
    for _ in range(SQUARINGS if width <= WIDEST else 0):
        ratio = _square_sum(grams, alive)
        log_sum, power = 2 * log_sum + np.log(ratio), 2 * power
        grams = (grams @ grams) / ratio[..., None, None]
    lower, upper = (np.log(limit) for limit in power_limits(_square_sum(grams, alive), width))
    values = np.exp((log_sum + upper) / (2 * power)) * np.sqrt(sizes)
    apart = upper - lower > 2 * power * MET
    if apart.any():
        rest = matrices[apart]
        squares = np.linalg.eigvalsh(rest.swapaxes(-1, -2) @ rest)[..., -1]
        values[apart] = np.sqrt(np.maximum(squares, 0.0))
    return values


def power_limits(ratio: Numbers, width: int) -> tuple[Numbers, Numbers]:
    r"""Bounds of the largest of `width` non-negative numbers that add up to 1.

    **Arguments:**

    - `ratio`: the sum of their squares.
    - `width`: how many they are.

    **Returns:** lower and upper bounds; they meet when all numbers are equal and when one is left, and
    the upper one is exact for two numbers.
    """
    return ratio, 1 / width + (abs(ratio - 1 / width) * (1 - 1 / width)) ** 0.5  # type: ignore[return-value]


def _square_sum(grams: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Trace of the square of Gram matrices of trace one; 1 for zeros."""
    return np.where(alive, np.einsum("...ij,...ij->...", grams, grams), 1.0)
