"""Labels that sit on the lines they name: rows for the chart, and how to keep them apart."""

from typing import Literal, NamedTuple

import numpy as np

from figures.rows import Rows

Align = Literal["left", "right", "center"]
"""Which end of its words a label's place is."""


LETTER = 6.0
"""Width of a letter, px."""

_SIDES = {"left": 0.0, "center": 0.5, "right": 1.0}
"""Share of a word's width that lies left of where it is set."""


class Label(NamedTuple):
    """One label: place in data units, words, colour name, side, shift in pixels.

    `minor` labels vanish on narrow plots.
    """

    x: float
    y: float
    text: str
    tone: str = "ink"
    align: Align = "left"
    dx: float = 0.0
    dy: float = 0.0
    bold: bool = False
    minor: bool = False


def ends(label: Label, place: float) -> tuple[float, float]:
    """Left and right end of a label whose point stands at a place, all in px."""
    width = LETTER * len(label.text)
    left = place + label.dx - _SIDES[label.align] * width
    return left, left + width


def label_rows(labels: list[Label]) -> Rows:
    """Turn labels into the dataset `labels`."""
    columns = zip(*labels, strict=True) if labels else ((),) * len(Label._fields)
    kinds = (float, float, object, object, object, float, float, bool, bool)
    return Rows(
        **{
            name: np.array(column, dtype=kind)
            for name, column, kind in zip(Label._fields, columns, kinds, strict=True)
        }
    )


def spread(places: np.ndarray, distance: float, lower: float, upper: float) -> np.ndarray:
    """Move places apart until neighbours are `distance` from each other, each as little as possible.

    **Arguments:**

    - `places`: wanted places, any order.
    - `distance`: least distance; shrinks when there is no room.
    - `lower`, `upper`: range to stay in.

    **Returns:** the new places, in the order given.
    """
    if len(places) < 2:
        return np.clip(places, lower, upper)
    distance = min(distance, (upper - lower) / (len(places) - 1))
    order = np.argsort(places, kind="stable")
    offsets = np.arange(len(places)) * distance
    level = _isotonic(np.asarray(places)[order] - offsets)
    moved = np.clip(level, lower, upper - offsets[-1]) + offsets
    result = np.empty(len(places))
    result[order] = moved
    return result


def _isotonic(values: np.ndarray) -> np.ndarray:
    """Closest non-decreasing sequence (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, size = float(value), 1
        while pools and pools[-1][0] > mean:
            above, weight = pools.pop()
            mean, size = (mean * size + above * weight) / (size + weight), size + weight
        pools.append((mean, size))
    return np.concatenate([np.full(size, mean) for mean, size in pools])
