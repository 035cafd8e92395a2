"""Words on the displacement figure: names beside the curves, and what lies beyond the frame."""

import numpy as np

from figures.label import Label
from figures.number import significant, typed

LETTER, NARROW_PLOT = 6.0, 270
"""Width of a letter, and of the plot on a phone, px."""

LOW, HIGH = 0.15, 0.85
"""Shares of the height between which a curve is named, if it is there at all."""

CLEAR = 0.05
"""Share of the height that must lie between two curves where one of them is named."""


def beside(
    reach: float, top: float, values: np.ndarray, other: np.ndarray, text: str, tone: str, share: float
) -> Label:
    """Name a curve over −reach … reach at the point inside the frame that is nearest to a share of the axis.

    Where it can, the name stands clear of the other curve, on the side away from it; else outwards of its
    own, which rises outwards, or inwards where it would be cut off.
    """
    finite = np.isfinite(values)
    inside = finite & (values > LOW * top) & (values < HIGH * top)
    with np.errstate(invalid="ignore"):
        clear = inside & (np.abs(values - other) > CLEAR * top)
    chosen = np.flatnonzero(next((kind for kind in (clear, inside) if kind.any()), finite & (values <= top)))
    index = int(chosen[np.argmin(np.abs(chosen - share * (len(values) - 1)))])
    place = float(np.linspace(-reach, reach, len(values))[index])
    outwards = 1.0 if place >= 0 else -1.0
    has_room = (reach - abs(place)) / (2 * reach) * NARROW_PLOT > LETTER * len(text) + 12
    side = outwards if has_room else -outwards
    align = "left" if side > 0 else "right"
    shift = 6.0 if has_room else -6.0
    if np.isfinite(other[index]) and clear.any():
        shift = 9.0 if values[index] < other[index] else -9.0
    if values[index] < LOW * top:
        shift = -9.0
    return Label(place, float(values[index]), text, tone, align, dx=8 * side, dy=shift)


def off_scale(amplitude: float, value: float, reach: float, top: float) -> list[Label]:
    """Write the size, and ϱ, beside a ring that stands at the frame because one of them is beyond it."""
    beyond = abs(amplitude) > reach
    if value <= top and not beyond:
        return []
    side = -1.0 if amplitude > 0 else 1.0
    text = f"{significant(value)} ▴" if value > top else significant(value)
    if beyond:
        text = f"ϱ = {typed(amplitude)}: {text}"
    place = min(max(amplitude, -reach), reach)
    align = "left" if side > 0 else "right"
    below = value > 0.5 * top
    return [
        Label(place, min(value, top), text, "ink", align, dx=12 * side, dy=10 if below else -10, bold=True)
    ]
