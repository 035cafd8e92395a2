"""The axis of growth factors: base-two logarithms, symmetric about 1, cut at a reach."""

import altair as alt
import numpy as np

from figures.interval import REACHES

THINNEST = 0.004
"""Half-width of the thinnest band drawn, as a share of the axis."""


def growth_axis(title: str, ticks: str, *, flush: bool = False) -> alt.Axis:
    """Axis of base-two logarithms, labelled by the growth factors themselves.

    **Arguments:**

    - `title`: what grows, and per what.
    - `ticks`: a Vega expression for the number of ticks.
    - `flush`: keep the outermost labels inside the plot.
    """
    decimal = "abs(2 * datum.value - round(2 * datum.value)) < 1e-6 ? '.2~r' : '.3~r'"
    return alt.Axis(
        title=title,
        labelFlush=flush,
        labelExpr=f"format(pow(2, datum.value), {decimal})",
        tickCount=alt.expr(f"max(3, {ticks})"),
    )


def reach(*growths: np.ndarray) -> float:
    """Choose the smallest reach, in doublings per layer, that shows all growth factors, or the largest."""
    values = np.concatenate([np.ravel(growth) for growth in growths])
    values = values[np.isfinite(values) & (values > 0)]
    needed = float(np.abs(np.log2(values)).max(initial=0.0)) * 1.04
    return next((reach for reach in REACHES if reach >= needed), REACHES[-1])


def places(growths: np.ndarray, reach: float) -> np.ndarray:
    """Places of growth factors on the axis; zero and whatever is off it stands at the frame."""
    with np.errstate(divide="ignore"):
        return np.clip(np.log2(growths), -reach, reach)


def thickened(lower: np.ndarray, upper: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Widen bands, given by their places, to the thinnest that can be seen."""
    widen = np.maximum(THINNEST * 2 * reach - (upper - lower) / 2, 0.0)
    lower, upper = lower - widen, upper + widen
    shift = np.maximum(-reach - lower, 0.0) + np.minimum(reach - upper, 0.0)
    return lower + shift, upper + shift


def tone(lower: float, upper: float) -> str:
    """Name the colour of an interval: decaying, persistent, or marginal when it contains 1."""
    if upper < 1:
        return "decaying"
    return "persistent" if lower > 1 else "marginal"
