"""Gate stability map: the verdict over the amplitude for many injections (lanes) at once."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int8

from engine.closed_gap import closed_gaps, gap_heights, resolved
from engine.closed_loop import multipliers_over
from engine.dichotomy import SAME_MODULUS
from engine.gate import boundary
from engine.gate_window import refine_boundaries, with_zero
from engine.hold import Loop, held_loop
from engine.topology import SELF, Phases, phase_loop

DRAWN_TOLERANCE = 1e-5
"""Relative accuracy of the boundaries of a window's map: finer than any picture shows."""

KEPT, UNDECIDED, CHANGED = 0, 1, 2
"""As many directions persist as at ϱ = 0; not known; another number persists."""


class GateMap(NamedTuple):
    """Boundaries and verdicts of every lane.

    - `amplitude`: grid of ϱ, shape (points,).
    - `negative`, `positive`: nearest boundary of each sign, shape (lanes,); ±inf when none.
    - `region`: `KEPT`, `UNDECIDED` or `CHANGED`, shape (lanes, points). Each point has its own
      verdict: beyond a boundary the number of persisting directions may return.
    """

    amplitude: Float[np.ndarray, " points"]
    negative: Float[np.ndarray, " lanes"]
    positive: Float[np.ndarray, " lanes"]
    region: Int8[np.ndarray, "lanes points"]


def gate_map_exact(
    factors: Float[np.ndarray, "layers d d"],
    injections: Float[np.ndarray, "lanes d d"],
    refresh_period: int,
    amplitudes: Float[np.ndarray, " points"],
    phases: Phases = SELF,
) -> GateMap:
    r"""Map a tied or periodic stack: every verdict from the multipliers themselves.

    A point is undecided only when a multiplier lies on the circle (within 1e-8 per layer).

    **Arguments:**

    - `factors`: layer maps of one period, shape (n, d, d).
    - `injections`: one G per lane, shape (lanes, d, d).
    - `refresh_period`: layers between two refreshes.
    - `amplitudes`: grid of ϱ.
    - `phases`: independent loops, from `engine.topology.phases`.

    **Returns:** the `GateMap`; its boundaries do not depend on the grid.

    **Raises:** as `engine.hold.held_loop`.
    """
    edges, regions = [], []
    for loop in _lanes(factors, injections, refresh_period, periodic=True):
        found = boundary(loop, phases)
        edges.append((found.negative, found.positive))
        regions.append(_exact_region(loop, amplitudes, phases))
    negative, positive = np.array(edges, dtype=np.float64).reshape(-1, 2).T
    region = np.array(regions, dtype=np.int8).reshape(len(injections), len(amplitudes))
    return GateMap(amplitudes, negative, positive, region)


def gate_map_window(
    factors: Float[np.ndarray, "layers d d"],
    injections: Float[np.ndarray, "lanes d d"],
    refresh_period: int,
    window: int,
    rank: int | None,
    amplitudes: Float[np.ndarray, " points"],
    phases: Phases = SELF,
) -> GateMap:
    r"""Map a window of layers: every verdict from the certified gaps at resolution H.

    **Arguments:**

    - `factors`: layer maps of the window, shape (L, d, d).
    - `injections`: one G per lane, shape (lanes, d, d).
    - `refresh_period`: layers between two refreshes.
    - `window`: resolution H, in maps.
    - `rank`: directions that persist at ϱ = 0; None (no verdict): boundaries at 0, all undecided.
    - `amplitudes`: grid of ϱ; boundaries are sought between its ends only, ±inf beyond.
    - `phases`: independent loops, from `engine.topology.phases`; all of them must keep their split.

    **Returns:** the `GateMap`; boundaries to 1e-5 relative.

    **Raises:** as `engine.hold.held_loop` and `engine.gate_window.window_boundary`.
    """
    lanes = len(injections)
    if rank is None:
        undecided = np.full((lanes, len(amplitudes)), UNDECIDED, dtype=np.int8)
        return GateMap(amplitudes, np.zeros(lanes), np.zeros(lanes), undecided)
    unphased = _lanes(factors, injections, refresh_period, periodic=False)
    parts = [
        _window_lanes([phase_loop(loop, phase) for loop in unphased], window, rank * copies, amplitudes)
        for phase, copies in phases
    ]
    regions = np.stack([part.region for part in parts])
    undecided, kept = (regions == UNDECIDED).any(axis=0), (regions == KEPT).all(axis=0)
    return GateMap(
        amplitudes,
        np.max([part.negative for part in parts], axis=0),
        np.min([part.positive for part in parts], axis=0),
        np.where(undecided, UNDECIDED, np.where(kept, KEPT, CHANGED)).astype(np.int8),
    )


def _window_lanes(loops: list[Loop], window: int, rank: int, amplitudes: np.ndarray) -> GateMap:
    """Map the loops of one phase; ranks other than the given one are tried only where it is lost."""
    lanes = len(loops)
    loop, stretch = resolved(loops[0], window)
    gates = np.stack([resolved(lane, window)[0].injections for lane in loops])
    grid = with_zero(amplitudes)
    points, owners = np.tile(grid, lanes), np.repeat(np.arange(lanes), grid.size)
    height = gap_heights(closed_gaps(loop, gates, points, owners, stretch, [rank]))[:, 0]
    edges = refine_boundaries(
        loop, gates, stretch, rank, grid, height.reshape(lanes, grid.size), DRAWN_TOLERANCE
    )
    region = np.where(height > 0, KEPT, UNDECIDED).astype(np.int8)
    lost = np.flatnonzero(height <= 0)
    others = [other for other in range(loop.width + 1) if other != rank]
    if lost.size:
        elsewhere = gap_heights(closed_gaps(loop, gates, points[lost], owners[lost], stretch, others))
        region[lost[elsewhere.max(axis=1) > 0]] = CHANGED
    shown = region.reshape(lanes, grid.size)[:, np.searchsorted(grid, amplitudes)]
    return GateMap(amplitudes, edges.negative, edges.positive, shown)


def _lanes(factors: np.ndarray, injections: np.ndarray, refresh_period: int, *, periodic: bool) -> list[Loop]:
    """Hold maps of all lanes; the maps are accumulated once, with the identity injected."""
    unit = held_loop(factors, np.eye(factors.shape[-1]), refresh_period, periodic=periodic)
    return [_injected(unit, injection) for injection in injections]


def _injected(unit: Loop, injection: np.ndarray) -> Loop:
    # The held state occupies the same columns as the fed one, so G acts on both alike.
    copies = unit.injections.shape[-1] // injection.shape[0]
    acting = np.kron(np.eye(copies), injection)
    layers = None if unit.layers is None else _injected(unit.layers, injection)
    return unit._replace(injections=unit.injections @ acting, layers=layers)


def _exact_region(loop: Loop, amplitudes: np.ndarray, phases: Phases) -> np.ndarray:
    """Compare the number of growing multipliers with the number at ϱ = 0."""
    grid = np.append(amplitudes, 0.0)
    loops = [phase_loop(loop, phase) for phase, _ in phases]
    log_modulus = np.concatenate([multipliers_over(each, grid)[0] for each in loops], axis=1)
    growing = np.sum(log_modulus > 0, axis=1)
    tolerance = SAME_MODULUS * loop.maps * loop.layers_per_map
    on_circle = np.any(np.abs(log_modulus) <= tolerance, axis=1)
    kept = (growing == growing[-1]) & ~on_circle[-1]
    return np.where(on_circle, UNDECIDED, np.where(kept, KEPT, CHANGED))[:-1]
