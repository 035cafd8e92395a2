r"""Gate boundary of a saturating injection on a window: the certified gap of $D\psi(u^*_\varrho)$.

As `engine.gate_window`, with the layers linearised at the trajectory of every amplitude tried. Where
$u^*$ can no longer be followed, at a fold, the gap counts as lost.
"""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.closed_gap import closed_gaps, gap_heights, resolved
from engine.continuation import CLOSE_START
from engine.gate_window import POINTS, SAMPLES, SEARCHED_UNITS, WindowBoundary
from engine.hold import Loop, held_loop
from engine.newton_runs import NewtonRuns
from engine.pencil import amplitude_unit
from engine.self_loop import SelfLoop, checked, linearised
from engine.topology import SELF, Phases, phase_loop
from engine.trajectory import trajectories
from engine.two_point import window_newton

ACCURACY, MOST_ROUNDS = 1e-5, 12
"""Width of the last bracket, in shares of the range searched; what is inside it is interpolated."""

LOST = -50.0
"""Height where there is no trajectory."""


class _Problem(NamedTuple):
    """The gated window, the resolution H in maps, the rank at ϱ = 0 and the independent loops."""

    loop: SelfLoop
    window: int
    rank: int
    phases: Phases


class _Points(NamedTuple):
    """Amplitudes outwards from 0, their trajectories, and how far 1 lies inside the certified gap."""

    amplitudes: Float[np.ndarray, " points"]
    states: Float[np.ndarray, "points depths d"]
    heights: Float[np.ndarray, " points"]

    def at(self, chosen: slice) -> "_Points":
        return _Points(*(part[chosen] for part in self))


def window_trajectory_boundary(
    loop: SelfLoop, window: int, rank: int | None, phases: Phases = SELF
) -> WindowBoundary:
    r"""Find where the certified gap at rank k of $B + \varrho D\psi(u^*_\varrho)$ stops containing 1.

    **Arguments:**

    - `loop`: a window of layers that reads its own summary.
    - `window`: resolution H, in maps (stretches of L_r layers), at least 1.
    - `rank`: directions that persist at ϱ = 0; None (no verdict) puts the boundary at 0.
    - `phases`: independent loops about the common trajectory, from `engine.topology.phases`.

    **Returns:** the `WindowBoundary`, accurate to about 1e-6 of the range searched.

    **Raises:** `ValueError` for a repeated stack, a missing splitting, or L_r < 1.
    """
    if checked(loop).splitting.periodic:
        raise ValueError("splitting must be that of a window; got a repeated stack.")
    if rank is None:
        return WindowBoundary(0.0, 0.0, "gap-lost", "gap-lost", "searched", None)
    problem, matrix = _Problem(loop, window, rank, phases), loop.injection.matrix
    furthest = 0.0
    if np.any(matrix):
        frozen = held_loop(loop.factors, matrix, loop.refresh_period, periodic=False)
        furthest = SEARCHED_UNITS * amplitude_unit(frozen)
    side = furthest * (np.arange(1, POINTS + 1) / POINTS) ** 2
    grid = np.concatenate([-side[::-1], [0.0], side])
    found = trajectories(loop, grid)
    points = _measured(problem, grid, found.states, found.converged)
    negative, positive = (
        sign * _first_loss(problem, _dips_resolved(problem, points.at(slice(POINTS, None, sign))))
        for sign in (-1, 1)
    )
    return WindowBoundary(
        negative,
        positive,
        "gap-lost" if math.isfinite(negative) else "none",
        "gap-lost" if math.isfinite(positive) else "none",
        "searched",
        furthest if furthest > 0 else None,
    )


def _first_loss(problem: _Problem, points: _Points) -> float:
    """Refine the first |ϱ| outwards from 0 at which the gap is lost; inf when there is none."""
    reach = abs(float(points.amplitudes[-1]))
    for _ in range(MOST_ROUNDS):
        lost = np.flatnonzero(points.heights <= 0)
        if lost.size == 0:
            return math.inf
        if lost[0] == 0:
            return 0.0
        points = points.at(slice(lost[0] - 1, lost[0] + 1))
        if abs(np.diff(points.amplitudes)[0]) <= ACCURACY * reach:
            break
        points = _joined(points, _between(problem, points, POINTS))
    points = points.at(slice(int(np.flatnonzero(points.heights <= 0)[0]) - 1, None))
    (inner, outer), (above, below) = np.abs(points.amplitudes[:2]), points.heights[:2]
    share = 1.0 if below <= LOST else above / (above - below)
    return float(inner + share * (outer - inner))


