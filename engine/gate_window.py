"""Gate boundary of a finite window of layers: where the certified gap at rank k is lost."""

import math
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.optimize import elementwise

from engine.closed_gap import closed_gaps, gap_heights, resolved
from engine.hold import Loop
from engine.pencil import amplitude_unit

SEARCHED_UNITS = 1.0
"""Largest |ϱ| tried, in units of (1 + ‖F‖)/‖G‖."""

POINTS = 31
"""Points tried on each side; with ϱ = 0 they fill one batch."""

RELATIVE_TOLERANCE = 1e-11

FINER_POINTS = 127
"""Points tried again, evenly, over what the first ones leave; with ϱ = 0 they fill one batch."""

SAMPLES = 6
"""New points on each side of a dip of the heights."""

GapLost = Literal["gap-lost", "none"]


class WindowBoundary(NamedTuple):
    """First amplitudes of both signs at which the certified gap is lost.

    - `negative`, `positive`: −inf and inf when it is never lost up to `searched_to`.
    - `negative_crossing`, `positive_crossing`: `gap-lost` or `none`.
    - `status`: always `searched`.
    - `searched_to`: largest |ϱ| tried; None when there is nothing to search.
    """

    negative: float
    positive: float
    negative_crossing: GapLost
    positive_crossing: GapLost
    status: Literal["searched"]
    searched_to: float | None


class WindowBoundaries(NamedTuple):
    """The same for many injections; −inf and inf where the gap is not lost on the grid."""

    negative: Float[np.ndarray, " lanes"]
    positive: Float[np.ndarray, " lanes"]


def window_boundary(loop: Loop, window: int, rank: int | None) -> WindowBoundary:
    r"""Find where the certified gap at rank k, at resolution H, stops containing 1.

    The height $\min(\log\mathrm{lo}_k, -\log\mathrm{up}_k)$ of `engine.certificate.block_gaps` is
    positive while the gap is certified and continuous in ϱ. Its first change of sign on a grid, on
    each side of 0, bounds a second, finer grid; the first change there is refined to 1e-11. The
    boundary belongs to H: longer windows allow more.

    **Arguments:**

    - `loop`: closed maps of the window, from `engine.hold.held_loop(..., periodic=False)`.
    - `window`: resolution H, in maps, 1 … maps.
    - `rank`: directions that persist at ϱ = 0; None (no verdict) puts the boundary at 0.

    **Returns:** the `WindowBoundary`.

    **Raises:** `ValueError` unless 1 ≤ window ≤ maps and 0 ≤ rank ≤ d.
    """
    _check(loop, window, rank)
    loop, window = resolved(loop, window)
    if rank is None:
        return _window_boundary(0.0, 0.0, None)
    if not np.any(loop.injections):
        factors, injections = loop.factors[None], loop.injections[None]
        kept = _heights(factors, injections, np.zeros(1), np.zeros(1, int), window, rank)[0] > 0
        edge = math.inf if kept else 0.0
        return _window_boundary(-edge, edge, None)
    furthest = SEARCHED_UNITS * amplitude_unit(loop)
    side = furthest * (np.arange(1, POINTS + 1) / POINTS) ** 2
    grid = _finer(loop, window, rank, np.concatenate([-side[::-1], [0.0], side]))
    found = window_boundaries(loop, loop.injections[None], window, rank, grid)
    return _window_boundary(float(found.negative[0]), float(found.positive[0]), furthest)


def window_boundaries(
    loop: Loop,
    injections: Float[np.ndarray, "lanes maps d d"],
    window: int,
    rank: int,
    amplitudes: Float[np.ndarray, " points"],
) -> WindowBoundaries:
    """Find the boundaries of many injections at once, bracketed on a given grid.

    **Arguments:**

    - `loop`: closed maps of the window; its own injection is not used.
    - `injections`: G of every lane, shape (lanes, maps, d, d).
    - `window`, `rank`: as `window_boundary`.
    - `amplitudes`: increasing grid of ϱ on both sides of 0 (0 itself is added).

    **Returns:** the `WindowBoundaries`, shape (lanes,).

    **Raises:** as `window_boundary`.
    """
    _check(loop, window, rank)
    grid = with_zero(amplitudes)
    lanes = len(injections)
    factors = np.broadcast_to(loop.factors, injections.shape)
    points = np.tile(grid, lanes)
    owners = np.repeat(np.arange(lanes), grid.size)
    heights = _heights(factors, injections, points, owners, window, rank).reshape(lanes, grid.size)
    return refine_boundaries(factors, injections, window, rank, grid, heights)


