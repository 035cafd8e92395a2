"""Late switch: the error of every pair of depths, when a block is compressed at s and looked at in ℓ."""

import math
from typing import NamedTuple

import altair as alt
import pandas as pd

from figures import colour_bar, heat, switch_tiling
from figures.curve import LN10
from figures.label import Label, label_rows
from figures.mark import Axes, layer_axis, named
from figures.number import significant
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities, washout_quantities
from presets.compression import COMPRESSIONS
from presets.quantities import TOKENS
from presets.schema import Scenario
from presets.washout_quantities import Duality

QUESTION = "Why not compress at once?"

DEPENDS_ON = (*TOKENS, "tolerance", "compression")

FLOOR = -12
"""Smaller errors share the last colour, base-ten logarithm."""

LEAK = "Under a leak a block has no flow of its own to switch to."
EXACT = "No error, whichever layer compresses."

LATE = 0.7
"""From this share of the depth on, the name of τ stands to the left of its line …"""

NAME_ROOM = 0.25
"""… which then begins so much above the diagonal, as a share of the depth."""


class Tables(NamedTuple):
    """Relative errors of the switch.

    **Fields:**

    - `errors`: columns switch, depth, log10 (of E(s,ℓ)/|Φ₁(ℓ,0)|), every pair computed; empty under a leak.
    - `layers`: L.
    - `settled`: saturation depth τ; None when not reached.
    - `cost`: the errors at L of compressing at the input and at τ.
    - `compression`: name of Π.
    """

    errors: pd.DataFrame
    layers: int
    settled: int | None
    cost: Duality
    compression: str


