"""The certified band of the gate map, and the paper’s margin beside it."""

from typing import NamedTuple

import numpy as np

from figures import region
from figures.curve import Polyline, line_rows
from figures.gate_axis import Heights
from figures.rows import Rows
from presets.limit_map import LimitMap
from presets.map_certificates import Certified

STRIP = 0.035
"""Half-height of the band where it belongs to the scenario alone, in shares of the plot."""

_EMPTY = np.empty(0)
NOTHING = Rows(x=_EMPTY, x2=_EMPTY, y=_EMPTY, part=_EMPTY.astype(object)), line_rows({})


class Place(NamedTuple):
    """Half-width of the ϱ axis, the lanes, and the height of the scenario itself (None when off the map)."""

    reach: float
    heights: Heights
    height: float | None


def drawn(found: LimitMap, certified: Certified, place: Place, *, inverse: bool) -> tuple[Rows, Rows]:
    """Turn certificates into an area, and the paper's margin into lines unless it is certified itself.

    **Arguments:**

    - `found`: the map they belong to; no area reaches beyond its limits.
    - `certified`: certificates of the lanes, or of the scenario alone.
    - `place`: where lanes and scenario stand.
    - `inverse`: both fall like one over the height, and are joined so.
    """
    heights, lanes = place.heights, certified.lanes
    if lanes is not None and heights.joined:
        area, line = (_joined(found, lanes[:, n], certified.own[n], place, inverse) for n in (0, 1))
        shown = area[0].having(part=np.full(len(area[0]), "0", dtype=object)), line[1]
    elif lanes is not None:
        shown = _strips(found, lanes, np.stack(heights.edges, axis=1), place.reach)
    elif place.height is not None:
        half = STRIP * (heights.upper - heights.lower)
        edges = np.clip([[place.height - half, place.height + half]], heights.lower, heights.upper)
        shown = _strips(None, np.array([certified.own]), edges, place.reach)
    else:
        return NOTHING
    return shown[0], NOTHING[1] if certified.is_proved else shown[1].having(tone="paper")


def _joined(
    found: LimitMap, values: np.ndarray, own: float, place: Place, inverse: bool
) -> tuple[Rows, Rows]:
    """Join the lanes as the limits are joined."""
    sides = found._replace(
        negative=np.maximum(-values, found.negative), positive=np.minimum(values, found.positive)
    )
    current = None if place.height is None else region.Lane(place.height, -own, own)
    return region.joined(sides, place.reach, place.heights, current, inverse)


def _strips(found: LimitMap | None, lanes: np.ndarray, edges: np.ndarray, reach: float) -> tuple[Rows, Rows]:
    """Draw every lane by itself, between its lower and upper edge."""
    best, estimate = np.minimum(lanes[:, 0], reach), lanes[:, 1]
    left, right = (
        (-best, best)
        if found is None
        else (
            np.maximum(-best, found.negative),
            np.minimum(best, found.positive),
        )
    )
    parts = np.repeat(np.arange(len(lanes)).astype(str), 2).astype(object)
    area = Rows(x=np.repeat(left, 2), x2=np.repeat(right, 2), y=edges.ravel(), part=parts)
    inside = np.flatnonzero(estimate <= reach)
    lines = {}
    for name, sign in (("-", -1.0), ("+", 1.0)):
        x = np.repeat(sign * estimate[inside], 2)
        lines[name] = ("paper", Polyline(x=x, y=edges[inside].ravel(), part=np.repeat(inside + 1, 2)))
    return area, line_rows(lines)
