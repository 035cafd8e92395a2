"""Dichotomy spectrum: the growth factors a stack sustains, open and closed, and whether 1 is among them."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.dichotomy import Spectrum
from figures import interval, interval_marks
from figures.interval import Layout
from figures.label import Label, label_rows
from figures.mark import Axes, named
from figures.number import between
from figures.phrase import at_resolution, fate, fitting, gap, growing, single_edge
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed, tone
from presets import loop_quantities, quantities
from presets.schema import Scenario

QUESTION = "Does the stack split into fast and slow?"


class Tables(NamedTuple):
    """Spectral intervals of the open and of the closed loop, and what the caption needs.

    **Fields:**

    - `intervals`: columns loop (open, closed), lower, upper, multiplicity, whisker_lower, whisker_upper (NaN
      when exact); growth factors per layer, largest first.
    - `radii`: (layers, d) eigenvalue moduli of single layers.
    - `verdict`, `rank`, `gap`, `resolution`: of the open loop; `resolution` is None when it is exact.
    - `amplitude`: the current ϱ.
    - `fate`: what the loop does to the split there, in words.
    """

    intervals: Rows
    radii: np.ndarray
    verdict: str
    rank: int | None
    gap: tuple[float, float] | None
    resolution: int | None
    amplitude: float
    fate: str


def compute(scenario: Scenario) -> Tables:
    """Collect the open spectrum, the closed one at the current ϱ, and the single layers' radii."""
    spectrum = quantities.spectrum(scenario)
    closed = loop_quantities.closed_spectrum(scenario)
    return Tables(
        intervals=interval_rows(spectrum, closed),
        radii=quantities.radii(scenario),
        verdict=spectrum.verdict,
        rank=spectrum.persistent_rank,
        gap=spectrum.gap,
        resolution=spectrum.resolution,
        amplitude=scenario.gate.amplitude,
        fate=fate(scenario),
    )


