"""Curves given point by point, joined into one dataset."""

from typing import NamedTuple

import numpy as np

from figures.rows import Rows


class Part(NamedTuple):
    """One unbroken curve: its name, its colour's name, its points, and the lower side where it is a band."""

    name: str
    tone: str
    x: np.ndarray
    y: np.ndarray
    y2: np.ndarray | None = None


def joined(parts: list[Part]) -> Rows:
    """Put curves under each other: columns x, y, y2 (for bands), order, part, tone."""
    lengths = [len(part.x) for part in parts]
    columns = {"x": [part.x for part in parts], "y": [part.y for part in parts]}
    if sides := [part.y2 for part in parts if part.y2 is not None]:
        columns["y2"] = sides
    return Rows(
        **{name: np.concatenate([np.empty(0), *column]) for name, column in columns.items()},
        order=np.arange(sum(lengths), dtype=float),
        part=np.repeat(np.array([part.name for part in parts], dtype=object), lengths),
        tone=np.repeat(np.array([part.tone for part in parts], dtype=object), lengths),
    )


def unbroken(name: str, tone: str, x: np.ndarray, y: np.ndarray, shown: np.ndarray) -> list[Part]:
    """Split a curve wherever a point is not shown."""
    run = np.cumsum(~shown)
    return [
        Part(f"{name}.{number}", tone, x[here], y[here])
        for number in np.unique(run[shown])
        if (here := shown & (run == number)).any()
    ]