def _dips_resolved(problem: _Problem, points: _Points) -> _Points:
    """Sample again around every local minimum before the first loss: the gap may be lost for a moment."""
    lost = np.flatnonzero(points.heights <= 0)
    before = points.heights[: lost[0] if lost.size else None]
    dips = 1 + np.flatnonzero((before[1:-1] <= before[:-2]) & (before[1:-1] <= before[2:]))
    for start in np.unique(np.concatenate([dips - 1, dips])):
        pair = points.amplitudes[[start, start + 1]]
        place = int(np.searchsorted(np.abs(points.amplitudes), abs(pair[0])))
        points = _joined(points, _between(problem, points.at(slice(place, place + 2)), SAMPLES))
    return points


def _joined(points: _Points, more: _Points) -> _Points:
    both = _Points(*(np.concatenate(parts) for parts in zip(points, more, strict=True)))
    order = np.argsort(np.abs(both.amplitudes), kind="stable")
    return _Points(*(part[order] for part in both))


def _between(problem: _Problem, ends: _Points, count: int) -> _Points:
    """Solve between two neighbours, each point from the last one known; from ϱ = 0 again where that is lost.

    Near a fold the known points are enough: the last of them and the lost end are closer than before.
    """
    shares = np.linspace(0.0, 1.0, count + 2)[1:-1]
    inner, outer = ends.amplitudes
    amplitudes = inner + shares * (outer - inner)
    is_lost = ends.heights[1] <= LOST
    towards = np.zeros_like(ends.states[0]) if is_lost else ends.states[1] - ends.states[0]
    states, known = ends.states[0] + shares[:, None, None] * towards, 0
    while known < count:
        runs = _solved(problem.loop, amplitudes[known:], states[known:])
        good = np.logical_and.accumulate(runs.settled & (runs.contraction <= CLOSE_START))
        fresh = int(good.sum())
        if fresh == 0 and not (is_lost and known):
            found = trajectories(problem.loop, np.append(np.linspace(0.0, inner, POINTS), amplitudes))
            return _measured(problem, amplitudes, found.states[POINTS:], found.converged[POINTS:])
        if fresh == 0:
            break
        states[known : known + fresh] = runs.states[:fresh]
        known += fresh
        states[known:] = states[known - 1]
    return _measured(problem, amplitudes[:known], states[:known], np.ones(known, dtype=bool))


def _solved(loop: SelfLoop, amplitudes: np.ndarray, starts: np.ndarray) -> NewtonRuns:
    return window_newton(
        loop.factors, loop.splitting, loop.injection, loop.refresh_period, amplitudes, starts
    )


def _measured(problem: _Problem, amplitudes: np.ndarray, states: np.ndarray, good: np.ndarray) -> _Points:
    """Linearise at the trajectories and find the least height over the phases."""
    heights = np.full(len(amplitudes), LOST)
    loops = [linearised(problem.loop, states[run]) for run in np.flatnonzero(good)]
    for phase, copies in problem.phases if loops else ():
        turned = [phase_loop(each, phase) for each in loops]
        found = _gaps(turned, problem.window, problem.rank * copies, amplitudes[good])
        heights[good] = np.where(heights[good] == LOST, found, np.minimum(heights[good], found))
    return _Points(amplitudes, states, heights)


def _gaps(
    loops: list[Loop], window: int, rank: int, amplitudes: Float[np.ndarray, " loops"]
) -> Float[np.ndarray, " loops"]:
    """Heights of loops each at its own amplitude; those resolved alike are computed together."""
    heights = np.zeros(len(loops))
    sources = [resolved(loop, window) for loop in loops]
    sizes = np.array([stretch for _, stretch in sources])
    for stretch in np.unique(sizes):
        members = np.flatnonzero(sizes == stretch)
        factors, gates = (
            np.stack([getattr(sources[member][0], name) for member in members])
            for name in ("factors", "injections")
        )
        lanes = np.arange(len(members))
        gaps = closed_gaps(factors, gates, amplitudes[members], lanes, int(stretch), [rank])
        heights[members] = gap_heights(gaps)[:, 0]
    return heights
