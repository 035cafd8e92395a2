"""Regions of the gate map as vector shapes: no raster, no hairlines between lanes."""

import math
from typing import NamedTuple

import numpy as np

from engine.gate_map import CHANGED, KEPT, UNDECIDED
from figures.curve import Frame, Polyline, line_rows, visible
from figures.gate_axis import BAND, Heights
from figures.rows import Rows
from presets.limit_map import LimitMap

FILLS = {KEPT: "kept_fill", UNDECIDED: "undecided_fill", CHANGED: "changed_fill"}

FINER = 4
"""Points between two lanes at which the limits are interpolated, so that they meet the frame in place."""

FAR = 3.0
"""A limit that does not exist counts as this many reaches away when lines and areas are joined."""

NAME_WIDTH = 0.2
"""Share of the plot's width that a region must offer to be named."""

TALL = 0.9
"""A lane is named only if it is this high, measured by the lane in the middle of the order of heights."""

MARGIN = 1 / 12
"""Share of the plot's height that stays free of names at the frame."""


class Drawn(NamedTuple):
    """Datasets of the map: base rectangles, patches on them, the kept area, and its two limits."""

    base: Rows
    patches: Rows
    kept: Rows
    limits: Rows


class Box(NamedTuple):
    """A rectangle and its fill."""

    x: float
    x2: float
    y: float
    y2: float
    tone: str


class Lane(NamedTuple):
    """The limits at one value of the second parameter, and its height."""

    height: float
    negative: float
    positive: float


def whole(reach: float, ends: tuple[float, float], tone: str | None) -> Drawn:
    """Draw a map without limits: one fill, or nothing at all."""
    none = np.empty(0)
    nothing = Rows(x=none, x2=none, y=none, y2=none, tone=none)
    base = _boxes([Box(-reach, reach, *ends, tone)]) if tone else nothing
    return Drawn(base, nothing, Rows(x=none, x2=none, y=none), line_rows({}))


def drawn(
    found: LimitMap,
    reach: float,
    heights: Heights,
    current: Lane | None,
    *,
    exact: bool,
    inverse: bool = False,
) -> Drawn:
    """Turn a map into shapes.

    **Arguments:**

    - `found`: limits and regions; a single lane is drawn over the full height.
    - `reach`: half-width of the ϱ axis.
    - `heights`: where the lanes stand.
    - `current`: the limits of the scenario itself, which lines and kept area pass through; None when it is
      off the map.
    - `exact`: verdicts are exact, so that an undecided point only marks a limit it lies on.
    - `inverse`: limits fall like one over the height, and are joined so.
    """
    beyond = found.region[found.region != KEPT]
    common = CHANGED if (beyond == CHANGED).sum() >= (beyond == UNDECIDED).sum() else UNDECIDED
    other = UNDECIDED + CHANGED - common
    patches = [] if exact and other == UNDECIDED else _patches(found, other, heights)
    if heights.joined:
        base = [Box(-reach, reach, heights.lower, heights.upper, FILLS[common])]
        kept, limits = joined(found, reach, heights, current, inverse)
    else:
        base = [Box(-reach, reach, *edges, FILLS[common]) for edges in zip(*heights.edges, strict=True)]
        patches += _kept_boxes(found, reach, heights)
        kept, limits = Rows(x=np.empty(0), x2=np.empty(0), y=np.empty(0)), _strokes(found, reach, heights)
    return Drawn(_boxes(base), _boxes(patches), kept, limits)


def _boxes(boxes: list[Box]) -> Rows:
    columns = zip(*boxes, strict=True) if boxes else ((),) * len(Box._fields)
    kinds = (float, float, float, float, object)
    return Rows(
        **{
            name: np.array(column, dtype=kind)
            for name, column, kind in zip(Box._fields, columns, kinds, strict=True)
        }
    )


