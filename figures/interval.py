"""Geometry of spectral intervals: where bars, whiskers and their labels stand on the growth axis.

Across: the base-two logarithm of the growth factor, cut at ±reach. Down: 0 to 1 over the directions,
the fastest on top; an interval stands in the middle of the directions it counts.
"""

import math
from typing import NamedTuple

import numpy as np

from figures.label import Label
from figures.number import between, rate
from figures.rows import Rows

HEADER, FOOTER = -0.16, 1.17
"""Heights of the line of words above the rows and of the ticks below them."""

TOP, BOTTOM = HEADER - 0.07, FOOTER + 0.07
"""Ends of the plot."""

REACHES = (0.5, 1.0, 2.5, 4.0, 6.0)
"""Half-widths the axis may take, in doublings per layer."""

THINNEST = 0.0025
"""Half-width of the thinnest bar drawn, as a share of the axis."""

THINNEST_OUTLINE = 0.0065
"""The same for an outlined bar, which needs room for its inside."""

POINT_WIDTH = 1e-6
"""Relative width below which an interval is called a point."""

BESIDE_FROM = 6
"""From this many rows on, labels stand beside the bars instead of above them."""

NARROW_PLOT = 270
"""Width in pixels of the plot on a phone, where labels still need room."""


class Interval(NamedTuple):
    """One spectral interval, growth factors per layer; whiskers are NaN when it is exact."""

    lower: float
    upper: float
    multiplicity: int
    whisker_lower: float
    whisker_upper: float

    @property
    def tone(self) -> str:
        """Colour: decaying, persistent, or marginal when the interval contains 1."""
        if self.upper < 1:
            return "decaying"
        return "persistent" if self.lower > 1 else "marginal"


def read(rows: Rows, loop: str) -> list[Interval]:
    """Take the intervals of one loop."""
    columns = [rows[name][rows["loop"] == loop] for name in Interval._fields]
    return [
        Interval(float(low), float(high), int(times), float(left), float(right))
        for low, high, times, left, right in zip(*columns, strict=True)
    ]


class Layout(NamedTuple):
    """Reach of the axis (doublings per layer) and number of rows."""

    reach: float
    rows: int

    @property
    def height(self) -> float:
        """Height of an open-loop bar, as a share of all rows."""
        return min((0.26 if self.rows < BESIDE_FROM else 0.42) / self.rows, 0.055)

    @property
    def shift(self) -> float:
        """How far below its open-loop bar a closed-loop bar stands."""
        return 0.75 * self.height + min(0.14 / self.rows, 0.028)

    def across(self, growth: float) -> float:
        """Place of a growth factor on the axis, cut at the frame."""
        if growth <= 0:
            return -self.reach
        return min(max(math.log2(growth), -self.reach), self.reach)


def layout(intervals: list[Interval], radii: np.ndarray, rows: int) -> Layout:
    """Choose the smallest reach that shows every edge, or the largest there is."""
    edges = np.concatenate([radii.ravel(), np.array([(*i[:2], *i[3:]) for i in intervals]).ravel()])
    edges = edges[np.isfinite(edges) & (edges > 0)]
    needed = float(np.abs(np.log2(edges)).max(initial=0.0)) * 1.04
    return Layout(next((reach for reach in REACHES if reach >= needed), REACHES[-1]), rows)


def middles(intervals: list[Interval]) -> np.ndarray:
    """Heights of intervals, largest growth first, from the directions each counts."""
    counts = np.array([interval.multiplicity for interval in intervals], dtype=float)
    return (np.cumsum(counts) - counts / 2) / max(counts.sum(), 1)


def bar(interval: Interval, place: Layout, thinnest: float = THINNEST) -> tuple[float, float]:
    """Ends of a bar on the axis, never thinner than a tick."""
    left, right = place.across(interval.lower), place.across(interval.upper)
    widen = max(thinnest * 2 * place.reach - (right - left) / 2, 0.0)
    left, right = left - widen, right + widen
    shift = max(-place.reach - left, 0.0) + min(place.reach - right, 0.0)
    return left + shift, right + shift


def words(interval: Interval, place: Layout) -> str:
    """Write an interval: its edges, or one number for a point, and how many directions it counts."""
    lower, upper, multiplicity = interval[:3]
    times = f" (×{multiplicity})" if multiplicity > 1 else ""
    if upper == 0:
        return f"◂ 0{times}"
    if lower == 0:
        return f"◂ 0 to {rate(upper)}{times} (singular layer)"
    ahead = "◂ " if lower < 2.0**-place.reach else ""
    behind = " ▸" if upper > 2.0**place.reach else ""
    point = upper - lower <= POINT_WIDTH * upper
    text = f"{rate(upper)} (point)" if point else between(lower, upper)
    if point and multiplicity > 1:
        text, times = f"{rate(upper)} (point, ×{multiplicity})", ""
    return f"{ahead}{text}{times}{', contains 1' if lower <= 1 <= upper else ''}{behind}"


def label(interval: Interval, middle: float, place: Layout) -> Label:
    """Place an interval's label: above its bar, or beside it where rows are many."""
    left, right = bar(interval, place)
    text, tone = words(interval, place), interval.tone
    room = (6 * len(text) + 8) / NARROW_PLOT * 2 * place.reach
    if place.rows < BESIDE_FROM:
        height = middle - place.height / 2
        if (left > 0 and left + room <= place.reach) or right - room < -place.reach:
            return Label(left, height, text, tone, "left", dy=-9)
        return Label(right, height, text, tone, "right", dy=-9)
    if math.isfinite(interval.whisker_lower):
        left = min(left, place.across(interval.whisker_lower))
        right = max(right, place.across(interval.whisker_upper))
    if left - room < -place.reach or (left > 0 and right + room <= place.reach):
        return Label(right, middle, text, tone, "left", dx=6)
    return Label(left, middle, text, tone, "right", dx=-6)
