r"""Growth of the residual stream: at most linear, because every block adds a bounded amount.

Proposition 1: $|x_L| \le |x_0| + \sum_\ell C_N(\ell)$. A norm sends every state into the ball of
radius $R = \max|g|\sqrt d$ (plus the size of the shift), softmax averages inside it, and the weights
bound what leaves the two branches. The normalised state, all that later layers see, stays in R.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.layer_bound import layer_bound
from engine.preln_block import EPSILON
from engine.preln_weights import Activation, Block, Norm, Order


class StreamGrowth(NamedTuple):
    r"""Size of the residual stream at the depths 0 … L.

    **Fields:**

    - `size`: norm of the largest token.
    - `bound`: of that norm, linear where the layers are alike.
    - `normalised`: norm of the largest normalised token with unit gain, at most √d.
    - `exponent`: slope of log size against log depth over the second half; 1 is linear growth.
      None where there is no second half or nothing finite and positive in it.
    """

    size: Float[np.ndarray, " depths"]
    bound: Float[np.ndarray, " depths"]
    normalised: Float[np.ndarray, " depths"]
    exponent: float | None


def stream_growth(
    blocks: Sequence[Block],
    tokens: Float[np.ndarray, "depths tokens d"],
    *,
    norm: Norm,
    activation: Activation,
    order: Order,
    epsilon: float = EPSILON,
    forcing: float = 0.0,
) -> StreamGrowth:
    r"""Measure the stream of a real run beside its bound.

    **Arguments:**

    - `blocks`: the layers of the run, first one first.
    - `tokens`: the states of the run at the depths 0 … L, state units.
    - `norm`, `activation`, `order`, `epsilon`: as for `block_output`.
    - `forcing`: what an open gate adds per layer at most, $|\varrho|\sup|\psi|$.

    **Returns:** sizes, bound and normalised sizes.

    **Raises:** `ValueError` unless the run is finite and has one depth more than there are layers.
    """
    if len(tokens) != len(blocks) + 1 or not blocks:
        raise ValueError(
            f"tokens must hold {len(blocks) + 1} depths, one more than layers; got {len(tokens)}."
        )
    size = _lengths(tokens).max(axis=1)
    if not np.isfinite(size).all():
        raise ValueError(f"tokens must be finite; got {size[~np.isfinite(size)][0]} in norm.")
    gains = [layer_bound(block, norm=norm, activation=activation, order=order) for block in blocks]
    bound = size[0] + np.concatenate([[0.0], np.cumsum(np.array(gains) + forcing)])
    return StreamGrowth(size, bound, _normalised_sizes(tokens, norm, epsilon), _late_exponent(size))


def _lengths(states: np.ndarray) -> np.ndarray:
    """Norms along the last axis, scaled so that squares do not overflow."""
    scale = np.abs(states).max(axis=-1, keepdims=True)
    safe = np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)
    with np.errstate(over="ignore"):
        return np.linalg.norm(states / safe, axis=-1) * safe[..., 0]


def _normalised_sizes(tokens: np.ndarray, norm: Norm, epsilon: float) -> Float[np.ndarray, " depths"]:
    """Largest norm of a token after the norm without gain and shift."""
    if norm == "layer":
        tokens = tokens - tokens.mean(axis=2, keepdims=True)
    lengths = _lengths(tokens)
    spread = np.hypot(lengths / np.sqrt(tokens.shape[2]), np.sqrt(epsilon))
    return (lengths / np.where(spread > 0, spread, 1.0)).max(axis=1)


def _late_exponent(size: Float[np.ndarray, " depths"]) -> float | None:
    """Slope of log size against log depth from half the depth to the end."""
    depths = np.arange(len(size))
    late = (depths >= max(1, len(size) // 2)) & (size > 0)
    if late.sum() < 2:
        return None
    return float(np.polyfit(np.log(depths[late]), np.log(size[late]), 1)[0])
