"""Colour bar of a heat map whose upper right corner is empty: its classes side by side, and its decades."""

import math

import numpy as np

from figures.heat import Classes
from figures.label import Label
from figures.number import power
from figures.rows import Rows

BAR = (0.5, 0.97, 0.1, 0.15)
"""Left, right, upper and lower edge of the colour bar, as shares of the depth: it stands where ℓ < s."""

MOST_POWERS = 4


def classes(layers: int, scale: Classes, *, shown: bool) -> Rows:
    """Lay the classes side by side in the empty corner."""
    left, right, upper, lower = (share * layers for share in BAR)
    numbers = np.arange(scale.number if shown else 0)
    ends = np.linspace(left, right, scale.number + 1)
    return Rows(
        x=ends[numbers],
        x2=ends[numbers + 1],
        y=np.full(len(numbers), upper),
        y2=np.full(len(numbers), lower),
        share=np.array([scale.share(number) for number in numbers.tolist()], dtype=float),
    )


def labels(layers: int, scale: Classes, title: str) -> list[Label]:
    """Name the colour bar and some of its decades."""
    left, right, upper, lower = (share * layers for share in BAR)
    every = math.ceil((scale.top - scale.floor) / MOST_POWERS)
    decades = np.arange(scale.top, scale.floor - 1, -every)
    places = np.interp(decades, (scale.floor, scale.top), (left, right))
    powers = [
        Label(float(place), lower, power(int(decade)), "muted", "center", dy=10)
        for place, decade in zip(places, decades, strict=True)
    ]
    return [Label((left + right) / 2, upper, title, "muted", "center", dy=-9), *powers]
