"""Regions of the gate map as vector shapes: no raster, no hairlines between lanes."""

import math
from typing import NamedTuple

import numpy as np

from engine.gate_map import CHANGED, KEPT, UNDECIDED
from figures.curve import Frame, line_rows, visible
from figures.rows import Rows
from presets.loop_quantities import LimitMap

FILLS = {UNDECIDED: "undecided_fill", CHANGED: "changed_fill"}

FINER = 4
"""Points between two lanes at which the limits are interpolated, so that they meet the frame in place."""

FAR = 3.0
"""A limit that does not exist counts as this many reaches away when lines and areas are joined."""

NAME_WIDTH = 0.2
"""Share of the plot's width that a region must offer to be named."""


class Drawn(NamedTuple):
    """Datasets of the map: one base rectangle, patches on it, the kept area, and its two limits."""

    base: Rows
    patches: Rows
    kept: Rows
    limits: Rows


def whole(reach: float, heights: tuple[float, float], tone: str | None) -> Drawn:
    """Draw a map without limits: one fill, or nothing at all."""
    none = np.empty(0)
    nothing = Rows(x=none, x2=none, y=none, y2=none, tone=none)
    base = _base(reach, heights, tone) if tone else nothing
    return Drawn(base, nothing, Rows(x=none, x2=none, y=none), line_rows({}))


def drawn(found: LimitMap, reach: float, heights: tuple[float, float], *, exact: bool) -> Drawn:
    """Turn a map into shapes.

    **Arguments:**

    - `found`: limits and regions; a single lane is drawn over the full height.
    - `reach`: half-width of the ϱ axis.
    - `heights`: lowest and highest angle drawn.
    - `exact`: verdicts are exact, so that an undecided point only marks a limit it lies on.
    """
    beyond = found.region[found.region != KEPT]
    common = CHANGED if (beyond == CHANGED).sum() >= (beyond == UNDECIDED).sum() else UNDECIDED
    other = UNDECIDED + CHANGED - common
    negative, positive = (_finer(side, reach) for side in (found.negative, found.positive))
    angles = np.linspace(*heights, len(negative))
    kept = Rows(x=negative.clip(-reach, reach), x2=positive.clip(-reach, reach), y=angles)
    return Drawn(
        base=_base(reach, heights, FILLS[common]),
        patches=_patches(found, other, heights, hidden=exact and other == UNDECIDED),
        kept=kept,
        limits=_limits({"negative": negative, "positive": positive}, reach, heights),
    )


def _base(reach: float, heights: tuple[float, float], tone: str) -> Rows:
    return Rows(x=[-reach], x2=[reach], y=[heights[0]], y2=[heights[1]], tone=[tone])


def _finer(side: np.ndarray, reach: float) -> np.ndarray:
    """Interpolate a limit between the lanes; one lane becomes a straight line."""
    near = np.clip(side, -FAR * reach, FAR * reach)
    lanes = np.arange(len(near))
    return np.interp(np.linspace(0, max(len(near) - 1, 1), max(FINER * (len(near) - 1), 1) + 1), lanes, near)


def _limits(sides: dict[str, np.ndarray], reach: float, heights: tuple[float, float]) -> Rows:
    rows = {}
    for name, side in sides.items():
        line = visible(side, Frame(len(side) - 1, -reach, reach))
        angle = heights[0] + line.x / (len(side) - 1) * (heights[1] - heights[0])
        rows[name] = ("ink", line._replace(x=line.y, y=angle))
    return line_rows(rows)


def _patches(found: LimitMap, kind: int, heights: tuple[float, float], *, hidden: bool) -> Rows:
    """One rectangle for each run of equal verdicts in each lane."""
    grid, lanes = found.amplitude, len(found.region)
    half = (grid[1] - grid[0]) / 2
    between = np.linspace(*heights, 2 * lanes - 1)[1::2] if lanes > 1 else np.empty(0)
    edges = np.concatenate([heights[:1], between, heights[1:]])
    rows = [
        (max(grid[start] - half, grid[0]), min(grid[stop - 1] + half, grid[-1]), edges[lane], edges[lane + 1])
        for lane, verdicts in enumerate(found.region)
        for start, stop in runs((verdicts == kind) & (not hidden))
    ]
    columns = np.array(rows, dtype=float).reshape(-1, 4).T
    box = dict(zip(("x", "x2", "y", "y2"), columns, strict=True))
    return Rows(**box, tone=FILLS[kind])


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Find the stretches of True: pairs start, stop."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(start), int(stop)) for start, stop in zip(steps[::2], steps[1::2], strict=True)]


def name_places(
    found: LimitMap, heights: tuple[float, float], avoid: float
) -> list[tuple[float, float] | None]:
    """Choose where to write the names of the regions kept, undecided and changed.

    The middle of the longest run, away from the frame and from the height to avoid; None where no
    run is long enough.
    """
    lanes = len(found.region)
    spacing = (heights[1] - heights[0]) / 12
    centres = (
        np.linspace(*heights, lanes)
        if lanes > 1
        else np.array([heights[0] + 0.8 * (heights[1] - heights[0])])
    )
    open_lanes = [
        lane
        for lane, height in enumerate(centres)
        if heights[0] + spacing <= height <= heights[1] - spacing and abs(height - avoid) > 1.5 * spacing
    ]
    return [_place(found, kind, open_lanes, centres) for kind in (KEPT, UNDECIDED, CHANGED)]


def _place(found: LimitMap, kind: int, lanes: list[int], centres: np.ndarray) -> tuple[float, float] | None:
    best, longest = None, math.ceil(NAME_WIDTH * len(found.amplitude)) - 1
    for lane in lanes:
        for start, stop in runs(found.region[lane] == kind):
            if stop - start > longest:
                middle = (found.amplitude[start] + found.amplitude[stop - 1]) / 2
                best, longest = (float(middle), float(centres[lane])), stop - start
    return best