def refine_boundaries(
    factors: Float[np.ndarray, "lanes maps d d"],
    injections: Float[np.ndarray, "lanes maps d d"],
    window: int,
    rank: int,
    grid: Float[np.ndarray, " points"],
    heights: Float[np.ndarray, "lanes points"],
    tolerance: float = RELATIVE_TOLERANCE,
    room: int = 0,
) -> WindowBoundaries:
    """Refine the first change of sign of known heights on both sides of 0 (which the grid holds).

    A narrow loss between two grid points shows as a dip: around every dip the heights are sampled again.
    `room` as in `engine.certificate.block_gaps`.
    """
    owners, dips = _dips(grid, heights)
    sampled = _heights(factors, injections, dips, owners, window, rank, room) if dips.size else dips
    edges = np.zeros((2, len(injections)))
    brackets: list[tuple[int, int, float, float]] = []
    for lane, known in enumerate(heights):
        points = np.append(grid, dips[owners == lane])
        values = np.append(known, sampled[owners == lane])
        for side, sign in enumerate((-1.0, 1.0)):
            outward = np.flatnonzero(sign * points >= 0)
            outward = outward[np.argsort(np.abs(points[outward]), kind="stable")]
            lost = np.flatnonzero(values[outward] <= 0)
            if lost.size == 0:
                edges[side, lane] = sign * math.inf
            elif lost[0] > 0:
                inner, outer = points[outward[lost[0] - 1 : lost[0] + 1]]
                brackets.append((side, lane, float(inner), float(outer)))
    if brackets:
        sides, lanes, inner, outer = map(np.array, zip(*brackets, strict=True))
        edges[sides, lanes] = elementwise.find_root(
            lambda amplitude, lane: _heights(factors, injections, amplitude, lane, window, rank, room),
            (np.minimum(inner, outer), np.maximum(inner, outer)),
            args=(lanes,),
            tolerances={"xatol": 0.0, "xrtol": tolerance, "fatol": 0.0, "frtol": 0.0},
        ).x
    return WindowBoundaries(edges[0], edges[1])


def _finer(loop: Loop, window: int, rank: int, grid: np.ndarray) -> np.ndarray:
    """Space points evenly over what a first grid leaves on both sides of 0, out to its first lost points."""
    here = np.zeros(grid.size, int)
    lost = _heights(loop.factors[None], loop.injections[None], grid, here, window, rank) <= 0
    lower = max(grid[lost & (grid <= 0)], default=grid[0])
    upper = min(grid[lost & (grid >= 0)], default=grid[-1])
    return np.linspace(lower, upper, FINER_POINTS)


def _dips(grid: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lanes and amplitudes to sample again: both sides of every local minimum above zero."""
    middle = heights[:, 1:-1]
    is_dip = (middle > 0) & (middle <= heights[:, :-2]) & (middle <= heights[:, 2:])
    owners, index = np.nonzero(is_dip)
    within = np.linspace(0.0, 1.0, SAMPLES + 2)[1:-1]
    before, at, after = grid[index], grid[index + 1], grid[index + 2]
    below = before[:, None] + within * (at - before)[:, None]
    above = at[:, None] + within * (after - at)[:, None]
    return np.repeat(owners, 2 * SAMPLES), np.hstack([below, above]).ravel()


def with_zero(amplitudes: Float[np.ndarray, " points"]) -> Float[np.ndarray, " more"]:
    """Sort a grid and add ϱ = 0 to it."""
    return np.unique(np.append(amplitudes, 0.0))


def _heights(
    factors: np.ndarray,
    injections: np.ndarray,
    amplitudes: np.ndarray,
    lanes: np.ndarray,
    window: int,
    rank: int,
    room: int = 0,
) -> np.ndarray:
    return gap_heights(closed_gaps(factors, injections, amplitudes, lanes, window, [rank], room))[:, 0]


def _window_boundary(negative: float, positive: float, searched_to: float | None) -> WindowBoundary:
    return WindowBoundary(
        negative=negative,
        positive=positive,
        negative_crossing="gap-lost" if math.isfinite(negative) else "none",
        positive_crossing="gap-lost" if math.isfinite(positive) else "none",
        status="searched",
        searched_to=searched_to,
    )


def _check(loop: Loop, window: int, rank: int | None) -> None:
    if not 1 <= window <= loop.maps:
        raise ValueError(f"window must lie in 1..{loop.maps} (maps); got {window}.")
    if rank is not None and not 0 <= rank <= loop.width:
        raise ValueError(f"rank must lie in 0..{loop.width} (features) or be None; got {rank}.")
