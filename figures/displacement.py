"""Displacement: how far the gate pushes the state the stack settles on, over ϱ."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.curve import Frame, line_rows, visible
from figures.label import Label, label_rows
from figures.mark import Axes, named
from figures.number import significant, typed
from figures.phrase import at_resolution, fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed, tone
from presets import displacement_quantities, ladder_quantities, loop_quantities, quantities
from presets.displacement_quantities import Curve, Push
from presets.field import rounded_up
from presets.loop_quantities import GateLimit
from presets.schema import Scenario
from presets.visibility_quantities import LENT_BIAS

QUESTION = "How far is the state pushed?"

HEADROOM = 1.15

TYPICAL, WITHIN = 0.95, 0.8
"""Share of the curve that must fit below the top, of the points this far out to the limits."""

LINEAR = 0.05
"""Relative distance from the first-order slope up to which the response counts as linear."""


class Tables(NamedTuple):
    """Size of the settled state over ϱ.

    **Fields:**

    - `curve`: over the axis; None without a split or when it would take too long.
    - `push`: at the current ϱ; None without a split.
    - `has_persistent`: whether the persistent part is drawn; else all of u*.
    - `certificate`: best certificate, |ϱ|; 0 without one.
    - `limit`: limits of both signs, for the ψ of the scenario.
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
        limit=loop_quantities.boundary(scenario),
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
        named("certified").mark_rect(tooltip=None).encode(**box, color=fill),
        axes.domain(),
        axes.plumb("limits", palette.ink, strokeWidth=1.6),
        axes.line("slope", palette, strokeWidth=1.6, strokeDash=[2, 3]),
        axes.line("size", palette, strokeWidth=1.6, strokeDash=[6, 3]),
        axes.line("pushed", palette, strokeWidth=2.4),
        named("point").mark_point(size=110, **ring).encode(axes.x, axes.y),
        axes.hover("hover", amplitude="ϱ", persistent="d₊", size="‖u*‖"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut the curves to the frame and place the words."""
    reach, top, curve = tables.reach, _top(tables), tables.curve
    inside = min(tables.certificate, reach)
    limits = [
        end for end in (tables.limit.negative, tables.limit.positive) if end is not None and abs(end) <= reach
    ]
    shown = curve is not None and _limits_apply(tables)
    return {
        "dom": Rows(x=[-reach, reach], y=[0.0, top]),
        "certified": _band(inside if shown else 0.0, top),
        "limits": Rows(x=limits if shown else []),
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
    curve, push = tables.curve, tables.push
    if curve is None or push is None:
        return f"{_absence(tables)}."
    if curve.lent:
        said = f"ψ(0) = 0 pushes nothing: u* = 0. Drawn with a bias of {LENT_BIAS:g}·(1,…,1)/√d"
        return f"{said}{at_resolution(tables.resolution)}."
    value, slope = _chosen(tables, push.persistent, push.size), _slope(tables)
    where = f"At ϱ = {typed(tables.amplitude)}"
    if math.isnan(value):
        return f"{where} no settled state can be followed from ϱ = 0{at_resolution(tables.resolution)}."
    subject = "by" if tables.has_persistent else "as nothing persists, the whole state stands at"
    text = f"{where}, {subject} {significant(value)} state units"
    linear = abs(tables.amplitude) * slope
    if tables.amplitude == 0 or value == 0:
        return f"{text}{at_resolution(tables.resolution)}."
    close = abs(value - linear) <= LINEAR * linear
    rest = (
        "still in line with the slope at 0" if close else f"where the slope at 0 gives {significant(linear)}"
    )
    return fitting(f"{text}, {rest}{at_resolution(tables.resolution)}.", f"{text}, {rest}.", f"{text}.")


READ_ME = ReadMe(
    formula=(
        r"u^*(\ell+1)=B(\ell)u^*(\ell)+\varrho\,\psi(\hat u^*),\qquad d_+=\sup_\ell\|P_+u^*_\varrho\|,\qquad "
        r"d_+'(0)=\sup_\ell\|P_+G[\psi(0)]\|"
    ),
    statement=(
        "Theorem 10 and Proposition 11. u* is the one bounded solution, followed from ϱ = 0 by Newton’s "
        "method on the two-point problem of the window, or on the whole line for one layer or period, "
        "repeated. Depths that belong to the ends of a window do not count. All blocks share u*; the deep "
        "blocks of a cascade tend to it while |ϱ| is certified. If nothing persists, d₊ is 0 and ‖u*‖ is "
        "drawn instead."
    ),
    reading=(
        "Solid: d₊, the size of the persistent part. Dashed: all of u*. Dotted: the first-order slope at "
        "0. Green: certified to exist and to keep the split. Uprights: the true limits. A curve ends where "
        "u* can no longer be followed, and leaves through the top near a pole."
    ),
)


def _absence(tables: Tables) -> str:
    if not tables.has_split:
        return f"No settled state: there is no certified split{at_resolution(tables.resolution)}"
    return "Not followed here: the stack is too deep and wide; lower L or d"


def _limits_apply(tables: Tables) -> bool:
    """Whether the limits belong to the curve drawn: not when a lent bias moves Dψ."""
    return tables.limit.status != "needs-trajectory"


def _chosen(tables: Tables, persistent: float, size: float) -> float:
    return persistent if tables.has_persistent else size


def _slope(tables: Tables) -> float:
    curve = tables.curve
    return 0.0 if curve is None else _chosen(tables, curve.persistent_slope, curve.size_slope)


def _pushed(tables: Tables) -> np.ndarray:
    curve = tables.curve
    assert curve is not None
    return curve.persistent if tables.has_persistent else curve.size


def _top(tables: Tables) -> float:
    """Highest size drawn: most of the curve and the current point fit."""
    if tables.curve is None:
        return 1.0
    values = _pushed(tables)
    values = values[np.isfinite(values) & _kept(tables)]
    wanted = [
        float(np.quantile(values, TYPICAL)) if len(values) else 0.0,
        _slope(tables) * tables.certificate,
    ]
    if tables.push is not None:
        here = _chosen(tables, tables.push.persistent, tables.push.size)
        wanted += [here] if math.isfinite(here) and abs(tables.amplitude) <= tables.reach else []
    highest = HEADROOM * max(wanted)
    return rounded_up(highest) if highest > 0 else 1.0


def _kept(tables: Tables) -> np.ndarray:
    """Which points of the curve lie between the limits, away from the poles that may stand there."""
    assert tables.curve is not None
    amplitude, limit = tables.curve.amplitude, tables.limit
    if limit.negative is None or limit.positive is None or limit.negative == limit.positive:
        return np.ones(len(amplitude), dtype=bool)
    return (amplitude >= WITHIN * limit.negative) & (amplitude <= WITHIN * limit.positive)


def _curves(tables: Tables, top: float) -> dict[str, Rows]:
    curve = tables.curve
    if curve is None:
        return {name: line_rows({}) for name in ("slope", "size", "pushed")}
    tone_of = "persistent" if tables.has_persistent else "ink"
    straight = np.abs(curve.amplitude) * _slope(tables)
    size = curve.size if tables.has_persistent else np.full_like(curve.size, np.nan)
    drawn = {"slope": (tone_of, straight), "size": ("muted", size), "pushed": (tone_of, _pushed(tables))}
    return {name: _line(name, values, tone, tables.reach, top) for name, (tone, values) in drawn.items()}


def _line(name: str, values: np.ndarray, tone: str, reach: float, top: float) -> Rows:
    """Cut a curve over the grid to the frame."""
    last = len(values) - 1
    line = visible(values, Frame(last, 0.0, top))
    return line_rows({name: (tone, line._replace(x=(2 * line.x / last - 1) * reach))})


def _band(inside: float, top: float) -> Rows:
    drawn = inside > 0
    return Rows(
        x=[-inside] if drawn else [], x2=[inside] if drawn else [], y=0.0, y2=top, tone="certified_fill"
    )


def _point(tables: Tables, top: float) -> Rows:
    if tables.push is None or tables.curve is None or abs(tables.amplitude) > tables.reach:
        return Rows(x=[], y=[])
    value = _chosen(tables, tables.push.persistent, tables.push.size)
    shown = math.isfinite(value)
    return Rows(x=[tables.amplitude] if shown else [], y=[min(value, top)] if shown else [])


def _hover(tables: Tables, top: float) -> Rows:
    curve = tables.curve
    if curve is None:
        return Rows(x=[], y=[], amplitude=[], persistent=[], size=[])
    values = _pushed(tables)
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
    found = [_curve_label(tables, top)]
    if tables.has_persistent:
        found += _size_label(tables, top)
    if 2 * tables.certificate > 0.3 * tables.reach and _limits_apply(tables):
        found.append(Label(0.0, top, "certified", "certified", "center", dy=10, minor=True))
    return found


def _curve_label(tables: Tables, top: float) -> Label:
    """Name the solid curve at its right end inside the frame."""
    name = "d₊ = sup‖P₊u*‖" if tables.has_persistent else "‖u*‖"
    tone_of = "persistent" if tables.has_persistent else "ink"
    return _beside(tables, _pushed(tables), top, f"{name}", tone_of, share=0.62)


def _size_label(tables: Tables, top: float) -> list[Label]:
    assert tables.curve is not None
    values = tables.curve.size
    if not np.isfinite(values).any() or np.nanmax(values) == 0:
        return []
    return [_beside(tables, values, top, "‖u*‖", "muted", share=0.25)]


def _beside(
    tables: Tables, values: np.ndarray, top: float, text: str, tone_of: str, *, share: float
) -> Label:
    """Place a name beside the curve, at the drawn point nearest to a share of the axis."""
    assert tables.curve is not None
    inside = np.flatnonzero(np.isfinite(values) & (values > 0.15 * top) & (values < 0.85 * top))
    if len(inside) == 0:
        inside = np.flatnonzero(np.isfinite(values) & (values <= top))
    if len(inside) == 0:
        return Label(0.0, top / 2, text, tone_of, "center")
    wanted = share * (len(values) - 1)
    index = int(inside[np.argmin(np.abs(inside - wanted))])
    place = float(tables.curve.amplitude[index])
    rises = place >= 0
    return Label(
        place, float(values[index]), text, tone_of, "left" if rises else "right", dx=8 if rises else -8, dy=6
    )
