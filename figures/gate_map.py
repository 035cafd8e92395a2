"""Gate stability map: which amplitudes ϱ and directions of ψ the split of the stack survives."""

import math
from functools import lru_cache
from typing import NamedTuple

import altair as alt
import pandas as pd

from figures import gate_label, region
from figures.label import label_rows
from figures.mark import Axes, named
from figures.number import rate, toward_zero, typed
from figures.phrase import at_resolution, fitting, kept, region_names
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import TITLE_SIZE, Palette, themed, tone
from presets import loop_quantities, quantities
from presets.loop_quantities import GateLimit, Inside, LimitMap
from presets.schema import Scenario

QUESTION = "How far can the gate open?"

NO_ANGLE = (1000.0, 1001.0)
"""Heights of the single lane of a ψ without an angle; the axis leaves them unlabelled."""


class Tables(NamedTuple):
    """Limits over the angle of ψ, and where the scenario stands.

    **Fields:**

    - `map`: limits and regions over ϱ and the angle; None where there is no limit to draw.
    - `limit`: the limit of both signs for the current ψ.
    - `reach`: half-width of the ϱ axis.
    - `amplitude`, `angle`: the current ϱ and θ (degrees, None where ψ has no angle).
    - `inside`: what has become of the split there.
    - `rank`, `width`: how many directions grow in the open loop (None when unknown), and of how many.
    - `cascade`: whether blocks read only their left neighbour.
    """

    map: LimitMap | None
    limit: GateLimit
    reach: float
    amplitude: float
    angle: float | None
    inside: Inside
    rank: int | None
    width: int
    cascade: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the map, the current limits and the current point."""
    injected = scenario.gate.injection
    return Tables(
        map=loop_quantities.map_of_limits(scenario),
        limit=loop_quantities.boundary(scenario),
        reach=loop_quantities.amplitude_reach(scenario),
        amplitude=scenario.gate.amplitude,
        angle=injected.angle if injected.alignment == "angle" else None,
        inside=loop_quantities.inside(scenario),
        rank=quantities.spectrum(scenario).persistent_rank,
        width=scenario.family.width,
        cascade=scenario.gate.topology == "cascade",
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    degrees = [30 * step for step in range(-6, 7)]
    angle = alt.Axis(title=None, values=degrees, tickCount=len(degrees), grid=False)
    amplitude = alt.Axis(title="gate amplitude ϱ", grid=False, tickCount=alt.expr("max(3, width / 70)"))
    axes = Axes(amplitude, angle)
    box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
    fill = alt.Color("tone:N", scale=tone(palette), legend=None)
    seamless = alt.Stroke("tone:N", scale=tone(palette), legend=None)
    title = named("title").mark_text(angle=270, baseline="bottom", color=palette.muted, fontSize=TITLE_SIZE)
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    return [
        axes.domain(),
        title.encode(x=alt.value(-30), y=alt.value(alt.expr("height / 2")), text="text:N"),
        named("base").mark_rect(tooltip=None).encode(**box, color=fill),
        named("patches").mark_rect(strokeWidth=1, tooltip=None).encode(**box, color=fill, stroke=seamless),
        named("kept")
        .mark_area(color=palette.kept_fill, orient="horizontal", tooltip=None)
        .encode(axes.x, axes.y, alt.X2("x2")),
        axes.plumb("zero", palette.muted, strokeWidth=1, strokeDash=[1, 3]),
        axes.plumb("string", palette.muted, strokeWidth=1.6, strokeDash=[6, 3]),
        axes.line("limits", palette, strokeWidth=2),
        axes.segment("range", palette, strokeWidth=1, strokeDash=[2, 2]),
        axes.dot("ends", palette, size=38),
        *axes.labels(palette),
        named("point").mark_point(size=130, **ring).encode(axes.x, axes.y),
    ]


TEMPLATE = themed(_layers, left=20)

_ZERO, _TITLE, _NO_TITLE = Rows(x=[0.0]), Rows(text=["angle of ψ to the split, θ (°)"]), Rows(text=[])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place regions, limits, the current point and the words."""
    found, reach, limit = tables.map, tables.reach, tables.limit
    heights, height = _heights(found), _height(tables)
    splits = found is not None and limit.negative != limit.positive
    if found is not None and splits:
        drawn = _drawn(_Same(found), reach, heights, limit.resolution is None)
    else:
        drawn = region.whole(reach, heights, None if limit.negative is None else _whole_tone(found))
    ends = [end for end in (limit.negative, limit.positive) if splits and end is not None]
    labels = gate_label.labels(
        found,
        limit,
        gate_label.Stand(tables.amplitude, height, reach, heights),
        region_names(tables.rank, tables.width),
    )
    return {
        "dom": Rows(x=[-reach, reach], y=heights),
        "title": _TITLE if heights != NO_ANGLE else _NO_TITLE,
        "base": drawn.base,
        "patches": drawn.patches,
        "kept": drawn.kept,
        "limits": drawn.limits,
        "zero": _ZERO,
        "string": Rows(x=gate_label.strings(limit, reach)),
        "range": _range_row([min(max(end, -reach), reach) for end in ends], height),
        "ends": _points([end for end in ends if abs(end) <= reach], height),
        "point": _points([min(max(tables.amplitude, -reach), reach)], height),
        "labels": label_rows(labels),
    }


