r"""The weights with which a block is pooled into its summary, $\hat y = \sum_t \pi_t x_t$.

Every compression of a scenario is such a row of weights that sums to 1. A ragged last
block holds fewer tokens than the others: each function takes the number of tokens present
and returns that many weights.
"""

import numpy as np
from jaxtyping import Float, Int

UNIT_SUM = 1e-9
"""How far given weights may be from summing to 1."""


def mean_weights(tokens: int) -> Float[np.ndarray, " tokens"]:
    """Weigh all tokens of the block alike.

    **Arguments:**

    - `tokens`: tokens present in the block, at least 1.

    **Returns:** 1/n each.

    **Raises:** `ValueError` for an empty block.
    """
    return np.full(tokens, 1 / _counted(tokens))


def first_weights(tokens: int) -> Float[np.ndarray, " tokens"]:
    """Read the first token alone: the left vector of the causal kernel, exact at every depth.

    **Arguments:** **Returns:** **Raises:** as for `mean_weights`.
    """
    return np.eye(1, _counted(tokens))[0]


def last_weights(tokens: int) -> Float[np.ndarray, " tokens"]:
    """Read the last token present alone (a stride of one block).

    **Arguments:** **Returns:** **Raises:** as for `mean_weights`.
    """
    return first_weights(tokens)[::-1].copy()


def selected_weights(
    tokens: int, positions: Int[np.ndarray, " chosen"], weights: Float[np.ndarray, " chosen"]
) -> Float[np.ndarray, " tokens"]:
    """Weigh chosen positions; those the block lacks drop out and the rest is scaled back to sum 1.

    **Arguments:**

    - `tokens`: tokens present in the block, at least 1.
    - `positions`: places in the block, counted from 0; one that is named twice gets both weights.
    - `weights`: their weights, of any sign, with sum 1.

    **Returns:** one weight per token present.

    **Raises:** `ValueError` for an empty block, lists of different length, negative
    positions, weights that do not sum to 1, or when nothing is left to scale.
    """
    _counted(tokens)
    if positions.shape != weights.shape or (positions < 0).any():
        raise ValueError(f"positions must be at least 0, one for each weight; got {positions} and {weights}.")
    if not abs(weights.sum() - 1) <= UNIT_SUM:
        raise ValueError(f"weights must sum to 1; got {weights} with sum {weights.sum()}.")
    present = positions < tokens
    placed = np.zeros(tokens)
    np.add.at(placed, positions[present], weights[present])
    if present.all():
        return placed
    if abs(placed.sum()) <= UNIT_SUM:
        raise ValueError(
            f"positions must keep a weight among the {tokens} tokens present; got {positions} with {weights}."
        )
    return placed / placed.sum()


def scored_weights(
    tokens: int, scores: Float[np.ndarray, " positions"], temperature: float
) -> Float[np.ndarray, " tokens"]:
    r"""Weigh tokens by frozen scores, $\pi_t \propto e^{s_t/\tau}$ over the tokens present.

    **Arguments:**

    - `tokens`: tokens present in the block, at least 1.
    - `scores`: one score per position of a full block.
    - `temperature`: τ ≥ 0; at 0 the first largest score takes everything: not C¹ in the scores.

    **Returns:** one weight per token present.

    **Raises:** `ValueError` for an empty block, too few or infinite scores, or a negative temperature.
    """
    _counted(tokens)
    if len(scores) < tokens or not np.isfinite(scores).all():
        raise ValueError(f"scores must be finite, one for each of {tokens} tokens; got {scores}.")
    if not 0 <= temperature < np.inf:
        raise ValueError(f"temperature must be at least 0; got {temperature}.")
    present = scores[:tokens]
    if temperature == 0:
        return np.eye(tokens)[present.argmax()]
    shares = np.exp((present - present.max()) / temperature)
    return shares / shares.sum()


def multilevel_weights(tokens: int, levels: Int[np.ndarray, " levels"]) -> Float[np.ndarray, " tokens"]:
    """Take means of means: groups of p₁ tokens, then groups of p₂ groups, and so on.

    Equal groups give the plain mean. In a ragged block a group averages the members it has,
    so that the tokens of an incomplete group weigh more.

    **Arguments:**

    - `tokens`: tokens present in the block, at least 1.
    - `levels`: group sizes p₁, p₂, …, finest first; their product is the length of a full block.

    **Returns:** one weight per token present.

    **Raises:** `ValueError` for an empty block, a group size below 1 or levels too small for the tokens.
    """
    _counted(tokens)
    if (levels < 1).any() or levels.prod() < tokens:
        raise ValueError(f"levels must be at least 1 and multiply to {tokens} tokens or more; got {levels}.")
    weights, groups = np.ones(tokens), np.arange(tokens)
    for size in levels:
        members = np.bincount(np.unique(groups) // size)
        groups = groups // size
        weights = weights / members[groups]
    return weights


def _counted(tokens: int) -> int:
    if tokens < 1:
        raise ValueError(f"tokens must be at least 1; got {tokens}.")
    return tokens
