"""Does linearising survive the gate: relative error of the linear run against ϱ."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.label import Label, label_rows
from figures.log_log import Line, Plot, around, dot_rows, end_names, line_rows, log10, message, remarks
from figures.mark import Axes, power_axis
from figures.number import percent, short_power
from figures.phrase import fitting
from figures.query_key import DEMONSTRATION
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import linearisation_quantities as quantities
from presets.linearisation_quantities import GateErrors
from presets.real_block import has_blocks
from presets.schema import Scenario

QUESTION = "Does it hold with the gate open?"

RUNS_BLOCKS = True

DECADES = 10
"""Decades drawn at most."""


class Tables(NamedTuple):
    """Errors against |ϱ|.

    **Fields:**

    - `found`: the errors.
    - `current`: |ϱ|, None where the blocks are only a demonstration.
    - `negative`: whether ϱ is negative.
    """

    found: GateErrors
    current: float | None
    negative: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the errors of both kinds of linearisation."""
    amplitude = scenario.gate.amplitude
    real = has_blocks(scenario)
    return Tables(quantities.gate_errors(scenario), abs(amplitude) if real else None, real and amplitude < 0)


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(power_axis("size of the gate amplitude |ϱ|", across=True), power_axis("relative error"))
    return [
        axes.domain(),
        axes.level("whole", palette.muted, strokeWidth=1),
        axes.line("along_open", palette, strokeWidth=2.4),
        axes.line("along_shut", palette, strokeWidth=2, strokeDash=[6, 3]),
        axes.dot("points", palette, size=26),
        axes.dot("ring", palette, size=150),
        axes.dot("current", palette, size=80),
        axes.hover("points", curve="layers taken", cause="|ϱ|", size="relative error"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=64)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw both errors, and where the current ϱ stands on them."""
    lines = _lines(tables.found)
    plot = _plot(tables.found, lines).with_room(_remarks(tables))
    lines = [line._replace(y=np.where(line.y >= plot.floor, line.y, math.nan)) for line in lines]
    here = _current(tables, lines)
    return {
        "dom": plot.rows,
        "whole": Rows(y=[0.0] if plot.floor < 0 < plot.top else []),
        "along_open": line_rows(lines[:1]),
        "along_shut": line_rows(lines[1:]),
        "points": dot_rows(lines),
        "ring": here.having(tone=np.full(len(here), "point_ring", dtype=object)),
        "current": here,
        "labels": label_rows(_labels(tables, lines, plot)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per amplitude of the gate."""
    found = tables.found
    return pd.DataFrame(
        {
            "ϱ": -found.amplitudes if tables.negative else found.amplitudes,
            "relative error, layers of the shut gate": found.along_shut,
            "relative error, layers along the open gate": found.along_open,
        }
    )


def caption(tables: Tables) -> str:
    """Compare layers taken from the shut gate with layers along the open gate's own path."""
    found = tables.found
    if found.order.slope is None:
        return "The gate does not move the tokens: both linearisations are the same."
    shut = f"Shut-gate layers err at order {found.order.slope:.2f} in ϱ"
    finite = found.along_open[np.isfinite(found.along_open)]
    if not len(finite):
        return f"{shut}."
    most = percent(float(finite.max()))
    return fitting(f"{shut}; along the open gate’s path at most {most}.", f"{shut}.")


READ_ME = ReadMe(
    formula=(
        r"X_k\mapsto \mathrm{Block}(X_k)+\mathbf 1\varrho\,\psi(\hat y_k)^{\top}\qquad"
        r"p(\ell+1)=f(p(\ell))\ \text{(shut)},\quad "
        r"p(\ell+1)=f(p(\ell))+\varrho\,\psi(\hat p)\ \text{(open)}"
    ),
    statement=(
        "The paper takes M and V along the path of the shut gate. An open gate moves the common state off "
        "that path, so even equal tokens meet the wrong layers: the error is of order ϱ. Along the open "
        "gate’s own path it is that of the token differences alone, whatever ϱ is. Every block reads its "
        "own summary, with this scenario’s ψ, Π and Lᵣ."
    ),
    reading=(
        "Errors at the last layer, over the largest distance of a token from the common path. Dashes: "
        "layers of the shut gate, equal tokens; the number is the slope. Solid: layers along the open gate,"
        " tokens that differ by a thousandth. The yellow point stands at the current |ϱ|. Where the family "
        "has no block, a demonstration block is run instead, and the point is left out."
    ),
)


def _lines(found: GateErrors) -> list[Line]:
    x = np.log10(found.amplitudes)
    slope = "" if found.order.slope is None else f" {found.order.slope:.2f}"
    return [
        Line("open", "sector2", x, log10(found.along_open)),
        Line(f"shut{slope}", "paper", x, log10(found.along_shut)),
    ]


def _plot(found: GateErrors, lines: list[Line]) -> Plot:
    plot = around(np.log10(found.amplitudes), lines)
    return plot._replace(floor=max(plot.floor, plot.top - DECADES))


def _current(tables: Tables, lines: list[Line]) -> Rows:
    """Where the current |ϱ| stands on the drawn lines, between the points measured."""
    size = tables.current
    places: list[tuple[float, float]] = []
    if size:
        x = math.log10(size)
        for line in lines:
            known = line.x[line.shown]
            if len(known) and known[0] <= x <= known[-1]:
                places.append((x, float(np.interp(x, known, line.y[line.shown]))))
    return Rows(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        tone=np.full(len(places), "point", dtype=object),
    )


def _labels(tables: Tables, lines: list[Line], plot: Plot) -> list[Label]:
    ends = [
        Label(plot.right, float(line.y[line.shown][-1]), line.name, line.tone)
        for line in lines
        if line.shown.any()
    ]
    said = remarks(_remarks(tables), plot)
    return [*end_names(ends, plot), *said] if ends else [message("no error above round-off", plot), *said]


def _remarks(tables: Tables) -> list[str]:
    sign = ["for negative ϱ"] if tables.negative else []
    inhomogeneity = f"open: tokens differ by a = {short_power(tables.found.inhomogeneity)}"
    return [DEMONSTRATION] if tables.current is None else [inhomogeneity, *sign]