def interval_rows(spectrum: Spectrum, closed: Spectrum | None) -> Rows:
    """Put both spectra together, one row per interval."""
    both = [("open", spectrum)] + ([] if closed is None else [("closed", closed)])
    empty = {name: np.full(len(s.lower), math.nan) for name, s in both}
    whiskers = {
        name: np.concatenate([empty[n] if (edge := getattr(s, name)) is None else edge for n, s in both])
        for name in ("whisker_lower", "whisker_upper")
    }
    return Rows(
        loop=np.array([name for name, s in both for _ in s.lower], dtype=object),
        lower=np.concatenate([s.lower for _, s in both]),
        upper=np.concatenate([s.upper for _, s in both]),
        multiplicity=np.concatenate([s.multiplicity for _, s in both]),
        **whiskers,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    decimal = "abs(2 * datum.value - round(2 * datum.value)) < 1e-6 ? '.2~r' : '.3~r'"
    growth = alt.Axis(
        title="growth per layer",
        labelFlush=True,
        labelExpr=f"format(pow(2, datum.value), {decimal})",
        tickCount=alt.expr("max(3, min(width / 44, 2 * span(domain('x'))))"),
    )
    axes = Axes(growth, None, reverse_y=True)
    colour = alt.Color("tone:N", scale=tone(palette), legend=None)
    box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
    tips = [
        alt.Tooltip("loop:N", title="loop"),
        alt.Tooltip("edges:N", title="growth per layer"),
        alt.Tooltip("multiplicity:N", title="directions"),
    ]
    outline = named("closed_bars").mark_rect(fill=palette.ground, strokeWidth=1.5, cornerRadius=1.5)
    return [
        named("gap").mark_rect(color=palette.certified_fill).encode(**box),
        axes.domain(),
        axes.level("rows", palette.rule, strokeWidth=1),
        axes.plumb("unit", palette.ink, strokeWidth=1.6),
        axes.segment("ticks", palette, strokeWidth=1, opacity=0.6),
        axes.segment("whiskers", palette, strokeWidth=1.3),
        outline.encode(**box, stroke=alt.Stroke("tone:N", scale=tone(palette), legend=None), tooltip=tips),
        named("open_bars").mark_rect(cornerRadius=1.5).encode(**box, color=colour, tooltip=tips),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_UNIT = Rows(x=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place bars, whiskers, ticks, the gap and the words."""
    opened, closed = (interval.read(tables.intervals, loop) for loop in ("open", "closed"))
    place = interval.layout([*opened, *closed], tables.radii, len(opened))
    ticks = interval_marks.ticks(tables.radii, place)
    labels = [
        *_header(tables, place),
        *interval_marks.open_labels(opened, place),
        *interval_marks.closed_label(closed, opened, tables.amplitude, place),
        _footer(ticks["x"], place),
    ]
    return {
        "dom": Rows(x=[-place.reach, place.reach], y=[interval.TOP, interval.BOTTOM]),
        "unit": _UNIT,
        "rows": interval_marks.rows(opened),
        "gap": interval_marks.gap(tables.gap, place),
        "ticks": ticks,
        "whiskers": interval_marks.whiskers(opened, place),
        "closed_bars": interval_marks.bars("closed", closed, place),
        "open_bars": interval_marks.bars("open", opened, place),
        "labels": label_rows(labels),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per interval, open loop first."""
    names = {
        "lower": "lower edge (per layer)",
        "upper": "upper edge (per layer)",
        "multiplicity": "directions",
        "whisker_lower": "lower edge at H/2 (per layer)",
        "whisker_upper": "upper edge at H/2 (per layer)",
    }
    return tables.intervals.frame.rename(columns=names).dropna(axis="columns", how="all")


def caption(tables: Tables) -> str:
    """Answer whether the stack splits, at which resolution, and what the loop does to the split."""
    at, exact = at_resolution(tables.resolution), tables.resolution is None
    if tables.rank is None or tables.gap is None:
        return _no_split(tables)
    width = tables.radii.shape[1]
    if tables.rank in (0, width):
        nothing = "Nothing persists" if tables.rank == 0 else "Nothing decays"
        edge = f"{nothing}{at}: {single_edge(tables.gap, tables.rank, exact=exact)}"
        return fitting(f"{edge}; {tables.fate}.", f"{edge}.")
    yes = "Yes, exactly" if exact else f"Yes,{at}"
    split = f"{yes}: {growing(tables.rank, width)}, {gap(tables.gap, exact=exact)}"
    return fitting(f"{split}; {tables.fate}.", f"{split}.")


def _no_split(tables: Tables) -> str:
    at = at_resolution(tables.resolution)
    if tables.verdict != "contains-one":
        return f"Undecided{at}: neither a gap around 1 nor 1 itself is certified."
    opened = interval.read(tables.intervals, "open")
    ones = [entry for entry in opened if entry.tone == "marginal"]
    if tables.resolution is None or not ones:
        return "No: a direction neither grows nor decays, so 1 lies in the spectrum."
    return f"No:{at} the interval {between(*ones[0][:2])} contains 1, so no split exists."


READ_ME = ReadMe(
    formula=(
        r"\Sigma_{\mathrm{dich}}=\{\gamma>0:\ \gamma^{-1}B(\ell)\ \text{has no exponential dichotomy}\},"
        r"\qquad B=I+M+V"
    ),
    statement=(
        "Theorem 5. Exact for one repeated layer or a repeated period. A finite stack has a spectrum only at "
        "a resolution of H layers: edges are the smallest and largest mean growth over H layers; whiskers "
        "show H/2. The green gap is proved at H by the norms of the triangular blocks; the bars are not."
    ),
    reading=(
        "Left of 1 a direction decays, right of 1 it grows. Filled bars: open loop. Outlined bars: the same "
        "directions with the loop closed at the current ϱ. Ticks are single layers’ own radii, which can "
        "mislead: only the product counts."
    ),
)


def _header(tables: Tables, place: Layout) -> list[Label]:
    """Name the two sides of 1 and the gap between them."""
    found = [
        Label(-place.reach, interval.HEADER, "◂ decays", "decaying", "left", dx=4),
        Label(place.reach, interval.HEADER, "grows ▸", "persistent", "right", dx=-4),
    ]
    if tables.gap is None:
        return found
    left, right = (place.across(edge) for edge in tables.gap)
    if math.isinf(tables.gap[1]):
        return [*found, Label(0, interval.HEADER, "nothing persists", "certified", "left", dx=6)]
    if tables.rank == tables.radii.shape[1]:
        return [*found, Label(0, interval.HEADER, "nothing decays", "certified", "right", dx=-6)]
    name = "gap" if tables.resolution is None else "certified gap"
    return [*found, Label((left + right) / 2, interval.HEADER, name, "certified", "center")]


def _footer(ticks: np.ndarray, place: Layout) -> Label:
    text = "ticks: single layers’ own radii"
    if (ticks > 0.4 * place.reach).sum() <= (ticks < -0.4 * place.reach).sum():
        return Label(place.reach, interval.FOOTER, text, "muted", "right", dx=-4, minor=True)
    return Label(-place.reach, interval.FOOTER, text, "muted", "left", dx=4, minor=True)
