r"""How spectral edges depend on what they are read from: the resolution H, and the number of layers.

An edge is the least or the largest mean of $\log R_{ii}$ over all stretches of H layers. A point of the
spectrum shows a width that shrinks like 1/H; a true interval keeps its width.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from engine.qr_flow import log_stretches


class Edges(NamedTuple):
    """Natural logs of the edges per layer, one row per reading, one column per direction; −inf for zero.

    **Fields:**

    - `lower`, `upper`: least and largest mean growth over the stretches.
    """

    lower: Float[np.ndarray, "readings d"]
    upper: Float[np.ndarray, "readings d"]


def edges_by_window(factors: Float[np.ndarray, "layers d d"], windows: Int[np.ndarray, " readings"]) -> Edges:
    """Read the edges of one stack at several resolutions, from a single sweep.

    **Arguments:**

    - `factors`: layers B(l), first layer first.
    - `windows`: averaging lengths H, each 1 … L layers.

    **Returns:** edges per resolution; neighbouring directions are not merged.

    **Raises:** `ValueError` for a window outside 1 … L.
    """
    _check("windows", windows, 1, len(factors))
    logs = log_stretches(factors)
    return _stacked([sliding_edges(logs, int(window)) for window in windows])


def edges_by_depth(
    factors: Float[np.ndarray, "layers d d"], window: int, depths: Int[np.ndarray, " readings"]
) -> Edges:
    """Read the edges as they would be if the stack ended earlier: a running estimate.

    Each depth has its own sweep, started in the frame adapted to its own layers.

    **Arguments:**

    - `factors`: layers B(l), first layer first.
    - `window`: averaging length H, at least 1.
    - `depths`: numbers of layers used, each H … L.

    **Returns:** edges per depth; neighbouring directions are not merged.

    **Raises:** `ValueError` for a window below 1 or a depth outside H … L.
    """
    if window < 1:
        raise ValueError(f"window must be at least 1 (layers); got {window}.")
    _check("depths", depths, window, len(factors))
    identity = np.eye(factors.shape[1])
    beyond = np.arange(len(factors))[:, None, None]
    prefixes = [np.where(beyond < depth, factors, identity) for depth in depths]
    return _stacked(
        [
            sliding_edges(log_stretches(prefix)[:depth], window)
            for prefix, depth in zip(prefixes, depths, strict=True)
        ]
    )


def sliding_edges(logs: Float[np.ndarray, "layers d"], window: int) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest mean of each column over all stretches of `window` rows; −inf is absorbing."""
    lost = np.isneginf(logs)
    sums = np.cumsum(np.vstack([np.zeros(logs.shape[1]), np.where(lost, 0.0, logs)]), axis=0)
    losses = np.cumsum(np.vstack([np.zeros(logs.shape[1], int), lost]), axis=0)
    means = (sums[window:] - sums[:-window]) / window
    means = np.where(losses[window:] > losses[:-window], -np.inf, means)
    return means.min(axis=0), means.max(axis=0)


def _stacked(edges: list[tuple[np.ndarray, np.ndarray]]) -> Edges:
    lower, upper = zip(*edges, strict=True)
    return Edges(np.array(lower), np.array(upper))


def _check(name: str, values: np.ndarray, least: int, most: int) -> None:
    if len(values) == 0 or ((values < least) | (values > most)).any():
        raise ValueError(f"{name} must lie in {least}..{most} (layers), at least one; got {values}.")
