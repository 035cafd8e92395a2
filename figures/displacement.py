"""Displacement: how far the gate pushes the state the stack settles on, over ϱ."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures import displacement_frame, displacement_label, displacement_words
from figures.clear_place import RING, Bounds, clear_places, upright
from figures.curve import Frame, Polyline, line_rows, visible
from figures.displacement_frame import Limits
from figures.displacement_words import READ_ME as READ_ME
from figures.label import Label, label_rows
from figures.mark import Axes, named
from figures.number import significant, typed
from figures.phrase import at_resolution
from figures.rows import Rows
from figures.theme import Palette, themed, tone
from presets import displacement_quantities, ladder_quantities, loop_quantities, quantities
from presets.displacement_quantities import Curve, Push
from presets.gate_limit import GateLimit
from presets.schema import Scenario

QUESTION = "How far is the state pushed?"


class Tables(NamedTuple):
    """Size of the settled state over ϱ.

    **Fields:**

    - `curve`: over the axis; None without a split or when it would take too long.
    - `push`: at the current ϱ; None without a split.
    - `has_persistent`: whether the persistent part is drawn; else all of u*.
    - `certificate`: best certificate, |ϱ|; 0 without one.
    - `limit`: limits of both signs, for the ψ drawn.
    - `amplitude`, `reach`: the current ϱ, and half the width of the axis.
    - `resolution`: H in layers; None when the split is exact.
    - `has_split`: whether there is a certified split.
    """

    curve: Curve | None
    push: Push | None
    has_persistent: bool
    certificate: float
    limit: GateLimit
    amplitude: float
    reach: float
    resolution: int | None
    has_split: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the curve, its slope at 0 and the limits around it."""
    spectrum, best = quantities.spectrum(scenario), ladder_quantities.certificate(scenario)
    return Tables(
        curve=displacement_quantities.curve(scenario),
        push=displacement_quantities.push(scenario),
        has_persistent=bool(spectrum.persistent_rank),
        certificate=0.0 if best is None else best.value,
        limit=loop_quantities.boundary(displacement_quantities.drawn(scenario)),
        amplitude=scenario.gate.amplitude,
        reach=loop_quantities.amplitude_reach(scenario),
        resolution=spectrum.resolution,
        has_split=best is not None,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    amplitude = alt.Axis(title="gate amplitude ϱ", grid=False, tickCount=alt.expr("max(3, width / 70)"))
    height = alt.Axis(title="size (state units)", tickCount=alt.expr("max(2, height / 45)"))
    axes = Axes(amplitude, height)
    box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
    fill = alt.Color("tone:N", scale=tone(palette), legend=None)
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    return [
        named("certified").mark_rect().encode(**box, color=fill),
        axes.domain(),
        axes.plumb("limits", palette.ink, strokeWidth=1.6),
        axes.line("slope", palette, strokeWidth=1.6, strokeDash=[2, 3]),
        axes.line("size", palette, strokeWidth=1.6, strokeDash=[6, 3]),
        axes.line("pushed", palette, strokeWidth=2.4),
        axes.dot("exits", palette, size=60, shape="triangle-up"),
        named("point").mark_point(size=110, **ring).encode(axes.x, axes.y),
        axes.hover("hover", amplitude="ϱ", persistent="d₊", size="‖u*‖"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut the curves to the frame and place the words."""
    reach, top = tables.reach, _top(tables)
    inside = 0.0 if tables.curve is None else min(tables.certificate, reach)
    ends = [tables.limit.negative, tables.limit.positive] if tables.curve is not None else []
    return {
        "dom": Rows(x=[-reach, reach], y=[0.0, top]),
        "certified": _band(inside, top),
        "limits": Rows(x=[end for end in ends if end is not None and abs(end) <= reach]),
        **_curves(tables, top),
        "point": _point(tables, top),
        "hover": _hover(tables, top),
        "labels": label_rows(_labels(tables, top)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per amplitude."""
    curve = tables.curve
    if curve is None:
        return pd.DataFrame({"gate amplitude ϱ": [tables.amplitude], "remark": [_absence(tables)]})
    return pd.DataFrame(
        {
            "gate amplitude ϱ": curve.amplitude,
            "sup‖P₊u*‖ (state units)": curve.persistent,
            "sup‖u*‖ (state units)": curve.size,
        }
    )


def caption(tables: Tables) -> str:
    """Say how far u* is pushed at the current ϱ, and whether the response is still linear."""
    if tables.curve is None or tables.push is None:
        return f"{_absence(tables)}."
    if tables.curve.lent:
        return displacement_words.lent(tables.resolution)
    return displacement_words.pushed(
        tables.amplitude,
        _chosen(tables, *tables.push),
        _slope(tables),
        persists=tables.has_persistent,
        resolution=tables.resolution,
    )


def _absence(tables: Tables) -> str:
    if not tables.has_split:
        return f"No settled state: there is no certified split{at_resolution(tables.resolution)}"
    return "Not followed here: the stack is too deep and wide; lower L or d"


def _chosen(tables: Tables, persistent: float, size: float) -> float:
    return persistent if tables.has_persistent else size


def _slope(tables: Tables) -> float:
    curve = tables.curve
    return 0.0 if curve is None else _chosen(tables, curve.persistent_slope, curve.size_slope)


def _pushed(curve: Curve, tables: Tables) -> np.ndarray:
    return curve.persistent if tables.has_persistent else curve.size


def _is_all(curve: Curve) -> bool:
    """Whether the persistent part is all of u*, so that one curve hides the other."""
    return bool(np.allclose(curve.persistent, curve.size, rtol=1e-9, equal_nan=True))


def _top(tables: Tables) -> float:
    """Highest size drawn: the curve up to near the limits fits, and the current point unless far above."""
    if tables.curve is None:
        return 1.0
    here = _value(tables) if abs(tables.amplitude) <= tables.reach else None
    return displacement_frame.top(
        tables.curve.amplitude,
        _pushed(tables.curve, tables),
        Limits(tables.limit.negative, tables.limit.positive),
        _slope(tables) * min(tables.certificate, tables.reach),
        here,
    )


def _curves(tables: Tables, top: float) -> dict[str, Rows]:
    curve = tables.curve
    if curve is None:
        nothing = Rows(x=[], y=[], tone=[])
        return {name: line_rows({}) for name in ("slope", "size", "pushed")} | {"exits": nothing}
    tone_of = "persistent" if tables.has_persistent else "ink"
    tones = {"slope": tone_of, "size": "muted", "pushed": tone_of}
    lines = _lines(tables, curve, top)
    rows = {name: line_rows({name: (tones[name], line)}) for name, line in lines.items()}
    return rows | {"exits": displacement_frame.exits(lines["pushed"], top, tone_of)}


def _lines(tables: Tables, curve: Curve, top: float) -> dict[str, Polyline]:
    """Cut the slope at 0, the size of u* and the size of what persists of it to the frame."""
    hidden = not tables.has_persistent or _is_all(curve)
    drawn = {
        "slope": np.abs(curve.amplitude) * _slope(tables),
        "size": np.full_like(curve.size, np.nan) if hidden else curve.size,
        "pushed": _pushed(curve, tables),
    }
    return {name: _line(values, tables.reach, top) for name, values in drawn.items()}


def _line(values: np.ndarray, reach: float, top: float) -> Polyline:
    """Cut a curve over the grid to the frame."""
    last = len(values) - 1
    line = visible(values, Frame(last, 0.0, top))
    return line._replace(x=(2 * line.x / last - 1) * reach)


def _band(inside: float, top: float) -> Rows:
    drawn = inside > 0
    return Rows(
        x=[-inside] if drawn else [], x2=[inside] if drawn else [], y=0.0, y2=top, tone="certified_fill"
    )


def _value(tables: Tables) -> float | None:
    """The size drawn at the current ϱ; None where u* is not known."""
    if tables.push is None or tables.curve is None:
        return None
    value = _chosen(tables, *tables.push)
    return value if math.isfinite(value) else None


def _point(tables: Tables, top: float) -> Rows:
    """Ring of the current ϱ, at the frame where it lies beyond it."""
    value = _value(tables)
    place = min(max(tables.amplitude, -tables.reach), tables.reach)
    return Rows(x=[], y=[]) if value is None else Rows(x=[place], y=[min(value, top)])


def _hover(tables: Tables, top: float) -> Rows:
    curve = tables.curve
    if curve is None:
        return Rows(x=[], y=[], amplitude=[], persistent=[], size=[])
    values = _pushed(curve, tables)
    kept = np.isfinite(values) & (values <= top)
    columns = {"persistent": curve.persistent, "size": curve.size}
    texts = {name: [significant(value) for value in column[kept]] for name, column in columns.items()}
    amplitude = curve.amplitude[kept]
    return Rows(
        x=amplitude,
        y=values[kept],
        amplitude=np.array([typed(float(f"{value:.4g}")) for value in amplitude], dtype=object),
        **{name: np.array(text, dtype=object) for name, text in texts.items()},
    )


def _labels(tables: Tables, top: float) -> list[Label]:
    curve = tables.curve
    if curve is None:
        words = "no split" if not tables.has_split else "too deep and wide to follow here"
        return [Label(0.0, top / 2, words, align="center", bold=True)]
    if np.isfinite(curve.size).sum() < 2:
        return [Label(0.0, top / 2, "u* is lost at once", align="center", bold=True)]
    written, value = [], _value(tables)
    if value is not None:
        written += displacement_label.off_scale(tables.amplitude, value, tables.reach, top)
    if 2 * tables.certificate > 0.3 * tables.reach:
        written.append(Label(0.0, top, "certified", "certified", "center", dy=10, minor=True))
    bounds = Bounds(-tables.reach, tables.reach, 0.0, top)
    lines = _lines(tables, curve, top)
    names = displacement_label.names(
        lines["pushed"], lines["size"], persists=tables.has_persistent, is_all=_is_all(curve)
    )
    point = _point(tables, top)
    ring = [Label(x, y, RING, align="center") for x, y in zip(point["x"], point["y"], strict=True)]
    ends = [end for end in (tables.limit.negative, tables.limit.positive) if end is not None]
    uprights = [upright(end, bounds) for end in ends if abs(end) <= tables.reach]
    return written + clear_places(names, [*lines.values(), *uprights], bounds, [*written, *ring])
