"""Dichotomy spectrum: the growth factors a stack sustains, open and closed, and whether 1 is among them."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.dichotomy import Spectrum
from figures import interval
from figures.interval import Interval, Layout
from figures.label import Label, label_rows
from figures.mark import Axes, named
from figures.number import between, rate, typed
from figures.phrase import at_resolution, fate, fitting, gap, growing, single_edge
from figures.read_me import ReadMe
from figures.theme import Palette, themed, tone
from presets import loop_quantities, quantities
from presets.schema import Scenario

QUESTION = "Does the stack split into fast and slow?"

HEADER, FOOTER = -0.16, 1.17
"""Heights of the line of words above the rows and of the ticks below them."""

MOST_TICKS = 400
MOST_LABELS = 12


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

    intervals: pd.DataFrame
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


def interval_rows(spectrum: Spectrum, closed: Spectrum | None) -> pd.DataFrame:
    """Put both spectra into one table, one row per interval."""
    both = [("open", spectrum)] + ([] if closed is None else [("closed", closed)])
    empty = {name: np.full(len(s.lower), math.nan) for name, s in both}
    columns = {
        "loop": [name for name, s in both for _ in s.lower],
        "lower": np.concatenate([s.lower for _, s in both]),
        "upper": np.concatenate([s.upper for _, s in both]),
        "multiplicity": np.concatenate([s.multiplicity for _, s in both]),
        "whisker_lower": np.concatenate(
            [empty[n] if s.whisker_lower is None else s.whisker_lower for n, s in both]
        ),
        "whisker_upper": np.concatenate(
            [empty[n] if s.whisker_upper is None else s.whisker_upper for n, s in both]
        ),
    }
    return pd.DataFrame(columns)


def _layers(palette: Palette) -> list[alt.Chart]:
    decimal = "abs(2 * datum.value - round(2 * datum.value)) < 1e-6 ? '.2~r' : '.3~r'"
    growth = alt.Axis(
        title="growth per layer",
        labelExpr=f"format(pow(2, datum.value), {decimal})",
        tickCount=alt.expr("max(3, width / 44)"),
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
        named("gap").mark_rect(color=palette.certified_fill, tooltip=None).encode(**box),
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


def datasets(tables: Tables) -> dict[str, pd.DataFrame]:
    """Place bars, whiskers, ticks, the gap and the words."""
    opened, closed = (interval.read(tables.intervals, loop) for loop in ("open", "closed"))
    place = interval.layout([*opened, *closed], tables.radii, len(opened))
    middles = interval.middles(opened)
    few = len(opened) <= MOST_LABELS
    ticks = _ticks(tables.radii, place)
    return {
        "dom": pd.DataFrame({"x": [-place.reach, place.reach], "y": [HEADER - 0.07, FOOTER + 0.07]}),
        "unit": pd.DataFrame({"x": [0.0]}),
        "rows": pd.DataFrame({"y": middles if few else np.empty(0)}),
        "gap": _gap(tables, place),
        "ticks": ticks,
        "whiskers": _whiskers(opened, middles, place),
        "closed_bars": _bars("closed", closed, place),
        "open_bars": _bars("open", opened, place),
        "labels": label_rows(
            [
                *_header(tables, place),
                *(
                    interval.label(entry, middle, place)
                    for entry, middle in zip(opened, middles, strict=True)
                    if few or entry.tone == "marginal"
                ),
                *_closed_label(tables, closed, place),
                _footer(ticks["x"].to_numpy(), place),
            ]
        ),
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
    return tables.intervals.rename(columns=names).dropna(axis="columns", how="all")


def caption(tables: Tables) -> str:
    """Answer whether the stack splits, at which resolution, and what the loop does to the split."""
    at, exact = at_resolution(tables.resolution), tables.resolution is None
    opened = interval.read(tables.intervals, "open")
    if tables.rank is None or tables.gap is None:
        return _no_split(tables, opened)
    width = sum(entry.multiplicity for entry in opened)
    if tables.rank in (0, width):
        nothing = "Nothing persists" if tables.rank == 0 else "Nothing decays"
        edge = f"{nothing}{at}: {single_edge(tables.gap, tables.rank)}"
        return fitting(f"{edge}; {tables.fate}.", f"{edge}.")
    yes = "Yes, exactly" if exact else f"Yes,{at}"
    split = f"{yes}: {growing(tables.rank, width)}, {gap(tables.gap, exact=exact)}"
    return fitting(f"{split}; {tables.fate}.", f"{split}.")


def _no_split(tables: Tables, opened: list[Interval]) -> str:
    at = at_resolution(tables.resolution)
    if tables.verdict != "contains-one":
        return f"Undecided{at}: neither a gap around 1 nor 1 itself is certified."
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


def _bars(loop: str, intervals: list[Interval], place: Layout) -> pd.DataFrame:
    """Place the bars of one loop; closed ones, shifted down, are thinner."""
    half, shift, thinnest = 0.5 * place.height, 0.0, interval.THINNEST
    if loop == "closed":
        half, shift, thinnest = 0.32 * place.height, place.shift, interval.THINNEST_OUTLINE
    middle = interval.middles(intervals) + shift
    ends = np.array([interval.bar(entry, place, thinnest) for entry in intervals]).reshape(-1, 2)
    return pd.DataFrame(
        {
            "x": ends[:, 0],
            "x2": ends[:, 1],
            "y": middle - half,
            "y2": middle + half,
            "tone": np.array([entry.tone for entry in intervals], dtype=object),
            "loop": np.full(len(intervals), loop, dtype=object),
            "edges": np.array([f"{rate(e.lower)} to {rate(e.upper)}" for e in intervals], dtype=object),
            "multiplicity": np.array([str(entry.multiplicity) for entry in intervals], dtype=object),
        }
    )


def _gap(tables: Tables, place: Layout) -> pd.DataFrame:
    """Band around 1 in which no growth factor lies."""
    edges = [] if tables.gap is None else [place.across(edge) for edge in tables.gap]
    left, right = np.array(edges[:1]), np.array(edges[1:])
    return pd.DataFrame({"x": left, "x2": right, "y": HEADER - 0.07, "y2": FOOTER + 0.07})


def _ticks(radii: np.ndarray, place: Layout) -> pd.DataFrame:
    """Short uprights at the radii of single layers; those outside the axis are left out."""
    found = radii[:: max(1, math.ceil(radii.size / MOST_TICKS))].ravel()
    found = np.log2(found[found > 0])
    found = found[np.abs(found) <= place.reach]
    heights = {"y": FOOTER - 0.035, "y2": FOOTER + 0.025}
    return pd.DataFrame({"x": found, "x2": found, **heights, "tone": "muted"})


def _whiskers(intervals: list[Interval], middles: np.ndarray, place: Layout) -> pd.DataFrame:
    """Lines to the edges at H/2, each with a cap."""
    strokes = []
    cap = place.height * 0.36
    for entry, middle in zip(intervals, middles, strict=True):
        if not math.isfinite(entry.whisker_lower) or not math.isfinite(entry.whisker_upper):
            continue
        left, right = place.across(entry.whisker_lower), place.across(entry.whisker_upper)
        strokes.append((left, right, middle, middle, entry.tone))
        strokes += [(end, end, middle - cap, middle + cap, entry.tone) for end in (left, right)]
    columns = zip(*strokes, strict=True) if strokes else ((),) * 5
    kinds = (float, float, float, float, object)
    names = ("x", "x2", "y", "y2", "tone")
    return pd.DataFrame(
        {name: np.array(c, dtype=kind) for name, c, kind in zip(names, columns, kinds, strict=True)}
    )


def _header(tables: Tables, place: Layout) -> list[Label]:
    found = [
        Label(-place.reach, HEADER, "◂ decays", "decaying", "left", dx=4),
        Label(place.reach, HEADER, "grows ▸", "persistent", "right", dx=-4),
    ]
    if tables.gap is not None and tables.rank is not None:
        left, right = (place.across(edge) for edge in tables.gap)
        name = "gap" if tables.resolution is None else "certified gap"
        if right == place.reach or left == -place.reach:
            name += ": nothing persists" if tables.rank == 0 else ": nothing decays"
        found.append(Label((left + right) / 2, HEADER, name, "certified", "center"))
    return found


def _closed_label(tables: Tables, closed: list[Interval], place: Layout) -> list[Label]:
    """Name the outlined bars once, beside the uppermost one, on the side with room."""
    if not closed:
        return []
    top = closed[0]
    left, right = interval.bar(top, place, interval.THINNEST_OUTLINE)
    text = f"closed at ϱ = {typed(tables.amplitude)}"
    height = float(interval.middles(closed)[0]) + place.shift
    if right + (6 * len(text) + 14) / interval.NARROW_PLOT * 2 * place.reach <= place.reach:
        return [Label(right, height, text, top.tone, "left", dx=6)]
    return [Label(left, height, text, top.tone, "right", dx=-6)]


def _footer(ticks: np.ndarray, place: Layout) -> Label:
    text = "ticks: single layers’ own radii"
    if (ticks > 0.4 * place.reach).sum() <= (ticks < -0.4 * place.reach).sum():
        return Label(place.reach, FOOTER, text, "muted", "right", dx=-4, minor=True)
    return Label(-place.reach, FOOTER, text, "muted", "left", dx=4, minor=True)