def compute(scenario: Scenario) -> Tables:
    """Collect the errors of every switch."""
    found = washout_quantities.switch_errors(scenario)
    columns = {"switch": [], "depth": [], "log10": []}
    if found is not None:
        columns = {"switch": found.switch, "depth": found.depth, "log10": found.log_relative / LN10}
    measured = quantities.fluctuation_norms(scenario).log_absolute
    return Tables(
        errors=pd.DataFrame(columns, dtype=float),
        layers=scenario.depth,
        settled=washout_quantities.settled(scenario, measured).depth,
        cost=washout_quantities.late_switch(scenario),
        compression=COMPRESSIONS[scenario.compression.kind][1].lower(),
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    places = "pluck(data('across'), 'x')"
    which = f"indexof({places}, datum.value)"
    across = alt.Axis(
        title="compressed at layer s (0: the input)",
        values=alt.expr(places),
        labelExpr=f"{which} < 0 ? '' : data('across')[{which}].text",
        ticks=False,
        labelPadding=6,
        grid=False,
    )
    axes = Axes(across, layer_axis("looked at in layer ℓ", upright=True), reverse_y=True)
    foot = {"y": alt.value(alt.expr("height")), "y2": alt.value(alt.expr("height + 4"))}
    told = {"switch": "compressed at layer s", "depth": "looked at in layer ℓ", "size": "relative error"}
    return [
        axes.domain(),
        named("across").mark_rule(color=palette.rule).encode(axes.x, **foot),
        heat.boxes("cells", axes, palette, **told),
        heat.boxes("bar", axes, palette),
        axes.segment("rim", palette, strokeWidth=4),
        axes.segment("tau", palette, strokeWidth=1.6, strokeDash=[4, 3]),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Colour every pair of depths, set the column of the input apart, and mark τ."""
    errors = tables.errors.dropna()
    place = switch_tiling.tiling(tables.errors["depth"].to_numpy(float), tables.layers)
    shown = bool((errors["log10"] > -math.inf).any())
    scale = heat.classes(errors["log10"].to_numpy(), FLOOR)
    line = _tau(tables) if shown else Rows(x=[], y=[], x2=[], y2=[], tone="ink")
    labels = [_message(tables)]
    if shown:
        labels = [
            *colour_bar.labels(tables.layers, scale, "error over |Φ₁(ℓ, 0)|"),
            *_tau_label(line, tables.layers),
        ]
    return {
        "dom": Rows(x=[place.left[0], place.right[-1]], y=[place.edges[0], place.edges[-1]]),
        "across": switch_tiling.ticks(place, tables.layers),
        "cells": switch_tiling.cells(errors.head(len(errors) if shown else 0), place, scale),
        "bar": colour_bar.classes(tables.layers, scale, shown=shown),
        "rim": line.having(tone="ground"),
        "tau": line,
        "labels": label_rows(labels),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per pair of depths."""
    names = {"switch": "compressed at layer s", "depth": "layer ℓ", "log10": "log10 relative error"}
    return tables.errors.rename(columns=names)


def caption(tables: Tables) -> str:
    """Say what compressing at the input and at τ costs at the last layer."""
    start, late = tables.cost
    if start is None:
        return LEAK
    at_input = f"Π = {tables.compression}: error {_size(start)}"
    if tables.settled is None or late is None:
        return fitting(
            f"{at_input} at the last layer if compressed at the input; τ is not reached.",
            f"{at_input} if compressed at the input; τ is not reached.",
        )
    if tables.settled == 0:
        return f"{at_input} if compressed at the input, which is τ already."
    text = f"if compressed at the input, {_size(late)} at τ = {tables.settled}"
    return fitting(f"{at_input} at the last layer {text}.", f"{at_input} {text}.")


READ_ME = ReadMe(
    formula=(
        r"E(s,\ell)=|\Phi_{\mathrm{full}}(\ell,0)-\iota\,\Phi_1(\ell,s)\,\Pi\,\Phi_{\mathrm{full}}(s,0)|"
        r"\le|F_\perp(\ell)|+|\pi-\pi_*|_1\,|\Phi_1(\ell,s)|\,|F_\perp(s)|"
    ),
    statement=(
        "Theorem 6, as it holds: coarse-graining commutes with depth only after differences inside the block "
        "have washed out: compress at depth s ≥ τ, not at the input. Compressing the input by the block mean "
        "gives a relative error of order one that does not decay under causal attention, because causal "
        "averaging converges to the first token. Read out by π*, the first token (bidirectional: the mean), "
        "the error is |F⊥(ℓ)| whatever s."
    ),
    reading=(
        "Across: the layer at which the block is replaced by its summary; the input stands apart on the "
        "left. Down: the layer at which the two are compared. Colour: their difference over |Φ₁(ℓ, 0)|; "
        "each colour is half a decade. Nothing is defined for ℓ < s. The menu chooses Π. Deep or wide "
        "stacks are computed at fewer depths, so that their cells are larger."
    ),
)


def _size(error: float) -> str:
    return significant(error, 2) if error else "0"


def _message(tables: Tables) -> Label:
    text = LEAK if tables.errors.empty else EXACT
    return Label(tables.layers / 2, tables.layers / 2, text, align="center")


def _tau(tables: Tables) -> Rows:
    """Draw s = τ from a place on ground, where its name fits, to the last layer."""
    tau = [] if not tables.settled else [float(tables.settled)]
    above = NAME_ROOM * tables.layers if _is_late(tables.settled, tables.layers) else 0.0
    starts = [min(0.88 * layer, layer - above) for layer in tau]
    return Rows(x=tau, y=starts, x2=tau, y2=float(tables.layers), tone="ink")


def _tau_label(line: Rows, layers: int) -> list[Label]:
    """Name the line where it begins."""
    labels = []
    for tau, start in zip(line["x"], line["y"], strict=True):
        side = ("right", -6.0) if _is_late(tau, layers) else ("left", 6.0)
        labels.append(Label(tau, start, f"s = τ = {tau:.0f}", "ink", *side, dy=4))
    return labels


def _is_late(tau: float | None, layers: int) -> bool:
    """Say whether the name of τ must stand to the left of its line."""
    return tau is not None and tau >= LATE * layers
