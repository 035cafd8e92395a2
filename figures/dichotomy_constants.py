"""Dichotomy constants: what every rate costs, and why the chosen ones are chosen."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.constants import Dichotomy
from figures.joined import Part, joined
from figures.label import Label, label_rows
from figures.mark import Axes, power_axis
from figures.number import rate, significant
from figures.phrase import at_resolution, fitting
from figures.rate_branch import Branch, branches_of, frame
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities
from presets.dichotomy_quantities import CONSTANTS_CURVE, READ, Curve, dichotomy
from presets.schema import Scenario

QUESTION = "What does a rate cost?"

DEPENDS_ON = READ

ON_DEMAND = CONSTANTS_CURVE

FINE = 400
"""Points to which a curve is refined, so that it meets the frame in place."""


class Tables(NamedTuple):
    """The chosen rates with their constants, and the curve they were chosen from.

    **Fields:**

    - `chosen`: rates, margins and constants; status `no-split` without them.
    - `curve`: constants over all rates inside the certified edges; None without a split or when too long.
    - `gap`: certified edges around 1; None without a split.
    - `resolution`: H, None when exact.
    - `verdict`: of the spectrum.
    """

    chosen: Dichotomy
    curve: Curve | None
    gap: tuple[float, float] | None
    resolution: int | None
    verdict: str


def compute(scenario: Scenario) -> Tables:
    """Collect the chosen rates and the curve."""
    spectrum = quantities.spectrum(scenario)
    return Tables(
        chosen=dichotomy(scenario),
        curve=CONSTANTS_CURVE.found(scenario),
        gap=spectrum.gap,
        resolution=spectrum.resolution,
        verdict=spectrum.verdict,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    rates = alt.Axis(title="rate r per layer, stable inside the unit circle", grid=False, labelFlush=True)
    axes = Axes(rates, power_axis("constant"))
    return [
        axes.domain(),
        axes.plumb("unit", palette.ink, strokeWidth=1.6),
        axes.line("prices", palette, strokeWidth=1.4, strokeDash=[2, 3]),
        axes.line("constants", palette, strokeWidth=2.2),
        axes.segment("drop", palette, strokeWidth=1),
        axes.dot("chosen", palette, size=55),
        axes.hover("hover", rate="rate r", constant="constant C(r)"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_UNIT = Rows(x=[1.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place both curves of both branches, cut at the frame, and the chosen rates."""
    branches = branches_of(tables.chosen, tables.curve)
    ends, (floor, top) = frame(branches)
    return {
        "dom": Rows(x=list(ends), y=[floor, top]),
        "unit": _UNIT,
        "constants": _lines(branches, "constants", top),
        "prices": _lines(branches, "prices", top),
        "chosen": Rows(
            x=[b.rate for b in branches],
            y=[b.constant for b in branches],
            tone=np.array([b.tone for b in branches], dtype=object),
        ),
        "drop": Rows(
            x=[b.rate for b in branches],
            x2=[b.rate for b in branches],
            y=[b.constant for b in branches],
            y2=np.full(len(branches), floor),
            tone=np.array([b.tone for b in branches], dtype=object),
        ),
        "hover": _hover(branches, top),
        "labels": label_rows(_labels(tables, branches, ends, top)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per rate of the curve, the chosen ones first."""
    chosen, curve = tables.chosen, tables.curve
    rows = [
        (name, float("nan") if value is None else value, constant, "chosen")
        for name, value, constant in (
            ("decay", chosen.decay_rate, chosen.constant_decay),
            ("growth", chosen.growth_rate, chosen.constant_growth),
        )
    ]
    if curve is not None:
        rows += [("decay", r, c, "curve") for r, c in zip(*curve[:2], strict=True)]
        rows += [("growth", r, c, "curve") for r, c in zip(*curve[2:], strict=True)]
    return pd.DataFrame(rows, columns=["branch", "rate r (per layer)", "constant C(r)", "which"])


def caption(tables: Tables) -> str:
    """Name the chosen rates and what they cost."""
    chosen, at = tables.chosen, at_resolution(tables.resolution)
    if chosen.status != "ok":
        if tables.verdict == "contains-one":
            return f"No split{at}: 1 lies in the spectrum, so no rate holds on both sides of it."
        if tables.verdict == "undecided":
            return f"No split is certified{at}, so no rate and no constant is claimed."
        return f"No split{at}: growing and decaying directions meet, so no constant is finite."
    parts = []
    if chosen.decay_rate is not None:
        parts.append(f"r₋ = {rate(chosen.decay_rate, 'up')} costs C₋ = {significant(chosen.constant_decay)}")
    if chosen.growth_rate is not None:
        parts.append(
            f"r₊ = {rate(chosen.growth_rate, 'down')} costs C₊ = {significant(chosen.constant_growth)}"
        )
    said = ", ".join(parts)
    where = at.strip().replace("at", "At") if at else "Exactly"
    return fitting(f"{where}: {said}.", f"{said}.")


READ_ME = ReadMe(
    formula=(
        r"\|\Phi(\ell,s)P_-(s)\|\le C_-r_-^{\ell-s}\qquad\|\Phi(s,\ell)P_+(\ell)\|\le C_+r_+^{-(\ell-s)}"
        r"\qquad\max_{r_\pm}\Bigl(\tfrac{C_-}{1-r_-}+\tfrac{C_+}{r_+-1}\Bigr)^{-1}"
    ),
    statement=(
        "The rates of an exponential dichotomy are not its spectral edges: at an edge the constant can be "
        "huge. The chosen rates make the split Green bound as large as it can be within the certified "
        "edges. Constants hold for every lag of a repeated stack, and for the layers there are on a window."
    ),
    reading=(
        "Solid: the constant C(r), which falls as the rate comes closer to 1. Dotted: C over the margin, "
        "which is what a bound pays; it is lowest at the chosen rate, the dot. Left of 1 the decaying "
        "branch, right of it the growing one."
    ),
)


def _lines(branches: list[Branch], which: str, top: float) -> Rows:
    """Curves of both branches, cut where they leave through the top."""
    parts = []
    for branch in branches:
        fine = np.union1d(branch.rates, np.linspace(branch.rates.min(), branch.rates.max(), FINE))
        heights = np.interp(fine, branch.rates, getattr(branch, which))
        parts.append(Part(branch.name, branch.tone, fine[heights <= top], heights[heights <= top]))
    return joined(parts)


def _hover(branches: list[Branch], top: float) -> Rows:
    x = np.concatenate([np.empty(0), *(b.rates for b in branches)])
    y = np.concatenate([np.empty(0), *(b.constants for b in branches)])
    inside = y <= top
    return Rows(
        x=x[inside],
        y=y[inside],
        rate=np.array([rate(value) for value in x[inside]], dtype=object),
        constant=np.array([significant(10**value) for value in y[inside]], dtype=object),
    )


def _labels(tables: Tables, branches: list[Branch], ends: tuple[float, float], top: float) -> list[Label]:
    if not branches:
        dead = tables.chosen.status == "ok"
        said = "every direction dies at once: no rate to choose" if dead else "no split: no rate to choose"
        return [Label(sum(ends) / 2, top / 2, said, align="center")]
    found = []
    for row, b in enumerate(branches):
        decays = b.tone == "decaying"
        at = rate(b.rate, "up" if decays else "down")
        text = f"C{b.name} = {significant(10**b.constant)} at r{b.name} = {at}"
        end, side, shift = (ends[0], "left", 4) if decays else (ends[1], "right", -4)
        found.append(Label(end, top, text, b.tone, side, dx=shift, dy=9 + 16 * row))
        found.append(Label(b.rate, b.price, f"C{b.name}/m{b.name}", "muted", side, dy=-11, minor=True))
    return found
