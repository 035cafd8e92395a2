"""The verdict over the gate amplitude for many loops (lanes) at once."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int8

from engine.closed_gap import closed_gaps, gap_heights, resolved
from engine.closed_loop import multipliers_over
from engine.dichotomy import SAME_MODULUS
from engine.gate import boundary
from engine.gate_window import refine_boundaries, with_zero
from engine.hold import Loop
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


def exact_lanes(
    loops: Sequence[Loop], amplitudes: Float[np.ndarray, " points"], phases: Phases = SELF
) -> GateMap:
    """Map any tied or periodic loops, one a lane.

    **Arguments:**

    - `loops`: from `engine.hold.held_loop(..., periodic=True)`.
    - `amplitudes`, `phases`: as `gate_map_exact`.

    **Returns:** the `GateMap`.
    """
    edges = [boundary(loop, phases) for loop in loops]
    regions = [_exact_region(loop, amplitudes, phases) for loop in loops]
    return GateMap(
        amplitudes,
        np.array([found.negative for found in edges], dtype=np.float64),
        np.array([found.positive for found in edges], dtype=np.float64),
        np.array(regions, dtype=np.int8).reshape(len(loops), len(amplitudes)),
    )


def window_lanes(
    loops: Sequence[Loop],
    windows: Sequence[int],
    ranks: Sequence[int | None],
    amplitudes: Float[np.ndarray, " points"],
    phases: Phases = SELF,
) -> GateMap:
    """Map any loops over a window of layers, one a lane; lanes of one shape are computed together.

    **Arguments:**

    - `loops`: from `engine.hold.held_loop(..., periodic=False)`.
    - `windows`: resolution H of each, in maps.
    - `ranks`: directions that persist at ϱ = 0 in each; None as in `gate_map_window`.
    - `amplitudes`, `phases`: as `gate_map_window`.

    **Returns:** the `GateMap`; boundaries to 1e-5 relative.
    """
    lanes = len(loops)
    undecided = np.full((lanes, len(amplitudes)), UNDECIDED, dtype=np.int8)
    found = GateMap(amplitudes, np.zeros(lanes), np.zeros(lanes), undecided)
    sizes = (resolved(loop, window)[0].maps for loop, window in zip(loops, windows, strict=True))
    room = max(sizes, default=0)
    for members in _alike(loops, windows, ranks):
        rank = ranks[members[0]]
        assert rank is not None
        alike = [loops[lane] for lane in members]
        part = _over_phases(alike, windows[members[0]], rank, amplitudes, phases, room)
        for whole, some in zip(found[1:], part[1:], strict=True):
            whole[members] = some
    return found


def _alike(loops: Sequence[Loop], windows: Sequence[int], ranks: Sequence[int | None]) -> Iterable[list[int]]:
    """Group the lanes that have a verdict at ϱ = 0 by what they must share to be computed together."""
    groups: dict[object, list[int]] = {}
    for lane, (loop, window, rank) in enumerate(zip(loops, windows, ranks, strict=True)):
        if rank is not None:
            groups.setdefault((resolved(loop, window)[0].factors.shape, window, rank), []).append(lane)
    return groups.values()


def _over_phases(
    loops: list[Loop], window: int, rank: int, amplitudes: np.ndarray, phases: Phases, room: int
) -> GateMap:
    """Map lanes of one shape; a split is kept when every phase of the topology keeps its own."""
    parts = [
        _window_lanes([phase_loop(loop, phase) for loop in loops], window, rank * copies, amplitudes, room)
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


def _window_lanes(loops: list[Loop], window: int, rank: int, amplitudes: np.ndarray, room: int) -> GateMap:
    """Map the loops of one phase; ranks other than the given one are tried only where it is lost."""
    lanes, (first, stretch) = len(loops), resolved(loops[0], window)
    factors, gates = (
        np.stack([getattr(resolved(loop, window)[0], name) for loop in loops])
        for name in ("factors", "injections")
    )
    grid = with_zero(amplitudes)
    points, owners = np.tile(grid, lanes), np.repeat(np.arange(lanes), grid.size)
    height = gap_heights(closed_gaps(factors, gates, points, owners, stretch, [rank], room))[:, 0]
    edges = refine_boundaries(
        factors, gates, stretch, rank, grid, height.reshape(lanes, grid.size), DRAWN_TOLERANCE, room
    )
    region = np.where(height > 0, KEPT, UNDECIDED).astype(np.int8)
    lost = np.flatnonzero(height <= 0)
    others = [other for other in range(first.width + 1) if other != rank]
    if lost.size:
        gaps = closed_gaps(factors, gates, points[lost], owners[lost], stretch, others, room)
        region[lost[gap_heights(gaps).max(axis=1) > 0]] = CHANGED
    shown = region.reshape(lanes, grid.size)[:, np.searchsorted(grid, amplitudes)]
    return GateMap(amplitudes, edges.negative, edges.positive, shown)


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
