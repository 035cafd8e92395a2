"""The vertical axis of the gate map: words, ticks and heights of its second parameter."""

import math
import re
from typing import NamedTuple

import numpy as np

from figures.number import typed
from figures.rows import Rows
from presets.limit_map import LimitMap
from presets.map_axis import ANGLE, Axis

ALONE = (1000.0, 1001.0)
"""Ends of the axis of a map with a single lane; it has no ticks."""

BAND = 0.42
"""Half-height of a lane of whole numbers, whose neighbours are 1 apart."""

MOST_TICKS = 7
QUARTER_TURNS = (15.0, 30.0, 45.0, 60.0, 90.0)

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Heights(NamedTuple):
    """Where the lanes of a map stand.

    **Fields:**

    - `lower`, `upper`: ends of the axis.
    - `lanes`: height of every lane, ascending.
    - `joined`: whether there is something between the lanes.
    """

    lower: float
    upper: float
    lanes: np.ndarray
    joined: bool

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends of the axis."""
        return self.lower, self.upper

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper edge of every lane's band."""
        if not self.joined:
            return self.lanes - BAND, self.lanes + BAND
        between = (self.lanes[1:] + self.lanes[:-1]) / 2
        return np.append(self.lower, between), np.append(between, self.upper)


def heights(axis: Axis, found: LimitMap | None) -> Heights:
    """Place the lanes: at their values, or one above the other where values are whole numbers."""
    if found is None or math.isnan(found.values[0]):
        return Heights(*ALONE, np.array([sum(ALONE) / 2]), joined=True)
    if axis.is_stepped:
        lanes = np.arange(float(len(found.values)))
        return Heights(-0.5, len(lanes) - 0.5, lanes, joined=False)
    return Heights(float(found.values[0]), float(found.values[-1]), found.values, joined=True)


def height(axis: Axis, found: LimitMap | None, value: float | None) -> float | None:
    """Find where a value stands; None when the axis does not reach it."""
    place = heights(axis, found)
    if place.ends == ALONE:
        return sum(ALONE) / 2
    assert found is not None
    if value is None or not found.values[0] <= value <= found.values[-1]:
        return None
    return float(np.searchsorted(found.values, value)) if axis.is_stepped else value


def name(axis: Axis) -> str:
    """Name a second parameter: its words and its symbol."""
    words, symbol = _parts(axis)
    if axis.entry is not None and not _symbol(axis):
        return f"{words}, no. {axis.entry + 1}"
    return f"{words} {symbol}".strip()


def title(axis: Axis) -> str:
    """Write the title of the axis, with its unit."""
    unit = f" ({axis.about.ui.unit})" if axis.about.ui.unit else ""
    return "angle of ψ to the split, θ (°)" if axis.name == ANGLE else f"{name(axis)}{unit}"


def at(axis: Axis, value: float) -> str:
    """Say where on the axis something stands, as `θ = 30°`."""
    unit = "°" if axis.about.ui.unit == "°" else ""
    return f"{_symbol(axis) or name(axis)} = {typed(value)}{unit}"


def ticks(axis: Axis, found: LimitMap | None) -> Rows:
    """Choose round values for the ticks, or every lane of whole numbers."""
    place = heights(axis, found)
    if place.ends == ALONE:
        return Rows(y=np.empty(0), text=np.empty(0, dtype=object))
    if axis.is_stepped:
        assert found is not None
        return Rows(y=place.lanes, text=np.array([typed(value) for value in found.values], dtype=object))
    step = _step(axis, place.upper - place.lower)
    first, last = math.ceil(place.lower / step - 1e-9), math.floor(place.upper / step + 1e-9)
    values = [float(f"{step * count:.12g}") for count in range(first, last + 1)]
    return Rows(y=np.array(values), text=np.array([typed(value) for value in values], dtype=object))


def _step(axis: Axis, span: float) -> float:
    if axis.about.ui.unit == "°":
        return next(step for step in QUARTER_TURNS if span / step <= MOST_TICKS - 1)
    decade = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
    return next(step * decade for step in (1, 2, 5, 10, 20) if span / (step * decade) <= MOST_TICKS - 1)


def _parts(axis: Axis) -> tuple[str, str]:
    """Split a label of the schema into words in running text and the symbol of this very entry."""
    label, symbol = axis.about.label.partition(" (")[0], _symbol(axis)
    if axis.name == ANGLE:
        return "angle", symbol
    words = label.rpartition(" ")[0] if symbol else label
    words = words if words[:2].isupper() else words[:1].lower() + words[1:]
    return words if axis.entry is None else re.sub(r"s\b", "", words, count=1), symbol


def _symbol(axis: Axis) -> str:
    """Find the symbol a label ends with, if any: `Coupling λ`, but not `Mean of M`."""
    if axis.name == ANGLE:
        return "θ"
    words = axis.about.label.partition(" (")[0].split(" ")
    last = words[-1]
    if len(words) < 2 or words[-2] == "of" or (last.isascii() and len(last) > 1):
        return ""
    return last if axis.entry is None else last + str(axis.entry + 1).translate(_SUBSCRIPTS)
