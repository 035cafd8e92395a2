"""Multipliers of the closed loop in the complex plane, moving with ϱ against the unit circle."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.phase_margin import PhaseMargin
from figures.complex_plane import CIRCLE, INSIDE, Plane
from figures.label import Label, label_rows
from figures.margin_words import gain_words, phase_words
from figures.mark import named
from figures.number import rate, typed
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed, tone
from presets import loop_quantities, multiplier_quantities, quantities
from presets.gate_limit import GateLimit
from presets.loop_quantities import Margins
from presets.multiplier_quantities import Branches
from presets.schema import Scenario

QUESTION = "What reaches the unit circle?"

REACHES = (1.25, 1.6, 2.0, 2.5, 3.0)
"""Half-heights the plane may have, growth per layer."""

TYPICAL, BEYOND = 0.9, 1.3
"""Share of the branches that must fit into the plane, of those up to this multiple of the limits."""


class Tables(NamedTuple):
    """Multipliers of one closed period, growth per layer as the modulus.

    **Fields:**

    - `branches`: over the axis of ϱ; None where there are none, or too many.
    - `current`: at the current ϱ, complex, one each; None where there are none.
    - `limit`, `margins`, `phase`: limits of both signs, gain margins and phase margin at the current ϱ.
    - `amplitude`: the current ϱ.
    - `rank`, `width`: directions that grow in the open loop (None when unknown), and of how many.
    - `windowed`, `closes`, `cascade`: whether the stack does not repeat, a loop closes, and blocks form a
      causal cascade.
    """

    branches: Branches | None
    current: np.ndarray | None
    limit: GateLimit
    margins: Margins | None
    phase: PhaseMargin | None
    amplitude: float
    rank: int | None
    width: int
    windowed: bool
    closes: bool
    cascade: bool


def compute(scenario: Scenario) -> Tables:
    """Collect branches, the current multipliers and the margins."""
    return Tables(
        branches=multiplier_quantities.branches(scenario),
        current=multiplier_quantities.current(scenario),
        limit=loop_quantities.boundary(scenario),
        margins=loop_quantities.margins(scenario),
        phase=multiplier_quantities.phase_margin(scenario),
        amplitude=scenario.gate.amplitude,
        rank=quantities.spectrum(scenario).persistent_rank,
        width=scenario.family.width,
        windowed=quantities.layers(scenario).recurrence == "window",
        closes=loop_quantities.closes(scenario),
        cascade=scenario.gate.topology == "cascade",
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Plane()
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    fill = alt.Color("tone:N", scale=tone(palette), legend=None)
    return [
        axes.domain(),
        named("inside").mark_area(opacity=0.55, clip=True).encode(axes.x, axes.y, alt.Y2("y2"), color=fill),
        axes.line("circle", palette, strokeWidth=1.6),
        axes.line("branches", palette, strokeWidth=1.8),
        axes.dot("open", palette, size=46, filled=False, strokeWidth=1.4, clip=True),
        named("point").mark_point(size=100, clip=True, **ring).encode(axes.x, axes.y),
        axes.hover("hover", amplitude="ϱ", modulus="growth per layer", angle="angle"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut the branches to the plane and place the words."""
    reach = _reach(tables)
    current = np.empty(0, complex) if tables.current is None else tables.current
    seen = current[np.abs(current) <= reach]
    opened, drawn = _open(tables), tables.branches is not None
    opened = opened[np.abs(opened) <= reach]
    return {
        "dom": Rows(x=[-reach, reach], y=[-reach, reach]),
        "inside": INSIDE.where(drawn),
        "circle": CIRCLE.where(drawn),
        "branches": _branch_rows(tables, reach),
        "open": Rows(**_plane(opened), tone=np.array(_tones(opened), dtype=object)),
        "point": Rows(**_plane(seen)),
        "hover": _hover(tables, reach),
        "labels": label_rows(_labels(tables, reach)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per amplitude and branch."""
    found = tables.branches
    if found is None:
        return pd.DataFrame({"gate amplitude ϱ": [tables.amplitude], "remark": [_absence(tables)]})
    points, count = found.values.shape
    values = found.values.ravel()
    return pd.DataFrame(
        {
            "gate amplitude ϱ": np.repeat(found.amplitude, count),
            "branch": np.tile(np.arange(1, count + 1), points),
            "real part": np.real(values),
            "imaginary part": np.imag(values),
            "growth per layer": np.abs(values),
        }
    ).dropna()


def caption(tables: Tables) -> str:
    """Say by how much the gain may fall and rise, and how far the loop may be turned."""
    if tables.current is None or tables.branches is None:
        return f"{_absence(tables)}."
    if tables.cascade:
        return "No multiplier moves: a finite cascade leaves them where the open block has them."
    if tables.margins is None:
        return f"At ϱ = {typed(tables.amplitude)} the count of growing directions is not known."
    phase, where = phase_words(tables.phase), f"At ϱ = {typed(tables.amplitude)} the"
    gain, short = (gain_words(tables.margins, tables.amplitude, in_decibels=more) for more in (True, False))
    told = [f"{where} {words}; {phase}." for words in (gain, short)] if phase else []
    return fitting(*told, f"{where} {gain}.", f"{where} {short}.", f"The {short}.")


READ_ME = ReadMe(
    formula=(
        r"\mu\in\operatorname{spec}\prod_i(F_i+\varrho\,G_i),\qquad "
        r"|\mu|^{1/n}\ \text{drawn as modulus, } n\text{ layers in a closed period},\qquad "
        r"\varrho\,e^{i\varphi}c^T(z-F)^{-1}b=1"
    ),
    statement=(
        "One repeated layer or period has multipliers; a window has not. The split changes where one of them "
        "crosses the unit circle: at 1 (static), at −1 (flip) or as a pair (oscillation). Branches are "
        "joined by the assignment of least total distance, never by sorting. Gain margins are factors of "
        "ϱ; the phase margin is the smallest turn of ψ that puts a multiplier on the circle (one repeated "
        "layer, ψ of rank one)."
    ),
    reading=(
        "Open dots: ϱ = 0. Lines: where each multiplier goes as ϱ runs over its axis, in the colour of "
        "where it starts. Rings: the current ϱ. Stable inside the shaded disc. Multipliers beyond the frame "
        "are cut off."
    ),
)


def _absence(tables: Tables) -> str:
    if not tables.closes:
        return "The summary is never refreshed: no loop closes, and no multiplier moves"
    if tables.windowed:
        return "A finite stack has no multipliers; its split is judged at a resolution of H layers"
    return "Not drawn: the closed period is too long and wide; lower L or d"


def _open(tables: Tables) -> np.ndarray:
    """Multipliers at ϱ = 0."""
    if tables.branches is None:
        return np.empty(0, complex)
    values = tables.branches.values[len(tables.branches.amplitude) // 2]
    return values[~np.isnan(values)]


def _plane(values: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of places in the complex plane."""
    return {"x": np.real(values), "y": np.imag(values)}


def _tones(values: np.ndarray) -> list[str]:
    return ["persistent" if abs(value) > 1 else "decaying" for value in values]


def _reach(tables: Tables) -> float:
    """Half-height of the plane: the open multipliers and most of the branches fit, unless far out."""
    if tables.branches is None:
        return REACHES[0]
    sizes = np.abs(tables.branches.values[_near_limits(tables)])
    wanted = 1.1 * max(float(np.nanquantile(sizes, TYPICAL)), float(np.abs(_open(tables)).max(initial=0.0)))
    return next((reach for reach in REACHES if reach >= wanted), REACHES[-1])


def _near_limits(tables: Tables) -> np.ndarray:
    """Which points of the axis lie between the limits or a little beyond."""
    assert tables.branches is not None
    amplitude, limit = tables.branches.amplitude, tables.limit
    lower = -math.inf if limit.negative is None else BEYOND * limit.negative
    upper = math.inf if limit.positive is None else BEYOND * limit.positive
    return (amplitude >= lower) & (amplitude <= upper)


def _branch_rows(tables: Tables, reach: float) -> Rows:
    """Polylines of all branches, broken where they leave the plane."""
    found = tables.branches
    if found is None:
        return Rows(x=[], y=[], order=[], part=[], tone=[])
    points, count = found.values.shape
    start = found.values[points // 2]
    inside = np.abs(found.values) <= reach
    # A new part begins behind every point that is not drawn.
    breaks = np.cumsum(~inside, axis=0)
    names = np.array([f"{branch}" for branch in range(count)], dtype=object)
    parts = names[None, :] + "." + breaks.astype(str).astype(object)
    tones = np.array([_tones(np.nan_to_num(start))] * points, dtype=object)
    order = np.broadcast_to(np.arange(float(points))[:, None], inside.shape)
    values = found.values[inside]
    return Rows(**_plane(values), order=order[inside], part=parts[inside], tone=tones[inside])


def _hover(tables: Tables, reach: float) -> Rows:
    found = tables.branches
    if found is None:
        return Rows(x=[], y=[], amplitude=[], modulus=[], angle=[])
    step = max(len(found.amplitude) // 40, 1)
    values, amplitudes = found.values[::step], found.amplitude[::step]
    inside = np.abs(values) <= reach
    chosen = values[inside]
    at = np.broadcast_to(amplitudes[:, None], values.shape)[inside]
    return Rows(
        **_plane(chosen),
        amplitude=np.array([typed(float(f"{value:.4g}")) for value in at], dtype=object),
        modulus=np.array([rate(abs(value)) for value in chosen], dtype=object),
        angle=np.array([f"{round(math.degrees(np.angle(value)))}°" for value in chosen], dtype=object),
    )


def _labels(tables: Tables, reach: float) -> list[Label]:
    if tables.branches is None:
        words = (
            ("no multipliers:", "the stack does not repeat")
            if tables.windowed
            else ("no multipliers to draw",)
        )
        return [
            Label(0.0, 0.0, line, align="center", dy=18 * place, bold=True)
            for place, line in enumerate(words)
        ]
    edge = math.sqrt(0.5)
    found = [
        Label(edge, edge, "unit circle", "ink", dx=6, dy=-6, minor=True),
        Label(0.0, -0.55, "decays", "muted", "center", minor=True),
    ]
    current = np.empty(0, complex) if tables.current is None else tables.current
    seen = current[(np.abs(current) <= reach) & (np.imag(current) >= -1e-9)]
    if len(seen):
        nearest = seen[np.argmin(np.abs(np.log(np.maximum(np.abs(seen), 1e-300))))]
        text = f"ϱ = {typed(tables.amplitude)}: {rate(abs(nearest))}"
        found.append(
            Label(float(np.real(nearest)), float(np.imag(nearest)), text, "ink", dx=9, dy=-10, bold=True)
        )
    return found
