"""Few measured points on two logarithmic axes: lines through them, their names, and remarks."""

import math
from typing import NamedTuple

import numpy as np

from figures.label import Label, spread
from figures.number import from_log10
from figures.rows import Rows

NAME_GAP = 0.075
"""Least distance of two names at the right end, as a share of the plot's height."""

LINE_HEIGHT = 16
"""Pixels between two remarks."""

REMARK_ROOM = 0.075
"""Share of the plot's height that a remark takes on a small plot."""


class Plot(NamedTuple):
    """How far the axes reach, in base-ten logarithms."""

    left: float
    right: float
    floor: float
    top: float

    @property
    def rows(self) -> Rows:
        """Rows of the invisible layer that sets both domains."""
        return Rows(x=[self.left, self.right], y=[self.floor, self.top])

    @property
    def height(self) -> float:
        """Decades from floor to top."""
        return self.top - self.floor

    def with_room(self, remarks: list[str]) -> "Plot":
        """Raise the top so that remarks stand above the lines."""
        share = REMARK_ROOM * len(remarks)
        return self._replace(top=self.floor + self.height / (1 - share))


class Line(NamedTuple):
    """Measured points of one quantity, base-ten logarithms; −inf and NaN are not drawn."""

    name: str
    tone: str
    x: np.ndarray
    y: np.ndarray

    @property
    def shown(self) -> np.ndarray:
        """Which points are drawn."""
        return np.isfinite(self.y)


def log10(values: np.ndarray) -> np.ndarray:
    """Base-ten logarithm; −inf for zero, NaN stays."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(values)


def around(x: np.ndarray, lines: list[Line], least: float = 1.0) -> Plot:
    """Choose axes that hold every finite point, in whole decades upwards."""
    found = np.concatenate([np.empty(0), *(line.y[line.shown] for line in lines)])
    floor = math.floor(found.min(initial=math.inf)) if len(found) else -8.0
    top = max(math.ceil(found.max(initial=-math.inf)), floor + least) if len(found) else 0.0
    return Plot(float(x.min()), float(x.max()), floor, top)


def line_rows(lines: list[Line]) -> Rows:
    """Join the points of each line: columns x, y, order, part, tone."""
    chosen = [line.shown for line in lines]
    parts = [
        [f"{line.name}.{part}" for part in np.cumsum(~shown)[shown]]
        for line, shown in zip(lines, chosen, strict=True)
    ]
    return Rows(
        **_points(lines),
        order=np.arange(sum(shown.sum() for shown in chosen), dtype=float),
        part=np.array([name for names in parts for name in names], dtype=object),
        tone=np.array([line.tone for line in lines for _ in range(line.shown.sum())], dtype=object),
    )


def dot_rows(lines: list[Line]) -> Rows:
    """Return every point with its colour and what it tells: columns x, y, tone, curve, cause, size."""
    points = _points(lines)
    return Rows(
        **points,
        tone=np.array([line.tone for line in lines for _ in range(line.shown.sum())], dtype=object),
        curve=np.array([line.name for line in lines for _ in range(line.shown.sum())], dtype=object),
        cause=np.array([from_log10(value) for value in points["x"]], dtype=object),
        size=np.array([from_log10(value) for value in points["y"]], dtype=object),
    )


def end_names(ends: list[Label], plot: Plot) -> list[Label]:
    """Set names beside the right ends of their lines, apart from each other."""
    places = spread(np.array([end.y for end in ends]), NAME_GAP * plot.height, plot.floor, plot.top)
    return [end._replace(y=float(place), dx=8) for end, place in zip(ends, places, strict=True)]


def remarks(texts: list[str], plot: Plot) -> list[Label]:
    """Write remarks under each other in the upper left corner."""
    return [
        Label(plot.left, plot.top, text, "muted", dx=6, dy=9 + LINE_HEIGHT * row)
        for row, text in enumerate(texts)
    ]


def message(text: str, plot: Plot) -> Label:
    """Say in the middle why there is nothing to draw."""
    middle = (plot.left + plot.right) / 2, (plot.floor + plot.top) / 2
    return Label(*middle, text, "muted", "center")


def _points(lines: list[Line]) -> dict[str, np.ndarray]:
    nothing = np.empty(0)
    return {
        "x": np.concatenate([nothing, *(line.x[line.shown] for line in lines)]),
        "y": np.concatenate([nothing, *(line.y[line.shown] for line in lines)]),
    }
