"""The map from one refresh of the summary to the next, affine in the gate amplitude."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

LARGEST_PLAIN_GROWTH = 1e3
"""Maps with larger entries are also kept row-scaled and layer by layer."""


class Loop(NamedTuple):
    r"""Closed maps $E_i u_{i+1} = (F_i + \varrho\,G_i)\,u_i$, repeated with period `maps`.

    - `factors`: F, shape (maps, d, d).
    - `injections`: G, shape (maps, d, d).
    - `layers_per_map`: layers that one map covers.
    - `frames`: E, shape (maps, d, d), orthogonal with rows scaled down where the stack grows;
      None when E is the identity (nothing grows enough to drown the rest in round-off).
    - `layers`: the same loop one layer at a time, in the state (u, held u); None unless `frames`.
    """

    factors: np.ndarray
    injections: np.ndarray
    layers_per_map: int
    frames: np.ndarray | None = None
    layers: "Loop | None" = None

    @property
    def maps(self) -> int:
        """Number of maps in one closed period (or in the window)."""
        return self.factors.shape[0]

    @property
    def width(self) -> int:
        """Number of features d."""
        return self.factors.shape[-1]


def held_loop(
    factors: Float[np.ndarray, "layers d d"],
    injection: Float[np.ndarray, "*layers rows columns"],
    refresh_period: int,
    *,
    periodic: bool,
) -> Loop:
    r"""Close the loop over a summary that is held for `refresh_period` layers.

    Between two refreshes $u(\ell+1) = B(\ell)u(\ell) + \varrho\,G(\ell)\,\hat u$ with $\hat u$
    frozen, so one map is $\Phi + \varrho\,\sum_s \Phi(L_r, s+1)\,G(s)$. The sum is accumulated
    layer by layer: no layer and no $A$ is inverted, singular layers are allowed.

    **Arguments:**

    - `factors`: layer maps B = I + M + V, shape (n, d, d).
    - `injection`: G, either (d, d) for every layer or (n, d, d).
    - `refresh_period`: layers L_r between two refreshes; 1 reads a fresh summary at every layer.
    - `periodic`: True repeats the n layers for ever, and lcm(n, L_r)/L_r maps make one closed
      period; False takes them as a window, cut into ⌊n/L_r⌋ maps (the remainder is dropped).

    **Returns:** the `Loop`. Cost grows like L_r.

    **Raises:** `ValueError` unless L_r ≥ 1, at most n for a window, and shapes agree.

    Reference: hold map of a sampled system, e.g. Åström & Wittenmark, Computer-Controlled Systems.
    """
    layers, width, _ = factors.shape
    if refresh_period < 1 or (not periodic and refresh_period > layers):
        limit = "at least 1" if periodic else f"in 1..{layers} (layers of the window)"
        raise ValueError(f"refresh_period must be {limit}; got {refresh_period}.")
    if injection.shape not in {(width, width), factors.shape}:
        raise ValueError(
            f"injection must have shape {(width, width)} or {factors.shape}; got {injection.shape}."
        )
    maps = math.lcm(layers, refresh_period) // refresh_period if periodic else layers // refresh_period
    order = np.arange(maps * refresh_period).reshape(maps, refresh_period) % layers
    each = np.broadcast_to(injection, factors.shape)
    if refresh_period == 1:
        return Loop(factors[order[:, 0]], each[order[:, 0]], 1)
    with np.errstate(over="ignore", invalid="ignore"):
        transition, forcing = _accumulate(factors, each, order)
        largest = max(np.abs(transition).max(), np.abs(forcing).max())
    if largest <= LARGEST_PLAIN_GROWTH:
        return Loop(transition, forcing, refresh_period)
    scaled, scaled_forcing, frames = _accumulate_by_rows(factors, each, order)
    return Loop(scaled, scaled_forcing, refresh_period, frames, _layer_by_layer(factors, each, order))


def _accumulate(
    factors: np.ndarray, injections: np.ndarray, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    width = factors.shape[-1]
    transition = np.broadcast_to(np.eye(width), (order.shape[0], width, width))
    forcing = np.zeros_like(transition)
    for indices in order.T:
        transition = factors[indices] @ transition
        forcing = factors[indices] @ forcing + injections[indices]
    return transition, forcing


def _accumulate_by_rows(
    factors: np.ndarray, injections: np.ndarray, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Accumulate in the moving QR frame, each row divided by its own growth (fastest row first)."""
    frame = _entry_frame(factors, order)
    width = factors.shape[-1]
    both = np.concatenate([np.swapaxes(frame, 1, 2), np.zeros_like(frame)], axis=2)
    log_scale = np.zeros((order.shape[0], width))
    for indices in order.T:
        frame, triangle = np.linalg.qr(factors[indices] @ frame)
        # Rows feed only upwards, from slower to faster, so every weight below is at most one.
        weights = np.exp(np.minimum(log_scale[:, None, :] - log_scale[:, :, None], 0.0))
        forcing = np.swapaxes(frame, 1, 2) @ injections[indices]
        both = (triangle * weights) @ both
        both[:, :, width:] += np.exp(-log_scale)[:, :, None] * forcing
        sizes = np.abs(both).max(axis=2)
        grown = log_scale + np.log(np.where(sizes > 0, sizes, 1.0))
        grown = np.maximum(np.maximum.accumulate(grown[:, ::-1], axis=1)[:, ::-1], 0.0)
        both *= np.exp(log_scale - grown)[:, :, None]
        log_scale = grown
    frames = np.exp(-log_scale)[:, :, None] * np.swapaxes(frame, 1, 2)
    return both[:, :, :width], both[:, :, width:], frames


def _entry_frame(factors: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Frame at the first layer whose leading columns grow fastest: QR of the transposes, backwards."""
    width = factors.shape[-1]
    start = np.linalg.qr(np.random.default_rng(0).standard_normal((width, width)))[0]
    frame = np.broadcast_to(start, (order.shape[0], width, width))
    for indices in order.T[::-1]:
        frame = np.linalg.qr(np.swapaxes(factors[indices], 1, 2) @ frame)[0]
    return frame


def _layer_by_layer(factors: np.ndarray, injections: np.ndarray, order: np.ndarray) -> Loop:
    """Write the held loop one layer at a time: the state is u and the held copy of it."""
    width = factors.shape[-1]
    state, held = slice(0, width), slice(width, 2 * width)
    maps = np.zeros((*order.shape, 2 * width, 2 * width))
    gates = np.zeros_like(maps)
    maps[..., state, state] = factors[order]
    maps[:, 0, held, state] = np.eye(width)
    maps[:, 1:, held, held] = np.eye(width)
    # The next refresh overwrites the copy: dropping it a layer early makes the map exactly Φ ⊕ 0.
    maps[:, -1, held] = 0.0
    gates[:, 0, state, state] = injections[order[:, 0]]
    gates[:, 1:, state, held] = injections[order[:, 1:]]
    shape = (order.size, 2 * width, 2 * width)
    return Loop(maps.reshape(shape), gates.reshape(shape), 1)
