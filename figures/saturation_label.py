"""Words on the saturation panel, placed where the curves leave room."""

import math

import numpy as np

from engine.saturation import Depth
from figures.curve import Frame
from figures.label import Label
from figures.number import from_log10, layers, short_power

LEAST_RISE = 0.1
"""Decades above its start from which a curve has a peak."""


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


def bound_words(bound: int | None, frame: Frame) -> str:
    """Name the paper's bound with its value; nothing without one."""
    if bound is None:
        return ""
    return f"paper bound, C′ = 1: {bound}{' (off scale)' if bound > frame.depth else ''}"
