"""Ladder of gate limits: what is certified, what the paper estimates, and what is true."""

import math
from typing import Literal, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.ladder import Certificate, Name
from figures.certificate import certified
from figures.label import Label, label_rows
from figures.mark import Axes, named
from figures.number import percent, rate, toward_zero, typed
from figures.phrase import at_resolution, crossing, fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import ladder_quantities, loop_quantities, quantities
from presets.loop_quantities import GateLimit
from presets.schema import Scenario

QUESTION = "How much is certified?"

NAMES = (
    "roughness theorem",
    "one constant C",
    "constants C₋, C₊",
    "Green sum",
    "ℓ² radius",
    "paper’s margin",
    "true limit, ϱ < 0",
    "true limit, ϱ > 0",
)
"""Rungs from the top down."""

RUNGS: tuple[Name, ...] = (
    "roughness_bound",
    "green_bound",
    "green_bound_split",
    "green_norm_bound",
    "radius_bound",
)
"""The certificates among them."""

ESTIMATE, TRUE = 5, (6, 7)

TOP, BOTTOM = -1.1, 7.6

SMALLEST = 1e-9
"""Limits below this are not drawn; they are still named."""

BEFORE, BEHIND, LEAST_SPAN = 0.25, 0.55, 0.5
"""Room left and right of the limits, in shares of what they span, and the least span, in decades."""

LETTER = 6.0
"""Width of a letter, px."""

Kind = Literal["certified", "proved", "estimate", "true"]


