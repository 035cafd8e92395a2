"""Gate stability map: which amplitudes ϱ the split of the stack survives, over a second parameter."""

from typing import NamedTuple

import altair as alt
import pandas as pd

from figures import certified_band, gate_axis, gate_label, gate_still, region
from figures.gate_map_words import READ_ME as READ_ME
from figures.gate_map_words import said
from figures.label import Label, label_rows
from figures.mark import Axes, named
from figures.phrase import region_names
from figures.rows import Rows
from figures.theme import TITLE_SIZE, Palette, themed, tone
from presets import ladder_quantities, limit_map, loop_quantities, map_axis, map_certificates, quantities
from presets.gate_limit import GateLimit
from presets.ladder_quantities import Standing
from presets.limit_map import LimitMap
from presets.map_axis import ANGLE, GAIN, Axis
from presets.map_certificates import Certified
from presets.schema import Scenario

QUESTION = "How far can the gate open?"

OWN_AXES = ("x", "y")
"""Axes never shared with another's chart: beyond its own ends of ϱ nothing is computed, and the second
parameter may mean something else in every scenario."""


class Tables(NamedTuple):
    """Limits over a second parameter, and where the scenario stands.

    **Fields:**

    - `map`: limits and regions over ϱ and the second parameter; None where there is no limit to draw.
    - `limit`: the limit of both signs for the scenario itself.
    - `reach`: half-width of the ϱ axis.
    - `amplitude`: the current ϱ.
    - `axis`, `value`: the second parameter, and its current value (None where the scenario has none).
    - `inside`: what has become of the split there.
    - `certified`: what is certified, lane by lane; None without a map or without a split.
    - `rank`, `width`: how many directions grow in the open loop (None when unknown), and of how many.
    - `cascade`: whether blocks read only their left neighbour.
    """

    map: LimitMap | None
    limit: GateLimit
    reach: float
    amplitude: float
    axis: Axis
    value: float | None
    inside: Standing
    certified: Certified | None
    rank: int | None
    width: int
    cascade: bool


