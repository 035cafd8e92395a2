"""Words on the saturation panel, placed where the curves leave room."""

import math

import numpy as np

from engine.saturation import Depth
from figures.curve import Frame, Polyline
from figures.label import Label
from figures.number import from_log10, layers, short_power

NARROW_PLOT = 270
"""Width in pixels of the plot on a phone, where labels still need room."""

EARLY, MIDDLE, LATE = 0.3, 0.45, 0.7
"""Shares of a line's visible length at which its name may stand."""

LEAST_RISE = 0.1
"""Decades above its start from which a curve has a peak."""

CLOSE = 0.15
"""Two lines nearer than this share of the plot's height are named at different lengths."""


def depth_labels(measured: Depth, tolerance: float, frame: Frame) -> list[Label]:
    """Label the tolerance and the depth on sides where neither covers the other."""
    level, words = math.log10(tolerance), f"tolerance {short_power(tolerance)}"
    if measured.depth is None:
        tag = f"not reached within {layers(frame.depth)} ▸"
        return [
            Label(0, level, words, "muted", dx=5, dy=9),
            Label(frame.depth, (level + frame.floor) / 2, tag, align="right", dx=-4, dy=4, bold=True),
        ]
    late = frame.across(measured.depth) >= 0.6
    text, tone = f"τ = {measured.depth}", "ink"
    if measured.status == "trivial":
        text, tone = "τ = 0 (trivial: tolerance above the start)", "muted"
    side = ("right", -6.0) if frame.across(measured.depth) > 0.16 else ("left", 6.0)
    depth = Label(measured.depth, (level + frame.floor) / 2, text, tone, *side, dy=4, bold=True)
    if late:
        return [Label(0, level, words, "muted", dx=5, dy=9), depth]
    return [Label(frame.depth, level, words, "muted", "right", dx=-4, dy=-9), depth]


def peak_label(log10: np.ndarray, frame: Frame) -> list[Label]:
    """Name the largest size of the differences, if they grow before they wash out."""
    finite = np.where(np.isfinite(log10), log10, -math.inf)
    peak = int(np.argmax(finite))
    if finite[peak] < log10[0] + LEAST_RISE or not frame.floor <= finite[peak] <= frame.top:
        return []
    side = "left" if frame.across(peak) < 0.5 else "right"
    text = f"peak {from_log10(float(finite[peak]))}"
    return [Label(peak, float(finite[peak]), text, "muted", side, dx=6 if side == "left" else -6, dy=-9)]


def bound_label(line: Polyline, bound: int | None, frame: Frame, measured: Polyline) -> list[Label]:
    """Name the paper's bound with its value, away from the measured curve's name.

    In the corner when the line lies above the plot.
    """
    if bound is None:
        return []
    words = f"paper bound, C′ = 1: {bound}{' (off scale)' if bound > frame.depth else ''}"
    corner = Label(frame.depth, frame.top, words, "paper", "right", dx=-4, dy=8)
    here, other = line.at(EARLY), measured.at(EARLY)
    close = here and other and abs(here[1] - other[1]) < CLOSE * (frame.top - frame.floor)
    return beside(line, words, "paper", frame, above=True, share=LATE if close else EARLY) or [corner]


def beside(
    line: Polyline, text: str, tone: str, frame: Frame, *, above: bool, share: float | None = None
) -> list[Label]:
    """Name a line on its upper or lower side, where its slope leaves room; nothing when it is invisible."""
    share = share or (EARLY if above else MIDDLE)
    point, start, end = line.at(share), line.at(0), line.at(1)
    if point is None or start is None or end is None:
        return []
    to_the_right = (end[1] < start[1]) == above
    room = 1 - frame.across(point[0]) if to_the_right else frame.across(point[0])
    if room < min((14 + 6 * len(text)) / NARROW_PLOT, 0.5):
        to_the_right = not to_the_right
    minor = text == "relative"
    if to_the_right:
        return [Label(*point, text, tone, "left", dx=7, dy=-8 if above else 9, minor=minor)]
    return [Label(*point, text, tone, "right", dx=-7, dy=-8 if above else 9, minor=minor)]
