"""Queries and keys: how far the output moves when all of them are drawn anew."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.order_fit import FittedOrder
from figures.label import Label, label_rows
from figures.log_log import Line, Plot, around, dot_rows, end_names, line_rows, log10, remarks
from figures.mark import Axes, power_axis
from figures.number import layers
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import linearisation_quantities as quantities
from presets.linearisation_quantities import QueryKey
from presets.real_block import has_blocks
from presets.schema import Scenario

QUESTION = "Do queries and keys matter?"

RUNS_BLOCKS = True

DEPENDS_ON = quantities.SHUT_RUN

DEMONSTRATION = "a demonstration block, not this stack"


class Tables(NamedTuple):
    """Changes of the output, and whether the blocks run are only a demonstration."""

    found: QueryKey
    demonstration: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the changes of the output without and with rotary positions."""
    return Tables(quantities.query_key(scenario), not has_blocks(scenario))


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(
        power_axis("inhomogeneity a of the tokens, share of |x|", across=True),
        power_axis("change of the output"),
    )
    return [
        axes.domain(),
        axes.line("plain", palette, strokeWidth=2.4),
        axes.line("rotary", palette, strokeWidth=2, strokeDash=[6, 3]),
        axes.dot("points", palette, size=30),
        axes.hover("points", curve="positions", cause="a", size="change"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=70)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw both changes against the inhomogeneity."""
    plain, rotary = _lines(tables.found)
    lines = [plain, *rotary]
    plot = around(np.log10(tables.found.amplitudes), lines).with_room(_remarks(tables))
    return {
        "dom": plot.rows,
        "plain": line_rows([plain]),
        "rotary": line_rows(rotary),
        "points": dot_rows(lines),
        "labels": label_rows(_labels(tables, lines, plot)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per inhomogeneity."""
    found = tables.found
    columns = {"inhomogeneity a": found.amplitudes, "change, no positions": found.plain}
    if found.rotary is not None:
        columns["change, rotary positions"] = found.rotary
    return pd.DataFrame(columns)


def caption(tables: Tables) -> str:
    """Compare the orders at which new queries and keys are seen."""
    found = tables.found
    if found.plain_order.slope is None:
        return "The output does not move: no token reads another, or attention adds nothing."
    said = f"New Q, K move the output at order {found.plain_order.slope:.2f} in a"
    if found.rotary_order is None or found.rotary_order.slope is None:
        return f"{said}; heads of odd width take no rotary positions."
    return fitting(f"{said}; with rotary positions at order {found.rotary_order.slope:.2f}.")


READ_ME = ReadMe(
    formula=r"X(0)=\mathbf 1x^{\top}+a\,D\qquad \max_t|X_t(L)-\tilde X_t(L)|\sim a^{q}",
    statement=(
        "Proposition 8: where tokens agree all scores are equal, attention averages evenly, and queries and"
        " keys change nothing; once tokens differ by a, they change the output at order a². That needs "
        "scores without positions. Rotary positions weigh equal tokens unevenly, so the change is of first "
        "order in a. The true blocks are run, nothing is linearised; all Q and K are drawn anew."
    ),
    reading=(
        "Both axes are logarithmic; the number behind a name is the slope, read from the three smallest a. "
        "D’s longest row is as long as the common state x. Other families have no block: there a small "
        "demonstration block is run (width 8, two heads, 32 layers); choose the Pre-LN transformer block in"
        " the sidebar to run your own."
    ),
)


def _lines(found: QueryKey) -> tuple[Line, list[Line]]:
    x = np.log10(found.amplitudes)
    plain = Line(_named("plain", found.plain_order), "sector2", x, log10(found.plain))
    if found.rotary is None or found.rotary_order is None:
        return plain, []
    return plain, [Line(_named("rotary", found.rotary_order), "marginal", x, log10(found.rotary))]


def _named(name: str, order: FittedOrder) -> str:
    return name if order.slope is None else f"{name} {order.slope:.2f}"


def _labels(tables: Tables, lines: list[Line], plot: Plot) -> list[Label]:
    ends = [
        Label(plot.right, float(line.y[line.shown][-1]), line.name, line.tone)
        for line in lines
        if line.shown.any()
    ]
    return [*end_names(ends, plot), *remarks(_remarks(tables), plot)]


def _remarks(tables: Tables) -> list[str]:
    return [DEMONSTRATION] if tables.demonstration else [f"after {layers(tables.found.layers)}"]
