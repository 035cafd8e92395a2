"""Words on the gate map: regions, limits, and what lies off its axes."""

import math
from typing import NamedTuple

from figures import region
from figures.label import Label
from figures.number import typed
from figures.phrase import at_resolution, crossing
from presets.loop_quantities import CrossingKind, GateLimit, LimitMap

NARROW_PLOT = 270
"""Width in pixels of the plot on a phone, where labels still need room."""

WITHOUT_MAP = {
    "needs-trajectory": "the limit needs the trajectory u*",
    "not-a-loop": "no loop: kept at every ϱ",
    "complete": "kept at every ϱ",
}


class Stand(NamedTuple):
    """The current ϱ, the height of its angle (None when off the map), and the axes."""

    amplitude: float
    height: float | None
    reach: float
    heights: tuple[float, float]


def labels(found: LimitMap | None, limit: GateLimit, stand: Stand, names: tuple[str, str]) -> list[Label]:
    """Place all words.

    **Arguments:**

    - `found`: the map; None where there is no limit to draw.
    - `limit`: the limits of the current ψ.
    - `stand`: the current point and the axes.
    - `names`: names of the amplitudes at which the open loop's split is kept, and changed.
    """
    lower, upper = stand.heights
    if found is None:
        text = WITHOUT_MAP.get(limit.status, "kept at every ϱ")
        strings_named = [
            Label(place, lower + 0.15 * (upper - lower), "string limit", "muted", "right", dx=-6)
            for place in strings(limit, stand.reach)[1:]
        ]
        text_label = Label(0, lower + 0.8 * (upper - lower), text, align="center")
        return [text_label, *strings_named, *_off_scale(stand)]
    if limit.negative == limit.positive:
        return [Label(0, lower + 0.7 * (upper - lower), "no split to keep", align="center", bold=True)]
    return [*_regions(found, limit, stand, names), *_end_labels(limit, stand), *_off_scale(stand)]


def strings(limit: GateLimit, reach: float) -> list[float]:
    """Amplitudes beyond which a cascade amplifies, where the axis shows them."""
    string_limit = limit.string_limit
    return [] if string_limit is None or string_limit > reach else [-string_limit, string_limit]


def _regions(found: LimitMap, limit: GateLimit, stand: Stand, names: tuple[str, str]) -> list[Label]:
    avoid = sum(stand.heights) / 2 if stand.height is None else stand.height
    places = region.name_places(found, stand.heights, avoid)
    words = (names[0], f"undecided{at_resolution(limit.resolution)}", names[1])
    return [
        Label(*place, text, align="center")
        for text, place in zip(words, places, strict=True)
        if place is not None
    ]


def _end_labels(limit: GateLimit, stand: Stand) -> list[Label]:
    """Name the limits of the current ψ: the lower one below, the upper one above its dot."""
    return [
        *_end_label(limit.negative, limit.negative_crossing, limit.resolution, stand),
        *_end_label(limit.positive, limit.positive_crossing, limit.resolution, stand),
    ]


def _end_label(end: float | None, kind: CrossingKind, resolution: int | None, stand: Stand) -> list[Label]:
    """Name one limit, outside the range where there is room."""
    height, reach = stand.height, stand.reach
    if height is None or end is None or abs(end) > reach:
        return []
    text, side = crossing(kind, resolution), math.copysign(1, end)
    outside = (reach - abs(end)) / (2 * reach) * NARROW_PLOT > 6 * len(text) + 14
    if (side > 0) == outside:
        return [Label(end, height, text, align="left", dx=8, dy=-13 * side)]
    return [Label(end, height, text, align="right", dx=-8, dy=-13 * side)]


def _off_scale(stand: Stand) -> list[Label]:
    """Name a ϱ that lies beyond the axis, beside its ring at the frame."""
    if stand.height is None or abs(stand.amplitude) <= stand.reach:
        return []
    words = f"ϱ = {typed(stand.amplitude)}"
    if stand.amplitude > 0:
        return [Label(stand.reach, stand.height, f"{words} ▸", align="right", dx=-12, bold=True)]
    return [Label(-stand.reach, stand.height, f"◂ {words}", dx=12, bold=True)]
