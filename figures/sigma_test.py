"""σ test: singular values of the layer equations at growth factor 1 and at the displayed edges."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.dichotomy import Spectrum
from figures.growth_axis import growth_axis, places, reach, thickened, tone
from figures.label import Label, label_rows, spread
from figures.mark import Axes, named, power_axis
from figures.number import rate, scientific, typed
from figures.phrase import NOT_YET
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from figures.theme import tone as colours
from presets import quantities
from presets.dichotomy_quantities import READ
from presets.schema import Scenario
from presets.sigma_quantities import SIGMA, Sigma

QUESTION = "Does a second test agree?"

DEPENDS_ON = READ

ON_DEMAND = SIGMA

FLOOR = -16
"""Base-ten logarithm of the smallest value drawn: round-off of the equations."""

CLEAR = 2.0
"""Multiples of π/L from which a value shows no sign of the spectrum."""

COARSEST = 0.5
"""Resolution π/L above which the test says nothing."""

LABEL_GAP = 0.075


class Tables(NamedTuple):
    """The σ test beside the spectrum it checks.

    **Fields:**

    - `found`: values at γ = 1, first, and at the edges; None where they take long and nobody asked yet.
    - `spectrum`: intervals of the open loop.
    - `depth`: L, layers.
    """

    found: Sigma | None
    spectrum: Spectrum
    depth: int


def compute(scenario: Scenario) -> Tables:
    """Collect the values and the intervals."""
    return Tables(SIGMA.found(scenario), quantities.spectrum(scenario), scenario.depth)


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(growth_axis("growth factor γ per layer", "width / 44", flush=True), power_axis("σ"))
    colour = alt.Color("tone:N", scale=colours(palette), legend=None)
    box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
    tips = {"gamma": "γ per layer", "which": "ends", "size": "σ"}
    return [
        axes.domain(),
        named("intervals").mark_rect(opacity=0.4).encode(**box, color=colour),
        axes.plumb("unit", palette.ink, strokeWidth=1.6),
        axes.level("resolution", palette.muted, strokeWidth=1.4, strokeDash=[2, 3]),
        axes.dot("wide", palette, size=60, shape="square"),
        axes.dot("tall", palette, size=60, shape="triangle-up"),
        axes.hover("hover", **tips),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_UNIT = Rows(x=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place the values over the spectrum's intervals."""
    found, spectrum = tables.found, tables.spectrum
    extent = reach(np.empty(0) if found is None else found.gammas, spectrum.lower, spectrum.upper)
    floor, top = _frame(tables)
    left, right = thickened(places(spectrum.lower, extent), places(spectrum.upper, extent), extent)
    edges = zip(spectrum.lower, spectrum.upper, strict=True)
    sides = {side: _dots(tables, side, extent, floor) for side in ("wide", "tall")}
    return {
        "dom": Rows(x=[-extent, extent], y=[floor, top]),
        "intervals": Rows(
            x=left, x2=right, y=floor, y2=top, tone=np.array([tone(*ends) for ends in edges], dtype=object)
        ),
        "unit": _UNIT,
        "resolution": Rows(y=[] if found is None else [math.log10(found.level)]),
        **sides,
        "hover": Rows(
            **{
                name: np.concatenate([sides["wide"][name], sides["tall"][name]])
                for name in ("x", "y", "gamma", "which", "size")
            }
        ),
        "labels": label_rows(_labels(tables, extent, (floor, top))),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per growth factor; the projector residual stands at γ = 1."""
    found = tables.found
    if found is None:
        return pd.DataFrame({"γ (per layer)": [1.0], "σ, ends free": [None], "σ, ends zero": [None]})
    residual = np.full(len(found.gammas), np.nan)
    residual[0] = found.residual
    return pd.DataFrame(
        {
            "γ (per layer)": found.gammas,
            "σ, ends free (wide)": found.wide,
            "σ, ends zero (tall)": np.where(np.isfinite(found.tall), found.tall, np.nan),
            "projector residual (exploratory)": residual,
        }
    ).dropna(axis="columns", how="all")


def caption(tables: Tables) -> str:
    """Compare σ at 1 with what a direction on the spectrum would give."""
    found = tables.found
    if found is None:
        return NOT_YET
    value = float(min(found.wide[0], found.tall[0]))
    ratio = value / found.level
    if found.level > COARSEST:
        return (
            f"Too few layers: with L = {tables.depth} the test resolves no better than {rate(found.level)}."
        )
    if value == 0:
        return "At 1, σ is 0 to working precision: no split at 1 can be told from none."
    if ratio < 1:
        beyond = _floored(1 / value)
        return f"At 1, σ = {rate(value)} is below π/L: no split, or one with a Green norm over {beyond}."
    if ratio < CLEAR:
        return f"At 1, σ = {rate(value)}, {ratio:.1f} times π/L: too close to call at L = {tables.depth}."
    return f"At 1, σ = {rate(value)}, {ratio:.1f} times π/L: no sign of the spectrum at L = {tables.depth}."


READ_ME = ReadMe(
    formula=(
        r"(T_\gamma u)(\ell)=u(\ell+1)-\gamma^{-1}B(\ell)\,u(\ell)\qquad"
        r"\sigma=\min\{\sigma_{\min}(T_\gamma^{\mathrm{free}}),\ \sigma_{\min}(T_\gamma^{\mathrm{zero}})\}"
    ),
    statement=(
        "γ lies outside the spectrum exactly when T is invertible on the whole line. Neither value is below "
        "that of the whole line, so a small σ proves: no dichotomy at γ, or one whose Green operator has an "
        "ℓ² norm of at least 1/σ. A large σ on a short stack proves nothing. Free ends see decay turning "
        "into growth, zero ends see growth turning into decay."
    ),
    reading=(
        "Squares: ends free. Triangles: ends zero. At γ = 1 in ink, at the edges of the spectrum’s "
        "intervals in their colours. Dotted: π/L, what one direction on the spectrum gives. The table adds "
        "the projector residual at γ = 1, which sees single depths only."
    ),
)


def _floored(number: float) -> str:
    """Write a lower bound with two significant digits, never more than it is."""
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return typed(math.floor(number / unit) * unit) if number < 1e4 else scientific(number, 2, "down")


def _frame(tables: Tables) -> tuple[float, float]:
    found = tables.found
    if found is None:
        return -2.0, 0.0
    values = np.concatenate([found.wide, found.tall, [found.level]])
    values = values[np.isfinite(values)]
    least, most = values.min(), values.max()
    floor = FLOOR if least < 10.0**FLOOR else math.floor(math.log10(least) - 0.05)
    return float(floor), float(math.ceil(math.log10(most) + 0.05))


def _dots(tables: Tables, side: str, extent: float, floor: float) -> Rows:
    """Values of one kind, zero at the floor, those off the axis left out."""
    found = tables.found
    gammas, values = (np.empty(0), np.empty(0)) if found is None else (found.gammas, getattr(found, side))
    x = np.log2(gammas)
    shown = np.isfinite(values) & (np.abs(x) <= extent)
    x, values, gammas = x[shown], values[shown], gammas[shown]
    tones = ["ink" if gamma == 1 else _tone(tables.spectrum, gamma) for gamma in gammas]
    with np.errstate(divide="ignore"):
        y = np.maximum(np.log10(values), floor)
    return Rows(
        x=x,
        y=y,
        tone=np.array(tones, dtype=object),
        gamma=np.array([rate(gamma) for gamma in gammas], dtype=object),
        which=np.full(len(x), "free" if side == "wide" else "zero", dtype=object),
        size=np.array([rate(value) for value in values], dtype=object),
    )


def _tone(spectrum: Spectrum, gamma: float) -> str:
    """Colour of the interval whose edge γ is."""
    here = int(np.argmin(np.minimum(np.abs(spectrum.lower - gamma), np.abs(spectrum.upper - gamma))))
    return tone(spectrum.lower[here], spectrum.upper[here])


def _labels(tables: Tables, extent: float, frame: tuple[float, float]) -> list[Label]:
    found, (floor, top) = tables.found, frame
    if found is None:
        return [Label(0, (floor + top) / 2, "not computed yet", "muted", "center", dy=-12)]
    level = math.log10(found.level)
    labels = [
        Label(-extent, level, f"π/L = {rate(found.level)}", "muted", "left", dx=4, dy=-9),
        Label(-extent, floor, "inside the unit circle: stable", "muted", "left", dx=4, dy=-9, minor=True),
    ]
    named_values = [
        (name, float(value))
        for name, value in (("free", found.wide[0]), ("zero", found.tall[0]))
        if math.isfinite(value)
    ]
    heights = np.array([max(math.log10(value), floor) if value > 0 else floor for _, value in named_values])
    for (name, value), height in zip(
        named_values, spread(heights, LABEL_GAP * (top - floor), floor, top), strict=True
    ):
        said = "0" if value == 0 else rate(value)
        labels.append(Label(0, height, f"ends {name}: {said}", "ink", "left", dx=10))
    return labels