class _Same:
    """A map as a key: equal only to itself, since it is remembered and never changed."""

    def __init__(self, found: LimitMap) -> None:
        self.found = found

    def __hash__(self) -> int:
        return id(self.found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.found is self.found


@lru_cache(maxsize=64)
def _drawn(same: _Same, reach: float, heights: tuple[float, float], exact: bool) -> region.Drawn:
    """Draw the regions once for all ϱ."""
    return region.drawn(same.found, reach, heights, exact=exact)


def table(tables: Tables) -> pd.DataFrame:
    """Return the limits over the angle of ψ, or those of the current ψ alone."""
    found = tables.map
    if found is None:
        limit = tables.limit
        rows = {"negative": [limit.negative], "positive": [limit.positive]}
        return pd.DataFrame(rows, dtype=float).rename(columns=_COLUMNS)
    rows = {"angle": found.angles, "negative": found.negative, "positive": found.positive}
    return pd.DataFrame(rows).dropna(axis="columns", how="all").rename(columns=_COLUMNS)


_COLUMNS = {"angle": "angle of ψ (°)", "negative": "lower limit of ϱ", "positive": "upper limit of ϱ"}


def caption(tables: Tables) -> str:
    """Say for which amplitudes the split is kept, and where the current one stands."""
    limit, exact = tables.limit, tables.limit.resolution is None
    if limit.status == "not-a-loop":
        return "The summary is never refreshed: no loop closes, so ϱ cannot change the split."
    if limit.negative is None or limit.positive is None:
        return "ψ has a bias: its limit needs the trajectory u*, so no range is shown."
    if tables.cascade:
        return f"A cascade keeps its split at every ϱ; {_string(limit)}."
    if limit.negative == limit.positive:
        reason = "1 lies in the open-loop spectrum" if exact else "the open loop has no certified gap"
        return f"There is no split to keep: {reason}{at_resolution(limit.resolution)}."
    where = "For this ψ" if tables.angle is None else f"At θ = {typed(tables.angle)}°"
    where += "" if exact else f", H = {limit.resolution},"
    undecided = "on a limit" if exact else "undecided"
    words: dict[Inside, str] = {"kept": "inside", "changed": "outside", "undecided": undecided}
    range_kept = _range(limit.negative, limit.positive, limit.searched_to)
    text = f"{where} {kept(tables.rank, tables.width)} {range_kept}"
    return fitting(f"{text}; ϱ = {typed(tables.amplitude)} is {words[tables.inside]}.", f"{text}.")


READ_ME = ReadMe(
    formula=(
        r"u(\ell+1)=B(\ell)\,u(\ell)+\varrho\,D\psi\,u(\ell),\qquad "
        r"\text{limit: a multiplier of one closed period reaches } |\mu|=1"
    ),
    statement=(
        "Section 3 and Theorem 12. For a repeated layer or period the limits are roots of matrix pencils. "
        "For a finite stack the split counts as kept while the gap at its rank stays certified over windows "
        "of H layers. No certificate is drawn."
    ),
    reading=(
        "Inside the solid lines the split of the open loop survives. Limits are named by what happens "
        "there: static (a multiplier passes 1), flip (−1), oscillation (a pair leaves the circle). “Split "
        "changed” includes amplitudes where the count returns without being joined to ϱ = 0."
    ),
)


def _string(limit: GateLimit) -> str:
    if limit.string_limit is None:
        return "no string limit is defined here"
    if math.isinf(limit.string_limit):
        return "it never amplifies from block to block"
    return f"beyond |ϱ| = {toward_zero(limit.string_limit)} long chains amplify"


def _range(negative: float, positive: float, searched_to: float | None) -> str:
    """Write the amplitudes between the limits, and how far a search went where it found none."""
    lower, upper = math.isfinite(negative), math.isfinite(positive)
    searched = "" if searched_to is None else f" (searched to {rate(searched_to, 'down')})"
    if lower and upper:
        return f"for {toward_zero(negative)} < ϱ < {toward_zero(positive)}"
    if lower:
        return f"for ϱ > {toward_zero(negative)}{searched}"
    if upper:
        return f"for ϱ < {toward_zero(positive)}{searched}"
    return f"at every ϱ{searched}" if searched else "at every ϱ: no multiplier reaches the unit circle"


def _heights(found: LimitMap | None) -> tuple[float, float]:
    if found is None or len(found.angles) == 1:
        return NO_ANGLE
    return float(found.angles[0]), float(found.angles[-1])


def _height(tables: Tables) -> float | None:
    """Height of the current point; None when the map does not reach its angle."""
    lower, upper = _heights(tables.map)
    if (lower, upper) == NO_ANGLE:
        return sum(NO_ANGLE) / 2
    return tables.angle if tables.angle is not None and lower <= tables.angle <= upper else None


def _whole_tone(found: LimitMap | None) -> str:
    """Fill of a map without limits: kept everywhere, or nothing there to keep."""
    return "kept_fill" if found is None else "undecided_fill"


def _points(x: list[float], height: float | None) -> Rows:
    return Rows(x=x if height is not None else [], y=height or 0.0, tone="ink")


def _range_row(ends: list[float], height: float | None) -> Rows:
    """Stroke between the two limits of the current ψ."""
    row = _points(ends[:1], height)
    return row.having(x2=ends[1:] if len(row) else [], y2=row["y"])
