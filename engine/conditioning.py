"""How far the eigenvectors of the kernel are from orthogonal."""

from functools import cache

import numpy as np

from engine.kernel import Kind, check_block

LONGEST_BLOCK = 1024
"""The binomials of longer blocks leave the range of floats."""


@cache
def log_kappa(block_length: int, kind: Kind) -> float:
    r"""Log of the condition number $\kappa_\alpha$ of the kernel's eigenvector matrix.

    The causal eigenvectors are the columns of the lower Pascal matrix W, and
    $W^{-1} = S W S$ with signs S, so $\kappa_\alpha = \sigma_{\max}(W)^2 \approx
    0.188 \cdot 4^P/\sqrt P$: non-negative numbers throughout, nothing cancels. The
    bidirectional kernel is symmetric, $\kappa_\alpha = 1$.

    **Arguments:**

    - `block_length`: tokens per block P.
    - `kind`: `causal` or `bidirectional`.

    **Returns:** the natural log of $\kappa_\alpha$.

    **Raises:** `ValueError` unless 1 ≤ `block_length` ≤ 1024 and `kind` is known.
    """
    check_block(block_length, kind)
    if block_length > LONGEST_BLOCK:
        raise ValueError(f"block_length must lie in 1..{LONGEST_BLOCK} (tokens); got {block_length}.")
    if kind == "bidirectional":
        return 0.0
    pascal = _lower_pascal(block_length)
    largest = pascal.max()
    return float(2 * (np.log(np.linalg.norm(pascal / largest, 2)) + np.log(largest)))


def _lower_pascal(size: int) -> np.ndarray:
    pascal = np.zeros((size, size))
    pascal[:, 0] = 1.0
    for row in range(1, size):
        pascal[row, 1:] = pascal[row - 1, 1:] + pascal[row - 1, :-1]
    return pascal
