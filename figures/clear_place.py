"""A place for a curve's name where no line and no other word is, on a phone and on a laptop."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from figures.curve import Frame, Polyline
from figures.label import Align, Label, ends

PLOTS = np.array([[270.0, 235.0], [430.0, 120.0], [480.0, 235.0]])
"""Width and height of a plot on a phone, on a small laptop and on a larger one, px."""

LINE = 15.0
"""Height of a line of words, px."""

BESIDE, ABOVE = 7.0, 10.0
"""Distance of a name from its point, px: sideways, and up or down."""

PLACES = 41
"""Points of a curve at which its name is tried."""

STEP = 4.0
"""Distance of the points by which a line is felt, px."""

NEAR = 9.0
"""Distance around a name within which another line could be taken for the one it names, px."""

COVER, MISTAKEN, WORD, EDGE, AWAY = 3.0, 1.0, 60.0, 1000.0, 8.0
"""Costs: of a covered point, of one of another line nearby, of another word there, of leaving the plot, and
of the whole way along the curve."""

RING = "○○"
"""A word as large as the ring that marks the scenario's own point."""

_OUTWARDS = np.array([-1.0, 1.0, -1.0, 1.0])
"""Directions in which a box grows: left, right, up, down."""

_ACROSS: tuple[tuple[Align, float], ...] = (("left", BESIDE), ("right", -BESIDE), ("center", 0.0))
_SHIFTS: list[tuple[Align, float, float]] = [
    (align, dx, dy) for dy in (-ABOVE, ABOVE) for align, dx in _ACROSS
]


class Bounds(NamedTuple):
    """Ends of both axes, data units."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def of(cls, frame: Frame) -> "Bounds":
        """Return the ends of a plot over layers."""
        return cls(0.0, frame.depth, frame.floor, frame.top)


class Name(NamedTuple):
    """A curve's name: words, colour name, the curve, and the share of its length it would best stand at."""

    text: str
    tone: str
    curve: Polyline
    share: float = 0.5
    bold: bool = False
    minor: bool = False


def clear_places(
    names: Sequence[Name], lines: Sequence[Polyline], bounds: Bounds, written: Sequence[Label] = ()
) -> list[Label]:
    """Set each name beside its curve where it covers least; a curve that is not visible gets none.

    **Arguments:**

    - `names`: what to write, the most important first.
    - `lines`: everything drawn that a name should not cover, the named curves too.
    - `bounds`: the plot's axes.
    - `written`: words that stand already.

    **Returns:** a label for every name whose curve is visible, in order.
    """
    felt = [[_felt(_scaled(line, bounds, plot)) for line in lines] for plot in PLOTS]
    boxes = [[_box(label, bounds, plot) for label in written] for plot in PLOTS]
    placed = []
    for name in names:
        tried = _tried(name)
        if not tried:
            continue
        cost = np.array([away for _, away in tried]) * AWAY
        for plot, points, taken in zip(PLOTS, felt, boxes, strict=True):
            own = np.array([_box(label, bounds, plot) for label, _ in tried])
            others = [near for near, line in zip(points, lines, strict=True) if line is not name.curve]
            cost += COVER * _covered(own, points) + MISTAKEN * _covered(own + NEAR * _OUTWARDS, others)
            cost += WORD * _overlaps(own, np.reshape(taken, (-1, 4))) + EDGE * _outside(own, plot)
        best = tried[int(np.argmin(cost))][0]
        placed.append(best)
        for plot, taken in zip(PLOTS, boxes, strict=True):
            taken.append(_box(best, bounds, plot))
    return placed


def _tried(name: Name) -> list[tuple[Label, float]]:
    """Every place of a name, with the share of its curve it lies from the wanted one."""
    last = len(name.curve.x) - 1
    if last < 0:
        return []
    points = np.unique(np.linspace(0, last, min(PLACES, last + 1)).round().astype(int))
    return [
        (
            Label(
                float(name.curve.x[index]),
                float(name.curve.y[index]),
                name.text,
                name.tone,
                align,
                dx=dx,
                dy=dy,
                bold=name.bold,
                minor=name.minor,
            ),
            abs(index / max(last, 1) - name.share),
        )
        for index in points
        for align, dx, dy in _SHIFTS
    ]


def _scaled(line: Polyline, bounds: Bounds, plot: np.ndarray) -> Polyline:
    """Turn a line into pixels from the plot's upper left corner."""
    x = (line.x - bounds.left) / (bounds.right - bounds.left) * plot[0]
    y = (bounds.top - line.y) / (bounds.top - bounds.bottom) * plot[1]
    return Polyline(x, y, line.part)


def _felt(line: Polyline) -> np.ndarray:
    """Lay points along a line, `STEP` pixels apart: two columns."""
    joined = np.flatnonzero(np.diff(line.part) == 0)
    ends = np.stack([line.x, line.y], axis=1)
    start, way = ends[joined], ends[joined + 1] - ends[joined]
    counts = np.ceil(np.hypot(*way.T) / STEP).astype(int) + 1
    segment = np.repeat(np.arange(len(joined)), counts)
    share = (np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[segment]
    return start[segment] + share[:, None] * way[segment]


def _box(label: Label, bounds: Bounds, plot: np.ndarray) -> tuple[float, float, float, float]:
    """Left, right, upper and lower end of a word, px."""
    x = (label.x - bounds.left) / (bounds.right - bounds.left) * plot[0]
    y = (bounds.top - label.y) / (bounds.top - bounds.bottom) * plot[1] + label.dy
    return *ends(label, float(x)), y - LINE / 2, y + LINE / 2


def _covered(boxes: np.ndarray, lines: list[np.ndarray]) -> np.ndarray:
    """How many points of all lines lie in each box."""
    left, right, upper, lower = boxes.T[:, :, None]
    x, y = np.concatenate([np.empty((0, 2)), *lines]).T
    return ((x > left) & (x < right) & (y > upper) & (y < lower)).sum(axis=1).astype(float)


def _overlaps(boxes: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """How many other words each box touches."""
    left, right, upper, lower = boxes.T[:, :, None]
    others = taken.T
    apart = (others[0] > right) | (others[1] < left) | (others[2] > lower) | (others[3] < upper)
    return (~apart).sum(axis=1).astype(float)


def _outside(boxes: np.ndarray, plot: np.ndarray) -> np.ndarray:
    """Whether a box leaves the plot."""
    left, right, upper, lower = boxes.T
    return ((left < 0) | (right > plot[0]) | (upper < 0) | (lower > plot[1])).astype(float)


def upright(place: float, bounds: Bounds) -> Polyline:
    """Line across the whole height of a plot."""
    return Polyline.joined(np.full(2, place), np.array([bounds.bottom, bounds.top]))


def level(height: float, bounds: Bounds) -> Polyline:
    """Line across the whole width of a plot."""
    return Polyline.joined(np.array([bounds.left, bounds.right]), np.full(2, height))
