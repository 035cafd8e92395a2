r"""The error of a summary at one depth, for several depths of compression at once.

With $X_u(s) = \Phi_1(\ell,s) \sum_r \pi_r F_{ru}(s)$ it is the largest row sum
$\max_t \sum_u \|F_{tu}(\ell) - X_u(s)\|_2$. Bounds of the block norms screen the rows; only rows that
can win are followed to the last digit.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.fluctuation_map import whole_map
from engine.row_screen import row_sum_bounds
from engine.top_singular import top_singular_values

NEGLIGIBLE = 1e-14
"""A row of F this much smaller than the error changes nothing in it."""

SLACK = 1e-7
"""Relative round-off of an upper bound: a root of a difference, where two singular values nearly agree."""


class Scaled(NamedTuple):
    """Matrices with a factor taken out.

    **Fields:**

    - `matrices`: a batch, entries at most of size one or so.
    - `log_scale`: natural log of the factor, one per entry of the first axis or one for all; −inf for zeros.
    """

    matrices: np.ndarray
    log_scale: np.ndarray


def causal_errors(row: Scaled, compressed: Scaled) -> Float[np.ndarray, " switches"]:
    r"""Log errors of a causal block.

    **Arguments:**

    - `row`: last row of $F(\ell)$, (tokens, d, d); it holds the whole map.
    - `compressed`: $X_u(s)$, (switches, tokens, d, d).

    **Returns:** natural logs, one per depth of compression; −inf for no error.
    """
    tokens, width, _ = row.matrices.shape
    maps = whole_map(row.matrices).reshape(tokens, width, tokens, width).swapaxes(1, 2)
    scale, shared, log_unit = _in_one_unit(row, compressed)
    with np.errstate(divide="ignore"):
        return np.log(_largest_row_sums(maps, scale, shared)) + log_unit


def bidirectional_errors(
    transverse: Scaled, compressed: Scaled, weights: Float[np.ndarray, " tokens"]
) -> Float[np.ndarray, " switches"]:
    r"""Log errors of a bidirectional block, $F(\ell) = (I - J) \otimes \Psi(\ell)$.

    All blocks of a row but its own are common to all rows, so $2P$ norms replace $P^2$.

    **Arguments:**

    - `transverse`: $\Psi(\ell) = \prod (I+M)$, (d, d).
    - `compressed`: $\Phi_1(\ell,s) \Psi(s)$, (switches, d, d).
    - `weights`: the compression π.

    **Returns:** natural logs, one per depth of compression; −inf for no error.
    """
    scale, shared, log_unit = _in_one_unit(transverse, compressed)
    own = scale[:, None, None, None] * transverse.matrices
    surplus = (weights - 1 / len(weights))[:, None, None]
    common = own / len(weights) + surplus * shared[:, None]
    common_norms = top_singular_values(common)
    gains = top_singular_values(own - common) - common_norms
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(common_norms.sum(axis=1) + gains.max(axis=1), 0.0)) + log_unit


def _in_one_unit(one: Scaled, many: Scaled) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Factors for the first, the rescaled second, and the logs of their common unit."""
    largest = np.maximum(one.log_scale, many.log_scale)
    log_unit = np.where(np.isneginf(largest), 0.0, largest)
    factors = np.exp(many.log_scale - log_unit)
    spread = factors.reshape(-1, *[1] * (many.matrices.ndim - 1))
    return np.exp(one.log_scale - log_unit), spread * many.matrices, log_unit


def _largest_row_sums(
    maps: Float[np.ndarray, "tokens tokens d d"],
    scale: Float[np.ndarray, " switches"],
    shared: Float[np.ndarray, "switches tokens d d"],
) -> Float[np.ndarray, " switches"]:
    """Largest row sum for every depth of compression.

    Blocks behind the diagonal of a row are those of the first row, whose F is zero.
    """
    first = top_singular_values(shared)
    behind = np.cumsum(first[:, ::-1], axis=1)[:, ::-1].T
    behind = np.concatenate([behind, np.zeros_like(behind[:1])])
    lower, upper = (bounds + behind[1:] for bounds in row_sum_bounds(maps, scale, shared))
    upper = (1 + SLACK) * upper
    floor = lower.max(axis=0)
    sizes = np.linalg.norm(maps, axis=(2, 3)).sum(axis=1)
    rivals = (upper >= floor) & (sizes[:, None] * scale > NEGLIGIBLE * floor)
    largest = behind[0].copy()
    for row in np.argsort(-upper.sum(axis=1)):
        at = np.flatnonzero(rivals[row] & (upper[row] > largest))
        if not len(at):
            continue
        blocks = scale[at, None, None, None] * maps[row, : row + 1] - shared[at, : row + 1]
        largest[at] = np.maximum(largest[at], top_singular_values(blocks).sum(axis=1) + behind[row + 1, at])
    return largest
