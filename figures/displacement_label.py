"""Words on the displacement figure: the curves' names, and what lies beyond the frame."""

from figures.clear_place import Name
from figures.curve import Polyline
from figures.label import Label
from figures.number import significant, typed


def names(solid: Polyline, dashed: Polyline, *, persists: bool, is_all: bool) -> list[Name]:
    """Name the solid curve, and the dashed one where it is another."""
    if not persists:
        return [Name("‖u*‖", "ink", solid, 0.62)]
    if is_all:
        return [Name("d₊ = ‖u*‖", "persistent", solid, 0.62)]
    return [Name("d₊ = sup‖P₊u*‖", "persistent", solid, 0.9), Name("‖u*‖", "muted", dashed, 0.25)]


def off_scale(amplitude: float, value: float, reach: float, top: float) -> list[Label]:
    """Write the size, and ϱ, beside a ring that stands at the frame because one of them is beyond it."""
    beyond = abs(amplitude) > reach
    if value <= top and not beyond:
        return []
    side = -1.0 if amplitude > 0 else 1.0
    text = f"{significant(value)} ▴" if value > top else significant(value)
    if beyond:
        text = f"ϱ = {typed(amplitude)}: {text}"
    place = min(max(amplitude, -reach), reach)
    align = "left" if side > 0 else "right"
    below = value > 0.5 * top
    return [
        Label(place, min(value, top), text, "ink", align, dx=12 * side, dy=10 if below else -10, bold=True)
    ]