def joined(
    found: LimitMap, reach: float, heights: Heights, current: Lane | None, inverse: bool
) -> tuple[Rows, Rows]:
    """Join the limits from lane to lane: the area between them, and the lines where they are in view."""
    lanes = [Lane(*lane) for lane in zip(heights.lanes, found.negative, found.positive, strict=True)]
    if len(lanes) == 1:
        lanes = [lanes[0]._replace(height=end) for end in heights.ends]
    elif current is not None:
        lanes = sorted([*(lane for lane in lanes if lane.height != current.height), current])
    places, negative, positive = (np.array(column) for column in zip(*lanes, strict=True))
    index = np.linspace(0, len(lanes) - 1, FINER * (len(lanes) - 1) + 1)
    places = np.interp(index, np.arange(len(lanes)), places)
    sides = {name: _near(side, index, reach, inverse) for name, side in (("-", negative), ("+", positive))}
    kept = Rows(x=sides["-"].clip(-reach, reach), x2=sides["+"].clip(-reach, reach), y=places)
    lines = {}
    for name, side in sides.items():
        line = visible(side, Frame(len(side) - 1, -reach, reach))
        lines[name] = ("ink", line._replace(x=line.y, y=np.interp(line.x, np.arange(len(places)), places)))
    return kept, line_rows(lines)


def _near(side: np.ndarray, index: np.ndarray, reach: float, inverse: bool) -> np.ndarray:
    """Interpolate a limit, or one over it, between the lanes."""
    far, lanes = FAR * reach, np.arange(len(side))
    if not inverse or not side.all():
        return np.interp(index, lanes, np.clip(side, -far, far))
    shares = np.interp(index, lanes, 1.0 / side)
    return np.sign(side[0]) / np.maximum(np.abs(shares), 1.0 / far)


def _strokes(found: LimitMap, reach: float, heights: Heights) -> Rows:
    """Draw the limits of each lane by themselves, as high as its band."""
    edges = np.stack(heights.edges, axis=1)
    lines = {}
    for name, side in (("-", found.negative), ("+", found.positive)):
        shown = np.flatnonzero(np.abs(side) <= reach)
        x, parts = np.repeat(side[shown], 2), np.repeat(shown + 1, 2)
        lines[name] = ("ink", Polyline(x=x, y=edges[shown].ravel(), part=parts))
    return line_rows(lines)


def _kept_boxes(found: LimitMap, reach: float, heights: Heights) -> list[Box]:
    negative, positive = found.negative.clip(-reach, reach), found.positive.clip(-reach, reach)
    lower, upper = heights.edges
    return [
        Box(float(left), float(right), float(low), float(high), FILLS[KEPT])
        for left, right, low, high in zip(negative, positive, lower, upper, strict=True)
        if left < right
    ]


def _patches(found: LimitMap, kind: int, heights: Heights) -> list[Box]:
    """One rectangle for each run of equal verdicts in each lane."""
    grid = found.amplitude
    half = (grid[1] - grid[0]) / 2
    left, right = np.maximum(grid - half, grid[0]).tolist(), np.minimum(grid + half, grid[-1]).tolist()
    lower, upper = (edge.tolist() for edge in heights.edges)
    return [
        Box(left[start], right[stop - 1], lower[lane], upper[lane], FILLS[kind])
        for lane, verdicts in enumerate(found.region)
        for start, stop in runs(verdicts == kind)
    ]


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Find the stretches of True: pairs start, stop."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(start), int(stop)) for start, stop in zip(steps[::2], steps[1::2], strict=True)]


def name_places(found: LimitMap, heights: Heights, avoid: float) -> list[tuple[float, float] | None]:
    """Choose where to write the names of the regions kept, undecided and changed.

    The middle of the longest run, away from the frame and from the height to avoid; None where no
    run is long enough.
    """
    spacing = MARGIN * (heights.upper - heights.lower)
    centres = heights.lanes
    if len(centres) == 1 and heights.joined:
        centres = np.array([heights.lower + 0.8 * (heights.upper - heights.lower)])
    apart = 1.5 * spacing if heights.joined else BAND
    tall = np.subtract(*heights.edges[::-1])
    open_lanes = [
        lane
        for lane, height in enumerate(centres)
        if heights.lower + spacing <= height <= heights.upper - spacing
        and abs(height - avoid) > apart
        and tall[lane] >= TALL * np.median(tall)
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
