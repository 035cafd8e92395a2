"""The complex plane with its unit circle, inside which a multiplier is stable."""

import math

import altair as alt
import numpy as np

from figures.mark import Axes
from figures.rows import Rows

CIRCLE_POINTS = 145


class Plane(Axes):
    """Axes of the complex plane: one unit is as long across as it is upright."""

    def __init__(self) -> None:
        across = alt.Axis(
            title="real part, per layer (stable inside the unit circle)",
            grid=False,
            tickCount=alt.expr("max(3, width / 70)"),
        )
        upright = alt.Axis(title="imaginary part", grid=False, tickCount=alt.expr("max(2, height / 45)"))
        super().__init__(across, upright)
        half = "(length(data('dom')) > 1 ? data('dom')[1].y : 1) * max(width / height, 1)"
        self.x = alt.X(
            "x:Q",
            axis=across,
            scale=alt.Scale(domain=[alt.expr(f"-{half}"), alt.expr(half)], nice=False, zero=False),
        )


_TURN = np.linspace(0, 2 * math.pi, CIRCLE_POINTS)
CIRCLE = Rows(
    x=np.cos(_TURN), y=np.sin(_TURN), order=np.arange(float(CIRCLE_POINTS)), part="circle", tone="ink"
)
_HALF = np.linspace(-1, 1, CIRCLE_POINTS)
INSIDE = Rows(x=_HALF, y=np.sqrt(1 - _HALF**2), y2=-np.sqrt(1 - _HALF**2), tone="kept_fill")
