"""What stays still on the gate map while ϱ moves: its upright axis and its regions, drawn once and kept."""

from functools import lru_cache
from typing import NamedTuple

from figures import gate_axis, region
from figures.rows import Rows
from presets.limit_map import LimitMap
from presets.map_axis import GAIN, Axis

KEPT = 64
"""Axes, and maps, that are remembered; the least recently used goes first."""

LETTER, BESIDE_TICKS = 6.4, 13
"""Pixels from the axis to its title: for each letter of the widest tick, and besides."""


class Upright(NamedTuple):
    """The vertical axis: where lanes stand, its ticks and its title."""

    heights: gate_axis.Heights
    ticks: Rows
    title: Rows


def upright(found: LimitMap | None, axis: Axis) -> Upright:
    """Draw the vertical axis of a map, or of none."""
    return _upright(_Same(found), axis)


def regions(
    found: LimitMap, axis: Axis, reach: float, current: region.Lane | None, *, exact: bool
) -> region.Drawn:
    """Draw the regions of a map, as `figures.region.drawn`."""
    return _regions(_Same(found), axis, reach, current, exact)


class _Same:
    """A map as a key: equal only to itself, since it is remembered and never changed."""

    def __init__(self, found: LimitMap | None) -> None:
        self.found = found

    def __hash__(self) -> int:
        return id(self.found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.found is self.found


@lru_cache(maxsize=KEPT)
def _upright(same: _Same, axis: Axis) -> Upright:
    heights, ticks = gate_axis.heights(axis, same.found), gate_axis.ticks(axis, same.found)
    widest = max(map(len, ticks["text"]), default=0)
    title = [gate_axis.title(axis)] if len(ticks) else []
    return Upright(heights, ticks, Rows(text=title, dy=-(BESIDE_TICKS + LETTER * widest)))


@lru_cache(maxsize=KEPT)
def _regions(same: _Same, axis: Axis, reach: float, current: region.Lane | None, exact: bool) -> region.Drawn:
    assert same.found is not None
    heights = gate_axis.heights(axis, same.found)
    return region.drawn(same.found, reach, heights, current, exact=exact, inverse=axis.name == GAIN)
