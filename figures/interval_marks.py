"""Spectral intervals as shapes: bars, whiskers, the gap, the ticks of single layers, and their labels."""

import math

import numpy as np

from figures import interval
from figures.interval import BOTTOM, FOOTER, TOP, Interval, Layout
from figures.label import Label
from figures.number import rate, typed
from figures.rows import Rows

MOST_LABELS = 12
"""More rows than these are drawn without guide lines and labels, but for an interval that contains 1."""


def rows(intervals: list[Interval]) -> Rows:
    """Guide lines of the rows."""
    drawn = intervals if len(intervals) <= MOST_LABELS else []
    return Rows(y=interval.middles(drawn))


def bars(loop: str, intervals: list[Interval], place: Layout) -> Rows:
    """Place the bars of one loop; closed ones, shifted down, are thinner."""
    half, shift, thinnest = 0.5 * place.height, 0.0, interval.THINNEST
    if loop == "closed":
        half, shift, thinnest = 0.32 * place.height, place.shift, interval.THINNEST_OUTLINE
    middle = interval.middles(intervals) + shift
    ends = np.array([interval.bar(entry, place, thinnest) for entry in intervals]).reshape(-1, 2)
    return Rows(
        x=ends[:, 0],
        x2=ends[:, 1],
        y=middle - half,
        y2=middle + half,
        tone=np.array([entry.tone for entry in intervals], dtype=object),
        loop=loop,
        edges=np.array([f"{rate(e.lower)} to {rate(e.upper)}" for e in intervals], dtype=object),
        multiplicity=np.array([str(entry.multiplicity) for entry in intervals], dtype=object),
    )


def gap(edges: tuple[float, float] | None, place: Layout) -> Rows:
    """Band around 1 in which no growth factor lies."""
    ends = [] if edges is None else [place.across(edge) for edge in edges]
    left, right = np.array(ends[:1]), np.array(ends[1:])
    return Rows(x=left, x2=right, y=TOP, y2=BOTTOM)


TICK_PLACES = 150
"""Places for ticks on each side of 1; radii nearer than a place share one."""


def ticks(radii: np.ndarray, place: Layout) -> Rows:
    """Short uprights at the radii of single layers; those outside the axis are left out."""
    found = radii.ravel()
    found = np.log2(found[found > 0])
    found = found[np.abs(found) <= place.reach]
    step = place.reach / TICK_PLACES
    found = np.unique(np.round(found / step)) * step
    return Rows(x=found, x2=found, y=FOOTER - 0.035, y2=FOOTER + 0.025, tone="muted")


def whiskers(intervals: list[Interval], place: Layout) -> Rows:
    """Lines to the edges at H/2, each with a cap."""
    strokes = []
    cap = place.height * 0.36
    for entry, middle in zip(intervals, interval.middles(intervals), strict=True):
        if not math.isfinite(entry.whisker_lower) or not math.isfinite(entry.whisker_upper):
            continue
        left, right = place.across(entry.whisker_lower), place.across(entry.whisker_upper)
        strokes.append((left, right, middle, middle, entry.tone))
        strokes += [(end, end, middle - cap, middle + cap, entry.tone) for end in (left, right)]
    columns = zip(*strokes, strict=True) if strokes else ((),) * 5
    kinds = (float, float, float, float, object)
    names = ("x", "x2", "y", "y2", "tone")
    return Rows(
        **{name: np.array(c, dtype=kind) for name, c, kind in zip(names, columns, kinds, strict=True)}
    )


def open_labels(intervals: list[Interval], place: Layout) -> list[Label]:
    """Label the open-loop bars with their edges."""
    few = len(intervals) <= MOST_LABELS
    return [
        interval.label(entry, middle, place)
        for entry, middle in zip(intervals, interval.middles(intervals), strict=True)
        if few or entry.tone == "marginal"
    ]


def closed_label(
    closed: list[Interval], opened: list[Interval], amplitude: float, place: Layout
) -> list[Label]:
    """Name the outlined bars once: beside the one that stands best under an open-loop bar."""
    if not closed:
        return []
    heights = interval.middles(closed)
    distances = np.abs(heights[:, None] - interval.middles(opened)).min(axis=1)
    chosen = int(np.argmin(distances.round(6)))
    left, right = interval.bar(closed[chosen], place, interval.THINNEST_OUTLINE)
    text, tone = f"closed at ϱ = {typed(amplitude)}", closed[chosen].tone
    height = float(heights[chosen]) + place.shift
    if right + (6 * len(text) + 14) / interval.NARROW_PLOT * 2 * place.reach <= place.reach:
        return [Label(right, height, text, tone, "left", dx=6)]
    return [Label(left, height, text, tone, "right", dx=-6)]
