"""What the slow path sees: response of the persistent part of u* to small changes, class by class."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.order_fit import FittedOrder
from engine.perturbation import Change
from engine.visibility import Response
from figures import visibility_words
from figures.label import Label, label_rows
from figures.log_log import Line, Plot, around, dot_rows, end_names, line_rows, log10, message, remarks
from figures.mark import Axes, power_axis
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets.schema import Scenario
from presets.visibility_quantities import SIZES, State, answers

QUESTION = "What can the slow path see?"

SECOND_ORDER_FROM = 1.5
"""Slope from which a response is of second order."""

ZERO_ROOM = 0.14
"""Share of the plot's height below the lowest decade that is kept for responses that are zero."""

STYLES: dict[Change, tuple[str, str, str]] = {
    "slow": ("slow", "persistent", "strong"),
    "fast": ("fast", "decaying", "strong"),
    "fast-same-index": ("same ℓ", "decaying", "dashed"),
    "gate": ("ϱ", "ink", "thin"),
    "injection": ("ψ", "ink", "dashed"),
    "compression": ("Π", "ink", "thin"),
}
"""Name, colour and stroke of every class."""

STROKES = ("hidden", "thin", "dashed", "strong")

HIDDEN = "fast in P₋"
"""Name of the fast class's response in the decaying part."""


