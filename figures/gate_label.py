"""Words on the gate map: regions, limits, and what lies off its axes."""

import math
from typing import NamedTuple

from figures import region
from figures.gate_axis import Heights
from figures.label import Label
from figures.number import typed
from figures.phrase import CROSSINGS, at_resolution
from presets.limit_map import LimitMap
from presets.loop_quantities import CrossingKind, GateLimit

NARROW_PLOT = 270
"""Width in pixels of the plot on a phone, where labels still need room."""

ABOVE = 15
"""Pixels from a limit's dot up to its name: clear of a current point that stands beside the dot."""

TOP = 0.9
"""Share of the plot's height from which on names hang below their dots."""

WITHOUT_MAP = {
    "needs-trajectory": "the limit needs the trajectory u*",
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


def labels(found: LimitMap | None, limit: GateLimit, stand: Stand, names: tuple[str, str]) -> list[Label]:
    """Place all words.

    **Arguments:**

    - `found`: the map; None where there is no limit to draw.
    - `limit`: the limits of the scenario itself.
    - `stand`: the current point and the axes.
    - `names`: names of the amplitudes at which the open loop's count is kept, and changed.
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
    return [*_regions(found, limit, stand, names), *_end_labels(limit, stand), *_off_scale(stand)]


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
    words = (names[0], f"undecided{at_resolution(limit.resolution)}", names[1])
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


def _off_scale(stand: Stand) -> list[Label]:
    """Name a ϱ that lies beyond the axis, beside its ring at the frame."""
    if stand.height is None or abs(stand.amplitude) <= stand.reach:
        return []
    words = f"ϱ = {typed(stand.amplitude)}"
    if stand.amplitude > 0:
        return [Label(stand.reach, stand.height, f"{words} ▸", align="right", dx=-12, bold=True)]
    return [Label(-stand.reach, stand.height, f"◂ {words}", dx=12, bold=True)]
