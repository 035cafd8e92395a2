"""Words on the gate map: regions, limits, and what lies off its axes."""

import math
from typing import NamedTuple

import numpy as np

from figures import region
from figures.gate_axis import ALONE, Heights
from figures.label import Label
from figures.number import typed
from figures.phrase import CROSSINGS, at_resolution
from figures.theme import NARROW
from presets.gate_limit import CrossingKind, GateLimit
from presets.limit_map import LimitMap
from presets.map_certificates import Certified

NARROW_PLOT = 270
"""Width in pixels of the plot on a phone, where labels still need room."""

ABOVE = 15
"""Pixels from a limit's dot up to its name: clear of a current point that stands beside the dot."""

TOP = 0.9
"""Share of the plot's height from which on names hang below their dots."""

WITHOUT_MAP = {
    "needs-trajectory": "u* is too long to follow here",
    "not-a-loop": "no loop: kept at every ϱ",
    "complete": "kept at every ϱ",
}


TOO_COSTLY = "too costly for a map: this setting alone"


class Stand(NamedTuple):
    """The current ϱ, its height (None when off the map), the half-width of the ϱ axis, and the lanes."""

    amplitude: float
    height: float | None
    reach: float
    heights: Heights

    def up(self, share: float) -> float:
        """Height at a share of the plot."""
        lower, upper = self.heights.ends
        return lower + share * (upper - lower)


def labels(
    found: LimitMap | None,
    limit: GateLimit,
    stand: Stand,
    names: tuple[str, str],
    certified: Certified | None = None,
) -> list[Label]:
    """Place all words.

    **Arguments:**

    - `found`: the map; None where there is no limit to draw.
    - `limit`: the limits of the scenario itself.
    - `stand`: the current point and the axes.
    - `names`: names of the amplitudes at which the open loop's count is kept, and changed.
    - `certified`: what is certified; None when nothing is.
    """
    if found is None:
        text = WITHOUT_MAP.get(limit.status, "kept at every ϱ")
        strings_named = [
            Label(place, stand.up(0.15), "string limit", "muted", "right", dx=-6)
            for place in strings(limit, stand.reach)[1:]
        ]
        return [Label(0, stand.up(0.8), text, align="center"), *strings_named, *_off_scale(stand)]
    if not splits(found):
        return [Label(0, stand.up(0.7), "no split to keep", align="center", bold=True)]
    words = [] if certified is None else _certified(certified, stand)
    return [*_regions(found, limit, stand, names), *words, *_end_labels(limit, stand), *_off_scale(stand)]


def splits(found: LimitMap) -> bool:
    """Say whether any lane has a split to keep."""
    return bool((found.negative < found.positive).any())


def strings(limit: GateLimit, reach: float) -> list[float]:
    """Amplitudes beyond which a cascade amplifies, where the axis shows them."""
    string_limit = limit.string_limit
    return [] if string_limit is None or string_limit > reach else [-string_limit, string_limit]


def _regions(found: LimitMap, limit: GateLimit, stand: Stand, names: tuple[str, str]) -> list[Label]:
    avoid = stand.up(0.5) if stand.height is None else stand.height
    places = region.name_places(found, stand.heights, avoid)
    unknown = "u* is lost" if limit.resolution is None else f"undecided{at_resolution(limit.resolution)}"
    words = (names[0], unknown, names[1])
    return [
        Label(*place, text, align="center")
        for text, place in zip(words, places, strict=True)
        if place is not None
    ]


def _end_labels(limit: GateLimit, stand: Stand) -> list[Label]:
    """Name the limits of the scenario itself."""
    if limit.negative == limit.positive:
        return []
    return [
        *_end_label(limit.negative, limit.negative_crossing, stand),
        *_end_label(limit.positive, limit.positive_crossing, stand),
    ]


def _end_label(end: float | None, kind: CrossingKind, stand: Stand) -> list[Label]:
    """Name one limit, outside the range where there is room, off the height of the current point."""
    height, reach = stand.height, stand.reach
    if height is None or end is None or abs(end) > reach:
        return []
    text, side = CROSSINGS[kind], math.copysign(1, end)
    outside = (reach - abs(end)) / (2 * reach) * NARROW_PLOT > 6 * len(text) + 12
    above = ABOVE if height > stand.up(TOP) else -ABOVE
    if (side > 0) == outside:
        return [Label(end, height, text, align="left", dx=7, dy=above)]
    return [Label(end, height, text, align="right", dx=-7, dy=above)]


def _certified(certified: Certified, stand: Stand) -> list[Label]:
    """Name the band at its foot, inside it or beside it, and the paper's margin at the head of its line."""
    lanes = stand.heights.lanes
    if certified.lanes is None or not stand.heights.joined:
        return []
    low = stand.height is None or stand.height > stand.up(0.2)
    foot, head = (0.05, 0.95) if low else (0.95, 0.05)
    if stand.heights.ends == ALONE:
        foot, head = 0.95, 0.88
    best = float(np.interp(stand.up(foot), lanes, certified.lanes[:, 0]))
    estimate = float(np.interp(stand.up(head), lanes, certified.lanes[:, 1]))
    is_wide = best / stand.reach * NARROW > 6 * len("certified") + 8
    words = [Label(0, stand.up(foot), "certified", "certified", "center", minor=True)]
    if not is_wide:
        words = [Label(best, stand.up(foot), "certified", "certified", dx=5, minor=True)]
    if not certified.is_proved and estimate <= stand.reach:
        words.append(Label(estimate, stand.up(head), "estimate", "paper", dx=5, minor=True))
    return words


def _off_scale(stand: Stand) -> list[Label]:
    """Name a ϱ that lies beyond the axis, beside its ring at the frame."""
    if stand.height is None or abs(stand.amplitude) <= stand.reach:
        return []
    words = f"ϱ = {typed(stand.amplitude)}"
    if stand.amplitude > 0:
        return [Label(stand.reach, stand.height, f"{words} ▸", align="right", dx=-12, bold=True)]
    return [Label(-stand.reach, stand.height, f"◂ {words}", dx=12, bold=True)]