class Tables(NamedTuple):
    """Responses of u* by class, and what is said about them.

    **Fields:**

    - `state`: there are no responses unless it is ok.
    - `responses`: by class.
    - `noise`: responses up to this size are round-off.
    - `absence`: why there is nothing to draw.
    - `remarks`: what was taken instead of the scenario's own settings.
    - `lent`: whether the bias was lent.
    """

    state: State
    responses: dict[Change, Response]
    noise: float
    absence: str
    remarks: list[str]
    lent: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the responses to every class of changes."""
    found = answers(scenario)
    ok = found.state == "ok"
    return Tables(
        state=found.state,
        responses=found.responses,
        noise=found.noise,
        absence="" if ok else visibility_words.absence(found.state, scenario),
        remarks=visibility_words.solution_remarks(scenario, found.layers, lent=found.lent) if ok else [],
        lent=found.lent,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(power_axis("size η of the change", across=True), power_axis("shift of P₊u*, max over ℓ"))
    return [
        axes.domain(),
        axes.level("zero", palette.rule, strokeWidth=1),
        axes.line("hidden", palette, strokeWidth=1.6, strokeDash=[2, 3]),
        axes.line("thin", palette, strokeWidth=1.4),
        axes.line("dashed", palette, strokeWidth=1.6, strokeDash=[6, 3]),
        axes.line("strong", palette, strokeWidth=2.4),
        axes.dot("points", palette, size=26),
        axes.hover("points", curve="class", cause="η", size="shift"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=86)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw a line per class that answers, and name those that do not along the floor."""
    lines = _lines(tables)
    plot = around(np.log10(SIZES), [line for _, line in lines]).with_room(tables.remarks)
    zero = _zero(tables)
    room = ZERO_ROOM * plot.height if zero else 0.0
    return {
        "dom": plot._replace(floor=plot.floor - room).rows,
        "zero": Rows(y=[plot.floor] if zero else []),
        **{stroke: line_rows([line for name, line in lines if name == stroke]) for stroke in STROKES},
        "points": dot_rows([line for _, line in lines]),
        "labels": label_rows(_labels(tables, [line for _, line in lines], zero, plot, room)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per class: how it is seen, at which slope, and the responses measured."""
    if not tables.responses:
        return pd.DataFrame({"why there is nothing": [tables.absence]})
    rows = []
    for change, found in tables.responses.items():
        measured = {f"shift of P₊u* at η = {size:g}": found.persistent[n] for n, size in enumerate(SIZES)}
        rows.append(
            {
                "change": change,
                "seen by P₊": seen(found.persistent_order),
                "slope in P₊": found.persistent_order.slope,
                "seen by P₋": seen(found.decaying_order),
                "slope in P₋": found.decaying_order.slope,
                **measured,
            }
        )
    return pd.DataFrame(rows)


def caption(tables: Tables) -> str:
    """Say how fast changes are seen, and which are seen at first order."""
    if not tables.responses:
        return tables.absence
    order = tables.responses["fast"].persistent_order
    fast = {
        "exactly zero": "Fast changes are not seen",
        "first order": "Fast changes are seen at first order",
        "second order": "Fast changes show at second order only",
    }.get(seen(order), "No answer was found to fast changes")
    others = [
        STYLES[change][0]
        for change in ("slow", "gate", "injection")
        if seen(tables.responses[change].persistent_order) == "first order"
    ]
    first = f"{_list(others)} at first order" if others else "nothing else is seen at first order"
    lent = " (a bias is lent)" if tables.lent else ""
    return fitting(f"{fast}; {first}{lent}.", f"{fast}{lent}.")


def seen(order: FittedOrder) -> str:
    """Say at which order a response sets in."""
    if order.slope is None:
        return "exactly zero" if order.status == "zero" else "not found"
    return "second order" if order.slope >= SECOND_ORDER_FROM else "first order"


READ_ME = ReadMe(
    formula=(
        r"\max_\ell\bigl|P_+(\ell)\,(u^*_\eta-u^*_0)(\ell)\bigr|"
        r"\qquad \text{fast: } P_+(\ell+1)\,\delta A(\ell)=0"
        r"\qquad \text{slow: } P_-(\ell+1)\,\delta A(\ell)=0"
    ),
    statement=(
        "Theorem 7 and Proposition 8, measured: the stack is changed by η, u* is solved again, and the "
        "projectors P± are those of the unchanged closed loop. With them fast changes are invisible, or of "
        "second order where ψ bends. The prose’s version P₊(ℓ)δA(ℓ) = 0 (“same ℓ”) is seen at first order "
        "as soon as the split turns. Π is never seen: on u* all tokens agree."
    ),
    reading=(
        "Both axes are logarithmic, the number behind a name is the slope: 1 is first order, 2 second. "
        "Names below the line at the bottom are zero to rounding. Dotted: the same fast change in P₋, where"
        " it does show. It is re-forced at every layer, so invisible means invisible to the slow path, not "
        "to what is read off the last layer. Where ψ(0) = 0, u* is 0 and nothing moves it: set a bias b; "
        "until then one is lent."
    ),
)


def _lines(tables: Tables) -> list[tuple[str, Line]]:
    """Draw what is not zero, with its stroke; a point lost in round-off is left out."""
    lines = [
        (stroke, _line(tables, name, tone, found.persistent_order, found.persistent))
        for change, found in tables.responses.items()
        for name, tone, stroke in (STYLES[change],)
    ]
    if "fast" in tables.responses:
        fast = tables.responses["fast"]
        lines.append(("hidden", _line(tables, HIDDEN, "decaying", fast.decaying_order, fast.decaying)))
    return lines


def _line(tables: Tables, name: str, tone: str, order: FittedOrder, sizes: np.ndarray) -> Line:
    if order.slope is None:
        return Line(name, tone, np.log10(SIZES), np.full(len(SIZES), math.nan))
    shown = np.where(sizes > tables.noise, sizes, math.nan)
    return Line(f"{name} {order.slope:.2f}", tone, np.log10(SIZES), log10(shown))


def _zero(tables: Tables) -> list[str]:
    return [
        STYLES[change][0]
        for change, found in tables.responses.items()
        if found.persistent_order.status == "zero"
    ]


def _labels(tables: Tables, lines: list[Line], zero: list[str], plot: Plot, room: float) -> list[Label]:
    if not tables.responses:
        return [message(visibility_words.SHORT[tables.state], plot)]
    names = [
        Label(plot.right, float(line.y[line.shown][-1]), line.name, line.tone)
        for line in lines
        if line.shown.any()
    ]
    labels = [*end_names(names, plot), *remarks(tables.remarks, plot)]
    if zero:
        text = f"exactly zero: {_list(zero)}"
        labels.append(Label(plot.left, plot.floor - room / 2, text, "ink", dx=6, bold=True))
    return labels


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