def compute(scenario: Scenario, over: str = ANGLE) -> Tables:
    """Collect the map over a second parameter, named as in the link, the current limits and point."""
    axis, found = map_axis.axis_of(scenario, over), limit_map.map_of_limits(scenario, over)
    return Tables(
        map=found,
        limit=loop_quantities.boundary(scenario),
        reach=loop_quantities.amplitude_reach(scenario),
        amplitude=scenario.gate.amplitude,
        axis=axis,
        value=map_axis.value(axis, scenario),
        inside=ladder_quantities.standing(scenario),
        certified=None if found is None else map_certificates.certified(scenario, axis, found.values),
        rank=quantities.spectrum(scenario).persistent_rank,
        width=scenario.family.width,
        cascade=scenario.gate.topology == "cascade",
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    places = "pluck(data('ticks'), 'y')"
    which = f"indexof({places}, datum.value)"
    upright = alt.Axis(
        title=None,
        values=alt.expr(places),
        labelExpr=f"{which} < 0 ? '' : data('ticks')[{which}].text",
        ticks=False,
        labelPadding=6,
        grid=False,
    )
    across = alt.Axis(title="gate amplitude ϱ", grid=False, tickCount=alt.expr("max(3, width / 70)"))
    axes = Axes(across, upright)
    box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
    fill = alt.Color("tone:N", scale=tone(palette), legend=None)
    seamless = alt.Stroke("tone:N", scale=tone(palette), legend=None)
    title = named("title").mark_text(
        angle=270, baseline="bottom", dy=alt.expr("datum.dy"), color=palette.muted, fontSize=TITLE_SIZE
    )
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    return [
        axes.domain(),
        named("ticks").mark_rule(color=palette.rule).encode(axes.y, x=alt.value(-4), x2=alt.value(0)),
        title.encode(x=alt.value(0), y=alt.value(alt.expr("height / 2")), text="text:N"),
        named("base").mark_rect().encode(**box, color=fill),
        named("patches").mark_rect(strokeWidth=1).encode(**box, color=fill, stroke=seamless),
        named("kept")
        .mark_area(color=palette.kept_fill, orient="horizontal")
        .encode(axes.x, axes.y, alt.X2("x2")),
        named("certified")
        .mark_area(color=palette.certified_fill, orient="horizontal")
        .encode(axes.x, axes.y, alt.X2("x2"), detail="part:N"),
        axes.plumb("zero", palette.muted, strokeWidth=1, strokeDash=[1, 3]),
        axes.plumb("string", palette.muted, strokeWidth=1.6, strokeDash=[6, 3]),
        axes.line("estimate", palette, strokeWidth=1.6, strokeDash=[6, 3]),
        axes.line("limits", palette, strokeWidth=2),
        axes.segment("range", palette, strokeWidth=1, strokeDash=[2, 2]),
        axes.dot("ends", palette, size=38),
        *axes.labels(palette),
        named("point").mark_point(size=130, **ring).encode(axes.x, axes.y),
    ]


TEMPLATE = themed(_layers, left=24)

_ZERO = Rows(x=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place regions, limits, the current point and the words."""
    found, reach, limit, axis = tables.map, tables.reach, tables.limit, tables.axis
    height = gate_axis.height(axis, found, tables.value)
    upright = gate_still.upright(found, axis)
    ends = [end for end in (limit.negative, limit.positive) if limit.negative != limit.positive]
    known = [end for end in ends if found is not None and end is not None]
    shown, (certified, estimate) = _shown(tables, height), _certified(tables, height, upright.heights)
    return {
        "dom": Rows(x=[-reach, reach], y=upright.heights.ends),
        "ticks": upright.ticks,
        "title": upright.title,
        "base": shown.base,
        "patches": shown.patches,
        "kept": shown.kept,
        "certified": certified,
        "estimate": estimate,
        "limits": shown.limits,
        "zero": _ZERO,
        "string": Rows(x=gate_label.strings(limit, reach)),
        "range": _range_row([min(max(end, -reach), reach) for end in known], height),
        "ends": _points([end for end in known if abs(end) <= reach], height),
        "point": _points([min(max(tables.amplitude, -reach), reach)], height),
        "labels": label_rows(_labels(tables, height, upright.heights)),
    }


def _shown(tables: Tables, height: float | None) -> region.Drawn:
    """Choose what is drawn: the map, or one fill where there is none or nothing to keep in it."""
    found, limit = tables.map, tables.limit
    if found is None or not gate_label.splits(found):
        tone = "kept_fill" if found is None else "undecided_fill"
        ends = gate_axis.heights(tables.axis, found).ends
        return region.whole(tables.reach, ends, None if limit.negative is None else tone)
    current = None
    if height is not None and limit.negative is not None and limit.positive is not None:
        current = region.Lane(height, limit.negative, limit.positive)
    exact = limit.resolution is None and limit.status == "complete"
    return gate_still.regions(found, tables.axis, tables.reach, current, exact=exact)


def _certified(tables: Tables, height: float | None, heights: gate_axis.Heights) -> tuple[Rows, Rows]:
    """Draw what is certified, and the paper's margin."""
    if tables.map is None or tables.certified is None or not gate_label.splits(tables.map):
        return certified_band.NOTHING
    place = certified_band.Place(tables.reach, heights, height)
    return certified_band.drawn(tables.map, tables.certified, place, inverse=tables.axis.name == GAIN)


def _labels(tables: Tables, height: float | None, heights: gate_axis.Heights) -> list[Label]:
    found = tables.map
    ranks = set() if found is None else {rank for rank in found.ranks.tolist() if rank >= 0}
    names = region_names(ranks.pop() if len(ranks) == 1 else None, tables.width)
    stand = gate_label.Stand(tables.amplitude, height, tables.reach, heights)
    placed = gate_label.labels(found, tables.limit, stand, names, tables.certified)
    if found is None or tables.value is None or heights.ends != gate_axis.ALONE:
        return placed
    return [*placed, Label(0, stand.up(0.06), gate_label.TOO_COSTLY, "muted", "center")]


def table(tables: Tables) -> pd.DataFrame:
    """Return the limits over the second parameter, or those of the scenario alone."""
    found, limit = tables.map, tables.limit
    columns = {"negative": "lower limit of ϱ", "positive": "upper limit of ϱ"}
    if found is None:
        rows = {"negative": [limit.negative], "positive": [limit.positive]}
        return pd.DataFrame(rows, dtype=float).rename(columns=columns)
    rows = {gate_axis.title(tables.axis): found.values} | {name: getattr(found, name) for name in columns}
    if tables.certified is not None and tables.certified.lanes is not None:
        rows["best certificate, |ϱ|"], rows["paper’s margin, |ϱ|"] = tables.certified.lanes.T
    return pd.DataFrame(rows).dropna(axis="columns", how="all").rename(columns=columns)


def caption(tables: Tables) -> str:
    """Say for which amplitudes the split is kept, and where the current one stands."""
    where = "" if tables.value is None else gate_axis.at(tables.axis, tables.value)
    return said(
        tables.limit, tables.amplitude, where, tables.inside, tables.rank, tables.width, tables.cascade
    )


def unnamed(tables: Tables) -> str:
    """Name what is drawn that a narrow column has no room to name, for printed captions."""
    drawn = datasets(tables)
    words = {"estimate": "Dashed: the paper’s estimate.", "certified": "Darker strip: certified."}
    return " ".join(text for name, text in words.items() if len(drawn[name]))


def _points(x: list[float], height: float | None) -> Rows:
    return Rows(x=x if height is not None else [], y=height or 0.0, tone="ink")


def _range_row(ends: list[float], height: float | None) -> Rows:
    """Stroke between the two limits of the scenario itself."""
    row = _points(ends[:1], height)
    return row.having(x2=ends[1:] if len(row) else [], y2=row["y"])
