"""Ladder of gate limits: what is certified, what the paper estimates, and what is true."""

import math

import altair as alt
import numpy as np
import pandas as pd

from figures import rung_label
from figures.certificate import certified
from figures.label import label_rows
from figures.ladder_rungs import (
    BOTTOM,
    ESTIMATE,
    NAMES,
    RUNGS,
    SMALLEST,
    TONES,
    TOP,
    Kind,
    Tables,
    ends_of,
    kinds_of,
    searched,
)
from figures.mark import Axes, named
from figures.number import percent, rate, toward_zero
from figures.phrase import at_resolution, fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import ladder_quantities, loop_quantities, quantities
from presets.schema import Scenario

QUESTION = "How much is certified?"


def compute(scenario: Scenario) -> Tables:
    """Collect certificates, estimate and true limits."""
    found, limit = ladder_quantities.ladder(scenario), loop_quantities.boundary(scenario)
    true = [None if side is None else abs(side) for side in (limit.negative, limit.positive)]
    bounds = [None if found is None else getattr(found, name) for name in (*RUNGS, "paper_estimate")]
    windowed = quantities.layers(scenario).recurrence == "window"
    return Tables(
        values=(*bounds, *true),
        best=None if found is None else found.best,
        is_proved=ladder_quantities.estimate_is_proved(scenario),
        limit=limit,
        amplitude=scenario.gate.amplitude,
        resolution=quantities.spectrum(scenario).resolution,
        missing="needs one layer or period, repeated" if windowed else "needs Lᵣ = 1",
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    decades = range(-9, 4)
    ticks = [math.log10(step) + decade for decade in decades for step in (1, 2, 5)]
    across = alt.Axis(
        title="largest safe |ϱ|",
        values=ticks,
        tickCount=len(ticks),
        grid=True,
        labelExpr="format(pow(10, datum.value), '.1~r')",
        labelOverlap="greedy",
    )
    words = ", ".join(f"'{name}'" for name in NAMES)
    down = alt.Axis(
        title=None,
        values=list(range(len(NAMES))),
        tickCount=len(NAMES),
        labelExpr=f"[{words}][datum.value]",
        grid=False,
        ticks=False,
        domain=False,
        labelPadding=6,
        labelLimit=200,
    )
    axes = Axes(across, down, reverse_y=True)
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    return [
        axes.domain(),
        axes.plumb("amplitude", palette.ink, strokeWidth=1.2),
        axes.segment("bars", palette, strokeWidth=2),
        axes.segment("dashes", palette, strokeWidth=2, strokeDash=[6, 3]),
        axes.dot("squares", palette, size=80, shape="square"),
        axes.dot("triangles", palette, size=90, shape="triangle-up"),
        axes.dot("circles", palette, size=80),
        named("point").mark_point(size=110, **ring).encode(axes.x, axes.y),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place bars, marks, the current ϱ and the words."""
    ends = ends_of(tables)
    kinds = kinds_of(tables)
    bars = {kind: [n for n in range(len(NAMES)) if kinds[n] == kind] for kind in ("certified", "true")}
    if tables.is_proved:
        bars["certified"] = [*bars["certified"], ESTIMATE]
    estimate = [] if tables.is_proved else [ESTIMATE]
    size = abs(tables.amplitude)
    here = math.log10(size) if size > 0 else -math.inf
    shown = ends[0] <= here <= ends[1]
    return {
        "dom": Rows(x=list(ends), y=[TOP, BOTTOM]),
        "amplitude": Rows(x=[here] if shown else []),
        "bars": _bars(tables, [*bars["certified"], *bars["true"]], kinds, ends),
        "dashes": _bars(tables, estimate, kinds, ends),
        "squares": _marks(tables, [n for n in bars["certified"] if n != ESTIMATE], kinds, ends),
        "triangles": _marks(tables, [ESTIMATE], kinds, ends),
        "circles": _marks(tables, bars["true"], kinds, ends),
        "point": Rows(x=[min(max(here, ends[0]), ends[1])], y=[TOP / 2]),
        "labels": label_rows(rung_label.labels(tables, ends)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per rung."""
    kinds = kinds_of(tables)
    words = {"proved": "certified, A7 holds", "true": "computed"}
    return pd.DataFrame(
        {
            "rung": list(NAMES),
            "largest |ϱ|": [math.nan if value is None else value for value in tables.values],
            "kind": [words.get(kind, kind) for kind in kinds],
        }
    )


def caption(tables: Tables) -> str:
    """Say how much of the true limit the best certificate reaches, and what the paper's margin is worth."""
    if tables.best is None:
        return f"Nothing: there is no certified split to keep{at_resolution(tables.resolution)}."
    best, nearest, at = tables.best.value, _nearest(tables), at_resolution(tables.limit.resolution)
    said = certified(tables.best)
    if math.isinf(best):
        return "Everything: ψ does not react, so no ϱ can change the split."
    if nearest is None:
        return f"{_capital(said)}; the true limit is not known here."
    if math.isinf(nearest):
        return f"{_capital(said)}; no true limit was found{searched(tables.limit)}."
    if nearest == 0:
        return f"Nothing: the true limit is 0{at}."
    estimate = tables.values[ESTIMATE] or 0.0
    if tables.is_proved and estimate > best:
        safe = rate(estimate, "down")
        text = f"{percent(estimate / nearest)}: A7 holds, so the paper’s |ϱ| < {safe} is proved"
        return fitting(f"{text}; nearest true limit: {toward_zero(nearest)}{at}.", f"{text}.")
    share = percent(min(best / nearest, 1.0)) if best / nearest < 0.9995 else "All of it"
    true, plain = toward_zero(nearest), _capital(said)
    if estimate > nearest and not tables.is_proved:
        beyond = f"the paper’s {rate(estimate)} exceeds the true {true}{at}"
        return fitting(f"{share}: {said}; {beyond}.", f"{plain}; {beyond}.")
    ends = f"the nearest true limit is {true}{at}"
    return fitting(
        f"{share}: {said}; {ends}.", f"{plain}; {ends}.", f"{plain}; nearest true limit: {true}{at}."
    )


READ_ME = ReadMe(
    formula=(
        r"|\varrho|<\frac{1}{L_\psi\|G\|},\qquad \|G\|\le\frac{C_-}{m_-}+\frac{C_+}{m_+},\qquad "
        r"\text{paper: }\ \frac{\min(m_-,m_+)}{C\,L_\psi}"
    ),
    statement=(
        "Theorem 12. Every green rung is proved for any ψ with Lipschitz constant L_ψ, any refresh and any "
        "wiring of blocks; the ℓ² radius only for one layer or period, repeated, with Lᵣ = 1. “Roughness "
        "theorem” is that of Battelli, Franca and Palmer. The paper’s margin is proved only where ψ respects "
        "the splitting (A7); elsewhere it may exceed the truth. Half of it is always safe."
    ),
    reading=(
        "Squares: certified. Triangle: the paper’s margin, dashed while it is an estimate. Dots: where the "
        "split is really lost, for either sign of ϱ. The upright is the current |ϱ|. Certificates know only "
        "how strong ψ is, not where it points: that is the gap to the dots."
    ),
)


def _nearest(tables: Tables) -> float | None:
    true = [value for value in tables.values[-2:] if value is not None]
    return min(true) if true else None


def _bars(tables: Tables, rungs: list[int], kinds: list[Kind], ends: tuple[float, float]) -> Rows:
    """Strokes from the left frame to each limit; to the right frame where nothing limits."""
    drawn = [(n, value) for n in rungs if (value := tables.values[n]) is not None and value > SMALLEST]
    places = [float(n) for n, _ in drawn]
    stops = [ends[1] if math.isinf(value) else math.log10(value) for _, value in drawn]
    return Rows(
        x=[ends[0]] * len(drawn),
        x2=stops,
        y=places,
        y2=places,
        tone=np.array([TONES[kinds[n]] for n, _ in drawn], dtype=object),
    )


def _marks(tables: Tables, rungs: list[int], kinds: list[Kind], ends: tuple[float, float]) -> Rows:
    """Marks at the ends of the strokes that end."""
    found = _bars(tables, rungs, kinds, ends)
    inside = found["x2"] < ends[1]
    return Rows(x=found["x2"][inside], y=found["y"][inside], tone=found["tone"][inside])


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
