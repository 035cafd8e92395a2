"""The frame of the displacement figure: high enough for the response, not for the pole a limit may be."""

import math
from typing import NamedTuple

import numpy as np

from figures.curve import Polyline
from figures.rows import Rows
from presets.field import rounded_up

HEADROOM = 1.15

WITHIN, TYPICAL = 0.9, 0.95
"""How far out to the limits the curve counts, and the share of it that must then fit below the top."""

STRETCH = 2.0
"""Most times that height to which the current point may stretch the frame; above, it sits at the top."""


class Limits(NamedTuple):
    """The limits of ϱ of both signs; None where they are not known."""

    negative: float | None
    positive: float | None


def top(
    amplitude: np.ndarray, values: np.ndarray, limits: Limits, linear: float, here: float | None
) -> float:
    """Choose the largest size drawn, state units.

    **Arguments:**

    - `amplitude`, `values`: the curve; NaN where it is lost.
    - `limits`: where it may have a pole.
    - `linear`: what the slope at 0 gives at the certificate, which fits in any case.
    - `here`: the size at the current ϱ; None off the axis, or where it is lost.
    """
    near = values[np.isfinite(values) & _near(amplitude, limits)]
    height = max(float(np.quantile(near, TYPICAL)) if len(near) else 0.0, linear)
    if here is not None and (here <= STRETCH * height or height == 0):
        height = max(height, here)
    return rounded_up(HEADROOM * height) if height > 0 else 1.0


def exits(line: Polyline, height: float, tone: str) -> Rows:
    """Mark where a curve leaves the frame through its top."""
    ends = np.ones(len(line.x), dtype=bool)
    ends[1:-1] = (line.part[1:-1] != line.part[:-2]) | (line.part[1:-1] != line.part[2:])
    leaving = ends & (line.y >= height * (1 - 1e-9))
    return Rows(x=line.x[leaving], y=np.full(int(leaving.sum()), height), tone=tone)


def _near(amplitude: np.ndarray, limits: Limits) -> np.ndarray:
    """Which points of the curve lie between the limits, away from the poles that may stand there."""
    lower = -math.inf if limits.negative is None else WITHIN * limits.negative
    upper = math.inf if limits.positive is None else WITHIN * limits.positive
    if lower >= upper:
        return np.ones(len(amplitude), dtype=bool)
    return (amplitude >= lower) & (amplitude <= upper)
