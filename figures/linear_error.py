"""How far the linearised stack is from the real one: relative error by layer and size of the differences."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.curve import Frame, hover_rows, line_rows, visible
from figures.label import Label, label_rows, spread
from figures.log_log import Plot, log10, message, remarks
from figures.mark import Axes, layer_axis, power_axis
from figures.number import percent, short_power, typed
from figures.phrase import fitting
from figures.query_key import DEMONSTRATION
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import linearisation_quantities as quantities
from presets.linearisation_quantities import RealRun
from presets.real_block import has_blocks
from presets.schema import Scenario

QUESTION = "How good is the linearisation?"

RUNS_BLOCKS = True

DEPENDS_ON = quantities.SHUT_RUN

NAME_GAP = 0.075

QUOTED = 2
"""Which amplitude the caption quotes."""

DECADES = 9
"""Decades drawn at most."""


class Tables(NamedTuple):
    """Errors by layer and amplitude, and whether the blocks run are only a demonstration."""

    found: RealRun
    demonstration: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the errors of the linear run beside the real one."""
    return Tables(quantities.real_run(scenario), not has_blocks(scenario))


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), power_axis("relative error"))
    return [
        axes.domain(),
        axes.level("whole", palette.muted, strokeWidth=1),
        axes.line("errors", palette, strokeWidth=2),
        axes.hover("hover", curve="a", layer="layer ℓ", size="relative error"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=64)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw the error by layer, a line per amplitude."""
    curves = _curves(tables.found)
    frame = _frame(curves)
    lines = {name: ("sector2", visible(curve, frame)) for name, curve in curves.items()}
    return {
        "dom": frame.rows,
        "whole": Rows(y=[0.0] if frame.floor < 0 < frame.top else []),
        "errors": line_rows(lines),
        "hover": hover_rows(curves, frame),
        "labels": label_rows(_labels(tables, curves, frame)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer and one column per amplitude."""
    found = tables.found
    errors = {
        f"relative error, a = {typed(a)}": found.relative[:, n]
        for n, a in enumerate(found.amplitudes.tolist())
    }
    return pd.DataFrame({"layer ℓ": np.arange(len(found.relative)), **errors})


def caption(tables: Tables) -> str:
    """Quote the error at the last layer, and how it falls with the amplitude."""
    found, layers = tables.found, len(tables.found.relative) - 1
    error = float(found.relative[-1, QUOTED])
    amplitude = typed(float(found.amplitudes[QUOTED]))
    if found.order.slope is None:
        return f"At layer {layers} no error is told from round-off: tokens differ too little there."
    first = (
        "" if math.isnan(error) else f"At a = {amplitude} the error is {percent(error)} at layer {layers}; "
    )
    return fitting(f"{first}it falls with a at order {found.order.slope:.2f}.")


READ_ME = ReadMe(
    formula=(
        r"X\mapsto \mathbf 1f(p)^{\top}+(X-\mathbf 1p^{\top})(I+M)^{\top}+\alpha(X-\mathbf 1p^{\top})V^{\top}"
        r"\qquad X(0)=\mathbf 1x^{\top}+a\,D"
    ),
    statement=(
        "The real blocks f, with softmax attention confined to blocks of P tokens and real norms, are run "
        "beside their linearisation along the common path p, gate shut. What the linear run leaves out is "
        "of second order in X − p, so the error relative to X − p is of first order in a: ten times closer "
        "tokens, ten times smaller error."
    ),
    reading=(
        "One line per a, the size of the differences as a share of the common state. Lines a decade apart: "
        "order 1. At 1 the error is as large as what it describes. Other families have no block: there a "
        "small demonstration block is run; choose the Pre-LN transformer block in the sidebar to run your "
        "own."
    ),
)


def _curves(found: RealRun) -> dict[str, np.ndarray]:
    """Base-ten logarithms of the errors by layer; before the first layer there is none."""
    errors = log10(found.relative)
    errors[0] = math.nan
    return {f"a = {short_power(a)}": errors[:, n] for n, a in enumerate(found.amplitudes.tolist())}


def _frame(curves: dict[str, np.ndarray]) -> Frame:
    found = np.concatenate(list(curves.values()))
    depth = len(found) // len(curves) - 1
    found = found[np.isfinite(found)]
    top = max(math.ceil(found.max(initial=-math.inf)), 1) if len(found) else 1
    lowest = math.floor(found.min()) if len(found) else -6
    return Frame(depth, max(lowest, top - DECADES), top)


def _labels(tables: Tables, curves: dict[str, np.ndarray], frame: Frame) -> list[Label]:
    plot = Plot(0.0, frame.depth, frame.floor, frame.top)
    said = remarks([DEMONSTRATION] if tables.demonstration else [], plot)
    ends = [
        Label(frame.depth, float(curve[-1]), name, "sector2")
        for name, curve in curves.items()
        if frame.floor <= curve[-1] <= frame.top
    ]
    if not ends:
        return [message("no error above round-off", plot), *said]
    places = spread(np.array([end.y for end in ends]), NAME_GAP * plot.height, frame.floor, frame.top)
    return [end._replace(y=float(place), dx=7) for end, place in zip(ends, places, strict=True)] + said
