"""Chart pieces that every figure is layered from; each draws one named dataset with columns `x` and `y`."""

from typing import Any

import altair as alt

from figures.theme import NARROW, Palette, tone

HALO = 5
"""Width in pixels of the ground-coloured rim that keeps a label legible over lines."""

_SUPERSCRIPT = "'⁰¹²³⁴⁵⁶⁷⁸⁹'"


def named(name: str) -> alt.Chart:
    """Start a layer that draws the dataset called `name`."""
    return alt.Chart(alt.NamedData(name))


class Axes:
    """The two position channels all layers of a figure share."""

    def __init__(self, x: alt.Axis | None, y: alt.Axis | None, *, reverse_y: bool = False) -> None:
        self.x = alt.X("x:Q", axis=x, scale=alt.Scale(domain=_ends("x"), nice=False, zero=False))
        self.y = alt.Y(
            "y:Q", axis=y, scale=alt.Scale(domain=_ends("y"), nice=False, zero=False, reverse=reverse_y)
        )

    def domain(self) -> alt.Chart:
        """Draw nothing: the two rows of dataset `dom` alone say how far the axes reach."""
        return named("dom").mark_point(opacity=0).encode(self.x, self.y)

    def line(self, name: str, palette: Palette, **style: Any) -> alt.Chart:
        """Draw one polyline per `part`, in the colour its `tone` names."""
        return (
            named(name)
            .mark_line(clip=True, **style)
            .encode(
                self.x,
                self.y,
                detail="part:N",
                order="order:Q",
                color=alt.Color("tone:N", scale=tone(palette), legend=None),
            )
        )

    def level(self, name: str, colour: str, **style: Any) -> alt.Chart:
        """Draw a level across the whole plot at each `y`."""
        return named(name).mark_rule(color=colour, **style).encode(self.y)

    def plumb(self, name: str, colour: str, **style: Any) -> alt.Chart:
        """Draw an upright across the whole plot at each `x`."""
        return named(name).mark_rule(color=colour, clip=True, **style).encode(self.x)

    def segment(self, name: str, palette: Palette, **style: Any) -> alt.Chart:
        """Draw a straight stroke from `x`, `y` to `x2`, `y2`."""
        return (
            named(name)
            .mark_rule(clip=True, **style)
            .encode(
                self.x,
                self.y,
                alt.X2("x2"),
                alt.Y2("y2"),
                color=alt.Color("tone:N", scale=tone(palette), legend=None),
            )
        )

    def dot(self, name: str, palette: Palette, **style: Any) -> alt.Chart:
        """Draw a dot at each row, filled unless the style says otherwise."""
        return (
            named(name)
            .mark_point(**{"filled": True, "opacity": 1, **style})
            .encode(self.x, self.y, color=alt.Color("tone:N", scale=tone(palette), legend=None))
        )

    def hover(self, name: str, **titles: str) -> alt.Chart:
        """Lay invisible dots that tell the columns named in `titles` when pointed at."""
        tips = [alt.Tooltip(f"{column}:N", title=title) for column, title in titles.items()]
        return (
            named(name)
            .mark_point(filled=True, opacity=0, size=90, clip=True)
            .encode(self.x, self.y, tooltip=tips)
        )

    def labels(self, palette: Palette, name: str = "labels", *, angle: int = 0) -> list[alt.Chart]:
        """Write the rows of `figures.label` over a rim of ground colour."""
        place = {key: alt.expr(f"datum.{key}") for key in ("dx", "dy", "align")}
        weight = alt.expr("datum.bold ? 600 : 400")
        words = alt.Text("text:N")
        wide = alt.condition(f"width > {NARROW} || !datum.minor", words, alt.value(""))
        style: dict[str, Any] = {**place, "fontWeight": weight, "baseline": "middle", "angle": angle}
        rim = {"stroke": palette.ground, "strokeWidth": HALO, "strokeJoin": "round", "opacity": 0.95}
        colour = alt.Color("tone:N", scale=tone(palette), legend=None)
        text = named(name)
        return [
            text.mark_text(**style, **rim).encode(self.x, self.y, text=wide, color=colour),
            text.mark_text(**style).encode(self.x, self.y, text=wide, color=colour),
        ]


def _ends(axis: str) -> list[alt.ExprRef]:
    """Read both ends of an axis from the dataset `dom`; 0 and 1 as long as it is empty."""
    return [alt.expr(f"length(data('dom')) > 1 ? data('dom')[{row}].{axis} : {row}") for row in (0, 1)]


def layer_axis(title: str = "layer ℓ", *, upright: bool = False) -> alt.Axis:
    """Axis of layers: whole numbers; runs across unless it is upright."""
    ticks = _whole_ticks("y", "height / 40") if upright else _whole_ticks("x", "width / 70")
    return alt.Axis(title=title, grid=False, format="d", tickCount=ticks)


def power_axis(title: str, *, across: bool = False) -> alt.Axis:
    """Axis of base-ten logarithms, labelled 10ⁿ; upright unless it runs across."""
    size = "abs(round(datum.value))"
    digit = f"slice({_SUPERSCRIPT}, {size} % 10, {size} % 10 + 1)"
    tens = f"slice({_SUPERSCRIPT}, floor({size} / 10) % 10, floor({size} / 10) % 10 + 1)"
    hundreds = f"slice({_SUPERSCRIPT}, floor({size} / 100) % 10, floor({size} / 100) % 10 + 1)"
    thousands = f"slice({_SUPERSCRIPT}, floor({size} / 1000) % 10, floor({size} / 1000) % 10 + 1)"
    exponent = (
        f"({size} > 999 ? {thousands} : '') + ({size} > 99 ? {hundreds} : '')"
        f" + ({size} > 9 ? {tens} : '') + {digit}"
    )
    label = (
        f"round(datum.value) == 0 ? '1' : round(datum.value) == 1 ? '10' : "
        f"'10' + (datum.value < 0 ? '⁻' : '') + {exponent}"
    )
    ticks = _whole_ticks("x", "width / 60") if across else _whole_ticks("y", "height / 32")
    return alt.Axis(title=title, labelExpr=label, tickCount=ticks, grid=not across)


def _whole_ticks(scale: str, wanted: str) -> alt.ExprRef:
    """Count ticks so that none falls between whole numbers."""
    return alt.expr(f"min(max(2, {wanted}), span(domain('{scale}')))")