class Tables(NamedTuple):
    """Limits on |ϱ|, rung by rung.

    **Fields:**

    - `values`: one per rung; None where a rung does not apply or is not known, inf where nothing limits.
    - `best`: the best certificate; None without a split.
    - `is_proved`: whether the paper's margin is a theorem for this ψ.
    - `limit`: the true limits.
    - `amplitude`: the current ϱ.
    - `resolution`: H in layers; None when the open loop is exact.
    - `missing`: why there is no ℓ² radius, in words.
    """

    values: tuple[float | None, ...]
    best: Certificate | None
    is_proved: bool
    limit: GateLimit
    amplitude: float
    resolution: int | None
    missing: str


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
    ends = _ends(tables)
    kinds = _kinds(tables)
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
        "labels": label_rows(_labels(tables, kinds, ends)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per rung."""
    kinds = _kinds(tables)
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
        return f"{_capital(said)}; no true limit was found{_searched(tables.limit)}."
    if nearest == 0:
        return f"Nothing: the true limit is 0{at}."
    estimate = tables.values[ESTIMATE] or 0.0
    if tables.is_proved and estimate > best:
        safe = rate(estimate, "down")
        text = f"{percent(estimate / nearest)}: A7 holds, so the paper’s |ϱ| < {safe} is proved"
        return fitting(f"{text}; the true limit is {toward_zero(nearest)}{at}.", f"{text}.")
    share = percent(min(best / nearest, 1.0)) if best / nearest < 0.9995 else "All of it"
    true, plain = toward_zero(nearest), _capital(said)
    if estimate > nearest and not tables.is_proved:
        beyond = f"the paper’s {rate(estimate)} exceeds the true {true}{at}"
        return fitting(f"{share}: {said}; {beyond}.", f"{plain}; {beyond}.")
    text = f"{share}: {said}; the true limit is {true}{at}."
    return fitting(text, f"{plain}; the true limit is {true}{at}.", f"{plain}; the true limit: {true}{at}.")


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


def _kinds(tables: Tables) -> list[Kind]:
    estimate: Kind = "proved" if tables.is_proved else "estimate"
    certified: list[Kind] = ["certified"] * ESTIMATE
    return [*certified, estimate, "true", "true"]


def _nearest(tables: Tables) -> float | None:
    true = [value for value in tables.values[-2:] if value is not None]
    return min(true) if true else None


def _ends(tables: Tables) -> tuple[float, float]:
    """Choose the axis from the limits drawn, with the current ϱ when it is not far off."""
    drawn = [value for value in tables.values if value is not None and SMALLEST < value < math.inf]
    logs = np.log10(drawn) if drawn else np.array([-1.0, 0.0])
    least, most = float(logs.min()), float(logs.max())
    span = max(most - least, LEAST_SPAN)
    return least - BEFORE * span, most + BEHIND * span


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
        tone=np.array([_TONES[kinds[n]] for n, _ in drawn], dtype=object),
    )


def _marks(tables: Tables, rungs: list[int], kinds: list[Kind], ends: tuple[float, float]) -> Rows:
    """Marks at the ends of the strokes that end."""
    found = _bars(tables, rungs, kinds, ends)
    inside = found["x2"] < ends[1]
    return Rows(x=found["x2"][inside], y=found["y"][inside], tone=found["tone"][inside])


_TONES = {"certified": "certified", "proved": "certified", "estimate": "paper", "true": "ink"}

_WORDS = {"certified": "certified", "proved": "certified: A7 holds", "estimate": "estimate"}


def _labels(tables: Tables, kinds: list[Kind], ends: tuple[float, float]) -> list[Label]:
    size = abs(tables.amplitude)
    here = math.log10(size) if size > 0 else -math.inf
    found = [_amplitude_label(tables.amplitude, here, ends)]
    for rung, (value, kind) in enumerate(zip(tables.values, kinds, strict=True)):
        if value is None:
            found += _absence(tables, rung, ends)
        else:
            word = _WORDS.get(kind) or _crossing(tables, rung)
            found += _value_labels(tables, rung, value, word, ends)
    return found


def _value_labels(
    tables: Tables, rung: int, value: float, word: str, ends: tuple[float, float]
) -> list[Label]:
    """Write a limit behind its mark: the number, and on wide plots what it is."""
    tone = _TONES[_kinds(tables)[rung]]
    if math.isinf(value):
        searched = _searched(tables.limit) if rung in TRUE else ""
        return [Label(ends[1], rung, f"none{searched or ' (∞)'} ▸", tone, "right", dx=-4, dy=-9)]
    text = rate(value, "down") if value > 0 else "0"
    place = math.log10(value) if value > SMALLEST else ends[0]
    bold = rung in TRUE or (tables.best is not None and RUNGS.index(tables.best.name) == rung)
    number = Label(place, rung, text, tone, dx=9, bold=bold)
    return [number, Label(place, rung, word, tone, dx=15 + LETTER * len(text), minor=True)]


def _absence(tables: Tables, rung: int, ends: tuple[float, float]) -> list[Label]:
    """Say why a rung has no number."""
    if tables.best is None:
        return [Label(ends[0], rung, "no split", "muted", dx=8)] if rung not in TRUE else []
    words = tables.missing if rung not in TRUE else "needs the trajectory u*"
    return [Label(ends[0], rung, words, "muted", dx=8)]


def _crossing(tables: Tables, rung: int) -> str:
    limit = tables.limit
    kind = limit.negative_crossing if rung == TRUE[0] else limit.positive_crossing
    return "no split" if tables.best is None else crossing(kind, limit.resolution)


def _amplitude_label(amplitude: float, here: float, ends: tuple[float, float]) -> Label:
    """Name the current ϱ beside its ring."""
    text = f"ϱ = {typed(amplitude)}"
    if here < ends[0]:
        return Label(ends[0], TOP / 2, f"◂ {text}", dx=12, bold=True)
    if here > (ends[0] + ends[1]) / 2:
        mark = " ▸" if here > ends[1] else ""
        return Label(min(here, ends[1]), TOP / 2, f"{text}{mark}", align="right", dx=-12, bold=True)
    return Label(here, TOP / 2, text, dx=12, bold=True)


def _searched(limit: GateLimit) -> str:
    return "" if limit.searched_to is None else f" up to {rate(limit.searched_to, 'down')}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
