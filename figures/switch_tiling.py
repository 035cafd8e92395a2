"""Cells of the late switch: one for every pair of computed depths, the input's column set apart."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from figures import heat
from figures.heat import Classes
from figures.number import from_log10
from figures.rows import Rows

INPUT_WIDTH, INPUT_GAP = 0.03, 0.015
"""Least width of the column s = 0, and the gap that sets it apart, as shares of the depth."""

MOST_TICKS = 6


class Tiling(NamedTuple):
    """Where the computed depths stand: edges of their cells along s, edges along ℓ."""

    grid: np.ndarray
    left: np.ndarray
    right: np.ndarray
    edges: np.ndarray


def tiling(depths: np.ndarray, layers: int) -> Tiling:
    """Put every computed depth in the middle of its cell, and the cell of the input to the left of a gap."""
    grid = np.unique(depths)
    grid = grid if len(grid) else np.array([0.0, layers])
    middles = (grid[:-1] + grid[1:]) / 2
    edges = np.concatenate([[-0.5], middles, [grid[-1] + 0.5]])
    left, right = edges[:-1].copy(), edges[1:].copy()
    right[0] = edges[1] - INPUT_GAP * layers
    left[0] = right[0] - max(INPUT_WIDTH * layers, edges[1] - edges[0])
    return Tiling(grid, left, right, edges)


def ticks(place: Tiling, layers: int) -> Rows:
    """Label the input's column and round numbers of layers."""
    steps = (size * 10**tens for tens in range(4) for size in (1, 2, 5))
    step = next(step for step in steps if layers / step <= MOST_TICKS)
    round_ones = np.arange(step, layers + 1, step)
    places = [(place.left[0] + place.right[0]) / 2, *round_ones.tolist()]
    return Rows(x=places, text=["0", *map(str, round_ones.tolist())])


class _Cell(NamedTuple):
    """A run of one colour in one column, and what it tells when pointed at."""

    x: float
    x2: float
    y: float
    y2: float
    share: float
    switch: str
    depth: str
    size: str


def cells(errors: pd.DataFrame, place: Tiling, scale: Classes) -> Rows:
    """One rectangle for each run of equal classes in each column."""
    found = []
    for column, (switch, column_errors) in enumerate(errors.groupby("switch")):
        logs, depths = column_errors["log10"].to_numpy(), column_errors["depth"].to_numpy()
        rows, numbers = np.searchsorted(place.grid, depths), scale.of(logs)
        for start, stop in heat.runs(numbers):
            ends = float(place.edges[rows[start]]), float(place.edges[rows[stop - 1] + 1])
            told = f"{switch:.0f}", _range(depths[start:stop]), _sizes(logs[start:stop])
            sides = float(place.left[column]), float(place.right[column])
            found.append(_Cell(*sides, *ends, scale.share(int(numbers[start])), *told))
    columns = zip(*found, strict=True) if found else ((),) * len(_Cell._fields)
    kinds = (float,) * 5 + (object,) * 3
    names = zip(_Cell._fields, columns, kinds, strict=True)
    return Rows(**{name: np.array(column, dtype=kind) for name, column, kind in names})


def _range(depths: np.ndarray) -> str:
    first, last = f"{depths[0]:.0f}", f"{depths[-1]:.0f}"
    return first if first == last else f"{first} to {last}"


def _sizes(logs: np.ndarray) -> str:
    low, high = (from_log10(float(log)) if log < math.inf else "∞" for log in (logs.min(), logs.max()))
    return low if low == high else f"{low} to {high}"
