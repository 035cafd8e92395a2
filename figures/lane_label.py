"""Words in the lanes of gate limits: limits, what is missing, the current ϱ, and the paper’s estimate."""

import math

from figures.label import LETTER, Label, ends
from figures.limit_lanes import TOP, Lane, Lanes
from figures.number import rate, toward_zero, typed
from figures.theme import NARROW

NARROW_PLOT, WIDE_PLOT = 240, 500
"""Width of the plot on a phone, and of one on a laptop, px."""

RING = 14
"""Half-width of the ring of the current ϱ with some room, px."""

ABOVE = 9
"""Pixels from the top of the frame down to the words above the lanes."""


def labels(found: Lanes) -> list[Label]:
    """Write the limits behind their ends, what is missing, and the current ϱ."""
    written = [] if found.current is None else [_current_label(found)]
    for place, lane in enumerate(found.lanes):
        ring = _ring(found) if place == found.current else None
        if lane.negative is None or lane.positive is None:
            written.append(_note(place, lane.note, "muted", found.reach, ring))
        elif lane.negative == lane.positive:
            written.append(_behind(place, lane.negative, lane.note or "no split to keep", found.reach, ring))
        elif lane.note:
            written.append(_note(place, lane.note, "ink", found.reach, ring))
        else:
            written += _end_labels(place, lane, found.reach, ring)
    return written


def estimate_label(found: Lanes, estimate: float | None) -> list[Label]:
    """Name the paper's margin at one of its uprights, clear of the words of the current ϱ.

    Behind those words where both uprights are too close to them.
    """
    if estimate is None or not 0 < estimate <= found.reach:
        return []
    text, current = "estimate", None if found.current is None else _current_label(found)
    first = -1.0 if found.amplitude >= 0 else 1.0
    for side in (first, -first):
        for outwards in (side, -side):
            align = "left" if outwards > 0 else "right"
            label = Label(side * estimate, TOP, text, "paper", align, dx=4 * outwards, dy=ABOVE, minor=True)
            if _fits(label, current, found.reach):
                return [label]
    assert current is not None
    left, right = _span(current._replace(x=0.0), 1.0)
    if current.x > 0:
        return [Label(current.x, TOP, text, "paper", "right", dx=left - LETTER, dy=ABOVE, minor=True)]
    return [Label(current.x, TOP, text, "paper", "left", dx=right + LETTER, dy=ABOVE, minor=True)]


def _ring(found: Lanes) -> float:
    """Where the ring of the current ϱ stands."""
    return min(max(found.amplitude, -found.reach), found.reach)


def _span(label: Label, pixels: float) -> tuple[float, float]:
    """Left and right end of a label, px from ϱ = 0, where one unit of ϱ is so many pixels wide."""
    return ends(label, label.x * pixels)


def _fits(label: Label, current: Label | None, reach: float) -> bool:
    """Whether a label stays in the frame and clear of the one of the current ϱ, on narrow and wide plots."""
    for plot in (NARROW, WIDE_PLOT):
        left, right = _span(label, plot / (2 * reach))
        if max(-left, right) > plot / 2:
            return False
        if current is not None:
            start, end = _span(current, plot / (2 * reach))
            if left < end + LETTER and right > start - LETTER:
                return False
    return True


def _note(place: int, text: str, tone: str, reach: float, ring: float | None) -> Label:
    """Write words in place of a bar, in the middle or beside the ring where that is in the way."""
    width = LETTER * len(text)
    if ring is None or abs(ring) / (2 * reach) * NARROW_PLOT > width / 2 + RING:
        return Label(0.0, place, text, tone, "center")
    if ring > 0:
        return Label(ring, place, text, tone, "right", dx=-RING)
    return Label(ring, place, text, tone, "left", dx=RING)


def _behind(place: int, end: float, text: str, reach: float, ring: float | None) -> Label:
    """Write words to the right of an end, and of a ring that stands where they would begin."""
    near = ring is not None and -RING < (ring - end) / (2 * reach) * NARROW_PLOT < RING
    if ring is not None and near:
        return Label(max(end, ring), place, text, "muted", "left", dx=RING)
    return Label(end, place, text, "muted", "left", dx=8)


def _end_labels(place: int, lane: Lane, reach: float, ring: float | None) -> list[Label]:
    """Write both limits outside the bar where there is room, else inside; a missing one at the frame."""
    assert lane.negative is not None
    assert lane.positive is not None
    written = []
    for end in (lane.negative, lane.positive):
        side = math.copysign(1, end)
        if abs(end) <= reach:
            written.append(_end_label(place, end, side, reach, ring))
        else:
            written.append(_off_scale(place, lane, end, side, reach, ring))
    return written


def _end_label(place: int, end: float, side: float, reach: float, ring: float | None) -> Label:
    """Write a limit behind its end, inside the bar where there is no room, beyond a ring in the way."""
    text = toward_zero(end)
    width = LETTER * len(text)
    outwards = side if (reach - abs(end)) / (2 * reach) * NARROW_PLOT > width + 8 else -side
    beside, shift = end, 6
    if ring is not None and abs(ring - end) / (2 * reach) * NARROW_PLOT < RING / 2:
        beside, shift = max(end, ring, key=lambda x: x * outwards), RING
    elif ring is not None and _covers(end, outwards, width, reach, ring):
        outwards = -outwards
    align = "left" if outwards > 0 else "right"
    return Label(beside, place, text, "ink", align, dx=shift * outwards)


def _covers(end: float, outwards: float, width: float, reach: float, ring: float) -> bool:
    """Whether a label beside an end would lie on the ring."""
    away = outwards * (ring - end) / (2 * reach)
    return any(-RING / 2 < away * plot < width + RING for plot in (NARROW_PLOT, WIDE_PLOT))


def _off_scale(place: int, lane: Lane, end: float, side: float, reach: float, ring: float | None) -> Label:
    """Name a limit beyond the frame, or say that there is none."""
    text = toward_zero(end) if math.isfinite(end) else "none"
    if math.isinf(end) and lane.searched_to is not None:
        text = f"none to {rate(lane.searched_to, 'down')}"
        if lane.searched_to < 0.6 * reach:
            align = "left" if side > 0 else "right"
            return Label(side * lane.searched_to, place, text, "muted", align, dx=6 * side)
    shift = RING if ring is not None and abs(ring - side * reach) < 1e-9 * reach else 4
    if side > 0:
        return Label(reach, place, f"{text} ▸", "muted", "right", dx=-shift)
    return Label(-reach, place, f"◂ {text}", "muted", "left", dx=shift)


def _current_label(found: Lanes) -> Label:
    """Name the current ϱ above the lanes, over its ring."""
    place = _ring(found)
    align = "left" if place < -0.6 * found.reach else "right" if place > 0.6 * found.reach else "center"
    return Label(place, TOP, f"ϱ = {typed(found.amplitude)}", "ink", align, dy=ABOVE, bold=True)
