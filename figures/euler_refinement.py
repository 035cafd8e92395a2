"""A stack as Euler's method: error against the step as the layers are refined, with both bounds."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.curve import LN10
from figures.label import Label, label_rows
from figures.log_log import Line, Plot, dot_rows, end_names, line_rows, message, remarks
from figures.mark import Axes, power_axis
from figures.number import from_log10, layers, percent, significant
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import linearisation_quantities as quantities
from presets.linearisation_quantities import Refinement
from presets.quantities import STACK
from presets.schema import Scenario

QUESTION = "Is the stack an Euler scheme?"

DEPENDS_ON = STACK

HEADROOM = 6
"""Decades above the largest error that the bounds may claim before they leave through the top."""

DECADES = 10
"""Decades of error drawn at most."""

LARGEST_SHARE = 300.0
"""Base-ten logarithm up to which an error is written as a number."""

FIRST_ORDER_FROM = 0.85
"""Slope over the finest steps from which the error is of first order; below, they are not fine enough."""


class Tables(NamedTuple):
    """Errors and bounds relative to the flow, as base-ten logarithms by step.

    **Fields:**

    - `steps`: h, layers.
    - `error`, `sharp`, `paper`: of the error and of both bounds; −inf where there is no error.
    - `order`: exponent of the error in h over the finest steps; None without one.
    - `layers`: refined, the first of the stack.
    - `size`: sup ‖A‖ over them.
    """

    steps: np.ndarray
    error: np.ndarray
    sharp: np.ndarray
    paper: np.ndarray
    order: float | None
    layers: int
    size: float


def compute(scenario: Scenario) -> Tables:
    """Collect errors and bounds of the refinement study."""
    found: Refinement = quantities.refinement(scenario)
    study = found.study
    error, sharp, paper = (
        (values - study.log_flow) / LN10
        for values in (study.log_errors, study.log_sharp_bound, study.log_paper_bound)
    )
    return Tables(study.step_sizes, error, sharp, paper, found.order.slope, found.layers, found.size)


def _layers(palette: Palette) -> list[alt.Chart]:
    step = alt.Axis(
        title="step h, layers",
        labelExpr="datum.value < 0 ? '1/' + format(pow(2, -datum.value), 'd') : '1'",
        tickCount=alt.expr("min(max(2, width / 52), span(domain('x')))"),
    )
    axes = Axes(step, power_axis("error relative to the flow"))
    return [
        axes.domain(),
        axes.line("paper", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.line("sharp", palette, strokeWidth=1.8, strokeDash=[2, 3]),
        axes.line("error", palette, strokeWidth=2.4),
        axes.dot("points", palette, size=30),
        axes.hover("points", curve="curve", cause="h", size="relative size"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=66)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw the error and both bounds against the step, as far as they fit."""
    lines = _lines(tables)
    scale = _plot(tables, lines["error"])
    cut = {name: _inside(line, scale) for name, line in lines.items()}
    said = _remarks(tables, lines, scale)
    plot = scale.with_room(said)
    dots = dot_rows([cut["error"]])
    steps = np.array([_step(x) for x in dots["x"]], dtype=object)
    return {
        "dom": plot.rows,
        **{name: line_rows([line]) for name, line in cut.items()},
        "points": dots.having(cause=steps),
        "labels": label_rows(_labels(lines["error"], cut, said, plot)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per step."""
    return pd.DataFrame(
        {
            "step h (layers)": tables.steps,
            "log10 error, relative to the flow": tables.error,
            "log10 bound with log-norms": tables.sharp,
            "log10 paper bound": tables.paper,
        }
    )


def caption(tables: Tables) -> str:
    """Say that this is a study of refinement, give its order, and the error at the network's own step."""
    if tables.order is None:
        return "A refinement study: steps and flow agree to rounding, as A = 0 here."
    if tables.order < FIRST_ORDER_FROM:
        finest = _step(float(np.log2(tables.steps[-1])))
        return f"A refinement study, not this stack: at h = {finest} still order {tables.order:.2f} in h."
    study = f"A refinement study, not this stack: order {tables.order:.2f} in h"
    own = 10.0 ** min(float(tables.error[0]), LARGEST_SHARE)
    size = percent(own) if own < 1 else f"{significant(own, 2)} times the flow"
    return fitting(f"{study}; at h = 1 the error is {size}.", f"{study}.")


READ_ME = ReadMe(
    formula=(
        r"\Bigl\|\prod_i(I+hA(t_i))-\Phi\Bigr\|\le\frac Lh\,e^{a(L-h)}\bigl(e^{ah}-1-ah+h\,\omega(h)\bigr)"
        r"\qquad a=\sup\|A\|"
    ),
    statement=(
        "Theorem 4 is about refinement, h → 0: the product tends to the flow of u′ = A(t)u at first order. "
        "It says nothing about a given stack, whose step is h = 1: there the paper’s bound is of order one "
        "per layer as soon as a is near 1. Everything else in this explorer is about the discrete product. "
        "A(t) joins the layers by straight lines; ω is its modulus of continuity."
    ),
    reading=(
        "Right to left the steps get finer; errors are relative to ‖Φ‖. Solid: measured. Dotted: the bound "
        "with log-norms of A behind each step and ‖I + hA‖ before it. Dashes: the paper’s bound. Only the "
        "first layers are refined, since all three grow exponentially with depth. The badge names where A "
        "is from."
    ),
)


def _lines(tables: Tables) -> dict[str, Line]:
    x = np.log2(tables.steps / tables.steps.max())
    return {
        "paper": Line("paper", "paper", x, tables.paper),
        "sharp": Line("log-norm", "certified", x, tables.sharp),
        "error": Line("measured", "sector2", x, tables.error),
    }


def _plot(tables: Tables, error: Line) -> Plot:
    found = error.y[error.shown]
    if not len(found):
        return Plot(float(error.x.min()), 0.0, -8.0, 0.0)
    top = math.ceil(float(found.max()) + 0.01)
    highest = max(float(line.max()) for line in (tables.sharp, tables.paper))
    floor = max(math.floor(float(found.min())), top - DECADES)
    return Plot(float(error.x.min()), 0.0, floor, min(max(math.ceil(highest), top), top + HEADROOM))


def _inside(line: Line, plot: Plot) -> Line:
    """Leave out what lies beyond the axes."""
    inside = (line.y >= plot.floor) & (line.y <= plot.top)
    return line._replace(y=np.where(inside, line.y, math.nan))


def _step(x: float) -> str:
    return "1" if x == 0 else f"1/{2**-x:.0f}"


def _remarks(tables: Tables, lines: dict[str, Line], plot: Plot) -> list[str]:
    """Say what was refined, and how large a bound is that starts beyond the axes."""
    if not lines["error"].shown.any():
        return []
    off = [
        f"{lines[name].name} bound at h = 1: {from_log10(float(lines[name].y[0]))} (off scale)"
        for name in ("paper", "sharp")
        if lines[name].shown[0] and lines[name].y[0] > plot.top
    ]
    return [f"first {layers(tables.layers)}, sup ‖A‖ = {tables.size:.2f}", *off]


def _labels(error: Line, cut: dict[str, Line], said: list[str], plot: Plot) -> list[Label]:
    if not error.shown.any():
        return [message("no error: A = 0", plot)]
    ends = [
        Label(plot.right, float(line.y[0]), line.name, line.tone) for line in cut.values() if line.shown[0]
    ]
    return [*end_names(ends, plot), *remarks(said, plot)]
