"""Gate limits in lanes: one bar of ϱ for every whole number or name, nothing in between."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.mark import Axes, named
from figures.number import rate, toward_zero
from figures.rows import Rows
from figures.theme import Palette, tone
from presets.field import rounded_up

HEIGHT = 0.3
"""Half-height of a bar; lanes are 1 apart."""

TOP = -1.1
"""Height of the frame above the first lane, where the current ϱ is named."""

MOST_REACH = 4.0
"""Most reaches of the ϱ slider that the axis covers for the sake of another lane."""


class Lane(NamedTuple):
    """The limits in one lane.

    **Fields:**

    - `name`: written at the axis.
    - `negative`, `positive`: limits of ϱ; None where `note` says why there are none.
    - `certificate`: best certificate there, |ϱ|.
    - `searched_to`: how far a search went; None when it was exhaustive.
    - `note`: words in place of a bar.
    - `is_soft`: whether the ends are those of a long chain's gain, not of the split.
    """

    name: str
    negative: float | None
    positive: float | None
    certificate: float
    searched_to: float | None = None
    note: str = ""
    is_soft: bool = False


class Lanes(NamedTuple):
    """All lanes, top down, and where the scenario stands.

    **Fields:**

    - `lanes`: the lanes.
    - `current`: index of the scenario's own lane; None when it has none.
    - `amplitude`: the current ϱ.
    - `reach`: half-width of the ϱ axis.
    """

    lanes: tuple[Lane, ...]
    current: int | None
    amplitude: float
    reach: float


def reach_of(lanes: tuple[Lane, ...], slider: float) -> float:
    """Choose the half-width of the axis: at least the slider's, and more where other lanes reach further."""
    ends = [abs(end) for lane in lanes for end in (lane.negative, lane.positive) if end is not None]
    finite = [end for end in ends if 0 < end < math.inf]
    furthest = max(finite, default=0.0)
    return max(slider, rounded_up(min(1.1 * furthest, MOST_REACH * slider))) if furthest > 0 else slider


def layers(palette: Palette, title: str | None) -> list[alt.Chart]:
    """Draw the lanes; `title` says what their names are."""
    names = alt.Axis(
        title=title,
        values=alt.expr("sequence(length(data('lanes')))"),
        tickCount=alt.expr("length(data('lanes'))"),
        labelExpr="datum.value < length(data('lanes')) ? data('lanes')[datum.value].name : ''",
        labelLimit=140,
        grid=False,
        ticks=False,
        domain=False,
        labelPadding=6,
    )
    amplitude = alt.Axis(title="gate amplitude ϱ", grid=False, tickCount=alt.expr("max(3, width / 70)"))
    axes = Axes(amplitude, names, reverse_y=True)
    box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
    fill = alt.Color("tone:N", scale=tone(palette), legend=None)
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    tips = [alt.Tooltip("range:N", title="kept for"), alt.Tooltip("certified:N", title="certified")]
    return [
        axes.domain(),
        axes.level("lanes", palette.grid, strokeWidth=1),
        named("bars").mark_rect().encode(**box, color=fill, tooltip=tips),
        named("certified").mark_rect().encode(**box, color=fill),
        axes.plumb("zero", palette.muted, strokeWidth=1, strokeDash=[1, 3]),
        axes.segment("ends", palette, strokeWidth=2.6),
        axes.segment("soft", palette, strokeWidth=2, strokeDash=[4, 3]),
        axes.segment("estimate", palette, strokeWidth=1.6, strokeDash=[6, 3]),
        named("point").mark_point(size=110, **ring).encode(axes.x, axes.y),
        *axes.labels(palette),
    ]


_ZERO = Rows(x=[0.0])


def datasets(found: Lanes, estimate: float | None) -> dict[str, Rows]:
    """Place bars, ends, the paper's estimate (None to leave it out) and the current ϱ."""
    reach, bars = found.reach, [(n, lane) for n, lane in enumerate(found.lanes) if lane.negative is not None]
    count = len(found.lanes)
    places = np.array([n for n, _ in bars], dtype=float)
    ends = np.array([(lane.negative, lane.positive) for _, lane in bars], dtype=float).reshape(-1, 2)
    sought = np.array([lane.searched_to or math.inf for _, lane in bars], dtype=float)[:, None]
    proved = np.array([lane.certificate for _, lane in bars], dtype=float)
    cut = np.where(np.isinf(ends), np.clip(ends, -sought, sought), ends).clip(-reach, reach)
    certified = np.minimum(np.stack([proved, proved], axis=1), np.abs(cut)) * [-1, 1]
    height = Rows(y=places - HEIGHT, y2=places + HEIGHT)
    return {
        "dom": Rows(x=[-reach, reach], y=[TOP, count - 0.4]),
        "lanes": Rows(
            y=np.arange(count),
            name=np.array([lane.name for lane in found.lanes], dtype=object),
        ),
        "bars": height.having(
            x=cut[:, 0],
            x2=cut[:, 1],
            tone="kept_fill",
            range=np.array([_range(*end) for end in ends], dtype=object),
            certified=np.array([f"|ϱ| < {rate(value, 'down')}" for value in proved], dtype=object),
        ),
        "certified": height.having(x=certified[:, 0], x2=certified[:, 1], tone="certified_fill"),
        "zero": _ZERO,
        "ends": _end_rows(found, soft=False),
        "soft": _end_rows(found, soft=True),
        "estimate": _estimate_rows(found, estimate),
        "point": _point(found),
    }


def table(found: Lanes, title: str) -> pd.DataFrame:
    """Return one row per lane; `title` heads the column of their names."""
    sides = {
        name: np.array([getattr(lane, side) for lane in found.lanes], dtype=float)
        for name, side in (("lower limit of ϱ", "negative"), ("upper limit of ϱ", "positive"))
    }
    return pd.DataFrame(
        {
            title: [lane.name for lane in found.lanes],
            **sides,
            "certified |ϱ|": [lane.certificate for lane in found.lanes],
            "remark": [lane.note or "–" for lane in found.lanes],
        }
    )


def _range(negative: float, positive: float) -> str:
    return f"{toward_zero(negative)} < ϱ < {toward_zero(positive)}"


def _end_rows(found: Lanes, *, soft: bool) -> Rows:
    """Strokes across the bars at the limits inside the frame."""
    rows = [
        (end, place)
        for place, lane in enumerate(found.lanes)
        for end in (lane.negative, lane.positive)
        if end is not None and abs(end) <= found.reach and lane.is_soft == soft
    ]
    x, y = np.array(rows, dtype=float).reshape(-1, 2).T
    return Rows(x=x, x2=x, y=y - HEIGHT - 0.06, y2=y + HEIGHT + 0.06, tone="muted" if soft else "ink")


def _estimate_rows(found: Lanes, estimate: float | None) -> Rows:
    """Uprights through all lanes at the paper's estimate, on both sides."""
    drawn = estimate is not None and 0 < estimate <= found.reach
    x = np.array([-1.0, 1.0]) * (estimate or 0.0) if drawn else np.empty(0)
    return Rows(x=x, x2=x, y=-0.5, y2=len(found.lanes) - 0.5, tone="paper")


def _point(found: Lanes) -> Rows:
    if found.current is None:
        return Rows(x=[], y=[])
    return Rows(x=[min(max(found.amplitude, -found.reach), found.reach)], y=[float(found.current)])
