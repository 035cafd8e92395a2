"""The axis of block lengths: powers of two, equally far apart."""

import altair as alt
import numpy as np

TITLE = "tokens per block P"


def length_axis() -> alt.Axis:
    """Axis of base-two logarithms, labelled by the lengths themselves."""
    ticks = alt.expr("min(max(2, width / 40), span(domain('x')))")
    return alt.Axis(title=TITLE, grid=False, labelExpr="format(pow(2, datum.value), 'd')", tickCount=ticks)


def place(lengths: np.ndarray) -> np.ndarray:
    """Return where block lengths stand."""
    return np.log2(lengths)


def ends(lengths: np.ndarray) -> tuple[float, float]:
    """Return how far the axis reaches: from 1 token to the longest block, and to 2 at least."""
    return 0.0, float(max(place(lengths).max(), 1.0))
