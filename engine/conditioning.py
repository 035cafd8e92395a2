r"""How far the eigenvectors of the kernel are from orthogonal, and what rescaling them can save.

The causal eigenvectors are the columns of the lower Pascal matrix W, and $W^{-1} = S W S$ with
signs S. So $\mathrm{cond}(WD) = \sigma_1(WD)\,\sigma_1(D^{-1}W)$: tops of non-negative matrices,
accurate in floating point at any P.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import gammaln

from engine.kernel import Kind, check_block

LONGEST_BLOCK = 1024
"""The binomials of longer blocks leave the range of floats."""

NEWTON_STEPS = 60
"""Newton steps on the scaling at most; it takes six at P = 64."""

CONVERGED = 1e-14
"""Newton stops when it can lower the log of the condition number by no more than this."""

NEGLIGIBLE = 1e-8
"""Share of a singular vector below which the scaling of a column no longer matters."""


class ScaledKappa(NamedTuple):
    r"""Condition numbers of the kernel's eigenvector matrix W under column scalings D, natural logs.

    **Fields:**

    - `column_normalised`: columns of length 1.
    - `best`: $\min_D \mathrm{cond}_2(WD)$, about $0.275 \cdot 3^P / P^{1/4}$.
    - `frobenius`: $\min_D \mathrm{cond}_F(WD) = \sum_j |w_j||y_j|$.
    - `floor`: $\max_j |w_j||y_j|$, which no scaling can undercut.
    """

    column_normalised: float
    best: float
    frobenius: float
    floor: float


@cache
def log_kappa(block_length: int, kind: Kind) -> float:
    r"""Log of the condition number $\kappa_\alpha$ of the kernel's eigenvector matrix.

    Causal: $\sigma_{\max}(W)^2 \approx 0.188 \cdot 4^P/\sqrt P$. The bidirectional kernel is
    symmetric, $\kappa_\alpha = 1$.

    **Arguments:**

    - `block_length`: tokens per block P.
    - `kind`: `causal` or `bidirectional`.

    **Returns:** the natural log of $\kappa_\alpha$.

    **Raises:** `ValueError` unless 1 ≤ `block_length` ≤ 1024 and `kind` is known.
    """
    _check(block_length, kind)
    if kind == "bidirectional":
        return 0.0
    pascal = _lower_pascal(block_length)
    largest = pascal.max()
    return float(2 * (np.log(np.linalg.norm(pascal / largest, 2)) + np.log(largest)))


@cache
def scaled_log_kappa(block_length: int, kind: Kind) -> ScaledKappa:
    r"""Condition numbers when the eigenvectors may be rescaled: no scaling rescues the paper's bound.

    **Arguments:**

    - `block_length`: tokens per block P.
    - `kind`: `causal` or `bidirectional`; orthonormal eigenvectors have nothing to gain.

    **Returns:** natural logs of the condition numbers.

    **Raises:** `ValueError` unless 1 ≤ `block_length` ≤ 1024 and `kind` is known.
    """
    _check(block_length, kind)
    if kind == "bidirectional":
        return ScaledKappa(0.0, 0.0, float(np.log(block_length)), 0.0)
    log_pascal = _log_pascal(block_length)
    columns = np.logaddexp.reduce(2 * log_pascal, axis=0) / 2
    rows = np.logaddexp.reduce(2 * log_pascal, axis=1) / 2
    conditions = columns + rows
    return ScaledKappa(
        column_normalised=_scaled_top(log_pascal - columns)[0]
        + _scaled_top((log_pascal + columns[:, None]).T)[0],
        best=_best_scaling(log_pascal, (rows - columns) / 2),
        frobenius=float(np.logaddexp.reduce(conditions)),
        floor=float(conditions.max()),
    )


def _best_scaling(log_pascal: Float[np.ndarray, "P P"], log_scaling: Float[np.ndarray, " P"]) -> float:
    r"""Minimise $\log \mathrm{cond}(W e^x)$ by Newton: it is convex in x, and flat along (1, …, 1)."""
    smallest = np.inf
    for _ in range(NEWTON_STEPS):
        own, forward, forward_bend = _scaled_top(log_pascal + log_scaling)
        inverse, backward, backward_bend = _scaled_top((log_pascal - log_scaling[:, None]).T)
        smallest = min(smallest, own + inverse)
        slope = forward - backward
        sizes = np.sqrt(forward + backward) + NEGLIGIBLE
        bend = (forward_bend + backward_bend) / sizes / sizes[:, None] + np.outer(sizes, sizes)
        step = -np.linalg.solve(bend + 1e-12 * np.eye(len(bend)), slope / sizes) / sizes
        if -(slope @ step) < CONVERGED:
            break
        log_scaling = log_scaling + step / max(1.0, np.abs(step).max())
    return float(smallest)


def _scaled_top(
    logs: Float[np.ndarray, "P P"],
) -> tuple[float, Float[np.ndarray, " P"], Float[np.ndarray, "P P"]]:
    r"""$\log\sigma_1$ of a matrix given by its logs; slope and bend in the logs of its column scales."""
    largest = logs.max()
    matrix = np.exp(logs - largest)
    squares, vectors = np.linalg.eigh(matrix.T @ matrix)
    top, rest = vectors[:, -1], vectors[:, :-1]
    ratios = squares[:-1] / squares[-1]
    bend = (rest * ((1 + ratios) / (1 - ratios))) @ rest.T
    return float(largest + np.log(squares[-1]) / 2), top**2, 2 * top[:, None] * bend * top


def _log_pascal(size: int) -> Float[np.ndarray, "P P"]:
    row, column = np.arange(size)[:, None], np.arange(size)
    logs = gammaln(row + 1) - gammaln(column + 1) - gammaln(np.maximum(row - column, 0) + 1)
    return np.where(column <= row, logs, -np.inf)


def _check(block_length: int, kind: str) -> None:
    check_block(block_length, kind)
    if block_length > LONGEST_BLOCK:
        raise ValueError(f"block_length must lie in 1..{LONGEST_BLOCK} (tokens); got {block_length}.")


def _lower_pascal(size: int) -> np.ndarray:
    pascal = np.zeros((size, size))
    pascal[:, 0] = 1.0
    for row in range(1, size):
        pascal[row, 1:] = pascal[row - 1, 1:] + pascal[row - 1, :-1]
    return pascal
