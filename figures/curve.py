"""Curves on a base-ten logarithmic axis: thinned, cut at the frame, and honest about zeros."""

from typing import NamedTuple

import numpy as np

from figures.number import from_log10
from figures.rows import Rows

LN10 = float(np.log(10))
MOST_POINTS = 513
"""Points drawn per curve; the chart is narrower than that in pixels."""

MOST_HOVER = 65


class Frame(NamedTuple):
    """How far the axes reach: layers 0…depth, base-ten logarithms floor…top."""

    depth: int
    floor: float
    top: float

    @property
    def rows(self) -> Rows:
        """Rows of the invisible layer that sets both domains."""
        return Rows(x=[0.0, self.depth], y=[self.floor, self.top])

    def across(self, layer: float) -> float:
        """Share of the plot's width at a layer."""
        return layer / self.depth


def thinned(values: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """Choose at most `most` indices of a curve, evenly, both ends among them."""
    return np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).round().astype(int))


class Polyline(NamedTuple):
    """Visible parts of one curve, in order; a new part starts wherever the curve comes back into view."""

    x: np.ndarray
    y: np.ndarray
    part: np.ndarray

    @classmethod
    def joined(cls, x: np.ndarray, y: np.ndarray) -> "Polyline":
        """Return one line through all points."""
        return cls(x, y, np.zeros(len(x), int))

    def at(self, share: float) -> tuple[float, float] | None:
        """Point at a share of the drawn points; None when nothing is visible."""
        if not len(self.x):
            return None
        index = round(share * (len(self.x) - 1))
        return float(self.x[index]), float(self.y[index])


def visible(log10: np.ndarray, frame: Frame) -> Polyline:
    """Cut a curve over layers 0…L to the frame.

    The line meets the frame where the curve crosses it; where the value becomes zero the line drops
    to the floor and ends; a value that is not finite leaves a gap.

    **Arguments:**

    - `log10`: base-ten logarithms at layers 0…L; −inf for zero.
    - `frame`: what is visible.

    **Returns:** the points to join, part by part.
    """
    layers = thinned(log10)
    x, y = layers.astype(float), log10[layers]
    y = np.where(np.isneginf(y) & (np.cumsum(np.isneginf(y)) == 1), frame.floor, y)
    x, y = (np.stack([values[:-1], values[1:]]) for values in (x, y))
    near, far = _shares_inside(*y, frame)
    step = np.flatnonzero(near < far)
    near, far, x, y = near[step], far[step], x[:, step], y[:, step]
    unbroken = (np.diff(step, prepend=-2) == 1) & (near == 0) & (np.roll(far, 1) == 1)
    starts, ends = (
        np.stack([values[0] + share * (values[1] - values[0]) for values in (x, y)]) for share in (near, far)
    )
    order = np.argsort(np.append(np.flatnonzero(~unbroken) - 0.5, np.arange(len(step))))
    points = np.concatenate([starts[:, ~unbroken], ends], axis=1)[:, order]
    part = np.cumsum(~unbroken)
    return Polyline(x=points[0], y=points[1], part=np.append(part[~unbroken], part)[order])


def _shares_inside(start: np.ndarray, end: np.ndarray, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Shares of each step between which it lies inside the frame; the first exceeds the second if nowhere."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        rise = end - start
        crossings = np.stack([(edge - start) / rise for edge in (frame.floor, frame.top)])
        flat = (rise == 0) & (start >= frame.floor) & (start <= frame.top)
    near, far = np.clip(crossings.min(axis=0), 0, None), np.clip(crossings.max(axis=0), None, 1)
    drawn = np.isfinite(start) & np.isfinite(end)
    near = np.where(flat, 0.0, np.where(drawn & (rise != 0), near, 1.0))
    return near, np.where(flat, 1.0, np.where(drawn & (rise != 0), far, 0.0))


def line_rows(lines: dict[str, tuple[str, Polyline]]) -> Rows:
    """Turn curves, each with a colour name, into one dataset: columns x, y, order, part, tone."""
    curves = [curve for _, curve in lines.values()]
    lengths = [len(curve.x) for curve in curves]
    parts = [f"{name}.{part}" for name, (_, curve) in lines.items() for part in curve.part]
    tones = np.array([tone for tone, _ in lines.values()], dtype=object)
    return Rows(
        x=np.concatenate([np.empty(0), *(curve.x for curve in curves)]),
        y=np.concatenate([np.empty(0), *(curve.y for curve in curves)]),
        order=np.arange(sum(lengths), dtype=float),
        part=np.array(parts, dtype=object),
        tone=np.repeat(tones, np.array(lengths, dtype=int)),
    )


def hover_rows(curves: dict[str, np.ndarray], frame: Frame) -> Rows:
    """Choose the points of named curves that answer the pointer: columns x, y, curve, layer, size."""
    names, layers, values = [], [], []
    for name, log10 in curves.items():
        chosen = thinned(log10, MOST_HOVER)
        chosen = chosen[(log10[chosen] >= frame.floor) & (log10[chosen] <= frame.top)]
        names += [name] * len(chosen)
        layers.append(chosen)
        values.append(log10[chosen])
    x = np.concatenate([np.empty(0, dtype=int), *layers])
    y = np.concatenate([np.empty(0), *values])
    words = {"curve": names, "layer": [str(n) for n in x], "size": [from_log10(v) for v in y]}
    return Rows(
        x=x.astype(float), y=y, **{name: np.array(text, dtype=object) for name, text in words.items()}
    )


def first_undefined(log10: np.ndarray) -> int | None:
    """Find the first layer at which a curve is not a number (zero is one), if any."""
    wrong = np.flatnonzero(np.isnan(log10) | (log10 == np.inf))
    return int(wrong[0]) if len(wrong) else None
