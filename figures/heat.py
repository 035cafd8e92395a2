"""Heat maps as vector shapes: classes of a logarithm in colours that are even to the eye, without seams."""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import altair as alt
import numpy as np

from figures.mark import Axes, named
from figures.theme import PALETTES, Palette

STOPS = ("#ADDC30", "#5EC962", "#28AE80", "#21918C", "#2C728E", "#3B528B", "#472D7B")
"""Viridis without its ends, light to dark: equal steps look equal, and none looks like either ground."""

MOST_CLASSES = 32


class Classes(NamedTuple):
    """Equal classes of a base-ten logarithm.

    **Fields:**

    - `floor`, `top`: whole decades; what lies beyond belongs to the last class.
    """

    floor: int
    top: int

    @property
    def number(self) -> int:
        """Half a decade each, or coarser."""
        return min(2 * (self.top - self.floor), MOST_CLASSES)

    @property
    def edges(self) -> np.ndarray:
        """Logarithms at which a class ends, lowest first, both ends of the scale among them."""
        return np.linspace(self.floor, self.top, self.number + 1)

    def of(self, log10: np.ndarray) -> np.ndarray:
        """Number the class of every value from 0; infinities are in the first and the last."""
        return np.clip(np.digitize(log10, self.edges) - 1, 0, self.number - 1)

    def share(self, number: int) -> float:
        """Place a class on the colour scale, 0 to 1."""
        return number / (self.number - 1)


def classes(log10: np.ndarray, floor: int) -> Classes:
    """Choose classes that hold every finite value not below a floor, in whole decades."""
    finite = log10[np.isfinite(log10)]
    lowest = max(math.floor(finite.min(initial=math.inf)), floor) if len(finite) else floor
    return Classes(lowest, max(math.ceil(finite.max(initial=-math.inf)), lowest + 1) if len(finite) else 0)


def runs(numbers: np.ndarray) -> list[tuple[int, int]]:
    """Find the stretches of equal numbers: pairs start, stop."""
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    return list(pairwise(cuts))


def boxes(name: str, axes: Axes, palette: Palette, **titles: str) -> alt.Chart:
    """Draw rectangles, columns `x`, `x2`, `y`, `y2`, in the colour of their `share`.

    Each has a rim of its own colour, so that no ground shows between two of them. The columns named in
    `titles` are told when one is pointed at.
    """
    scale = _scale(palette)
    tips: Any = [alt.Tooltip(f"{column}:N", title=title) for column, title in titles.items()]
    chart = named(name).mark_rect(strokeWidth=1)
    return chart.encode(
        axes.x,
        axes.y,
        alt.X2("x2"),
        alt.Y2("y2"),
        fill=alt.Fill("share:Q", scale=scale, legend=None),
        stroke=alt.Stroke("share:Q", scale=scale, legend=None),
        **({"tooltip": tips} if tips else {}),
    )


def _scale(palette: Palette) -> alt.Scale:
    """Scale from shares to colours: the most is always what differs most from the ground."""
    stops = STOPS if palette == PALETTES["light"] else STOPS[::-1]
    return alt.Scale(domain=np.linspace(0, 1, len(stops)).tolist(), range=list(stops), interpolate="lab")
