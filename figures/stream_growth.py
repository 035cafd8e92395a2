"""Growth of the residual stream: the largest token by layer, its bound, and what later layers see of it."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.stream_growth import StreamGrowth
from figures.curve import Frame, hover_rows, line_rows, visible
from figures.label import Label, label_rows, spread
from figures.log_log import Plot, log10, remarks
from figures.mark import Axes, layer_axis, power_axis
from figures.number import MINUS, from_log10
from figures.phrase import fitting
from figures.query_key import DEMONSTRATION
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import linearisation_quantities as quantities
from presets.real_block import has_blocks
from presets.schema import Scenario

QUESTION = "How fast does the stream grow?"

RUNS_BLOCKS = True

DEPENDS_ON = quantities.SHUT_RUN

NAME_GAP = 0.075


class Tables(NamedTuple):
    """Sizes of the stream by layer.

    **Fields:**

    - `growth`: of the largest token.
    - `radius`: √d, the most a normalised token with unit gain can measure.
    - `demonstration`: whether the blocks run are only a demonstration.
    """

    growth: StreamGrowth
    radius: float
    demonstration: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the sizes of a real run with the gate shut."""
    found = quantities.real_run(scenario)
    return Tables(found.growth, math.sqrt(found.width), not has_blocks(scenario))


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), power_axis("norm of the largest token"))
    return [
        axes.domain(),
        axes.line("bound", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.line("normalised", palette, strokeWidth=1.6, strokeDash=[2, 3]),
        axes.line("stream", palette, strokeWidth=2.6),
        axes.hover("hover", curve="curve", layer="layer ℓ", size="norm"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=74)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw the stream, its bound, and the normalised stream."""
    curves = _curves(tables.growth)
    frame = _frame(curves)
    lines = {name: visible(curve, frame) for name, curve in curves.items()}
    return {
        "dom": frame.rows,
        **{name: line_rows({name: (_TONES[name], lines[name])}) for name in curves},
        "hover": hover_rows({_NAMES[name]: curve for name, curve in curves.items()}, frame),
        "labels": label_rows(_labels(tables, curves, frame)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer."""
    growth = tables.growth
    return pd.DataFrame(
        {
            "layer ℓ": np.arange(len(growth.size)),
            "largest token": growth.size,
            "bound": growth.bound,
            "largest normalised token": growth.normalised,
        }
    )


def caption(tables: Tables) -> str:
    """Compare the stream with its bound at the last layer, and give the late exponent."""
    growth = tables.growth
    size, bound = (from_log10(float(log10(values[-1:])[0])) for values in (growth.size, growth.bound))
    said = f"At most linear: {size} at layer {len(growth.size) - 1}, bound {bound}"
    if growth.exponent is None:
        return f"{said}."
    exponent = f"{growth.exponent:.2f}".replace("-", MINUS)
    return fitting(f"{said}, exponent {exponent} over the second half.", f"{said}.")


READ_ME = ReadMe(
    formula=(
        r"|x_L|\le|x_0|+\sum_{\ell<L}C_N(\ell)\qquad "
        r"|S(x)|\le R=\max|g|\sqrt d"
    ),
    statement=(
        "Proposition 1: a norm sends every state into a ball of radius R, softmax averages inside it, and "
        "the weights bound what leaves both branches. Every block therefore adds a bounded amount, and the "
        "stream grows at most linearly with depth. C_N is computed from the weights of each layer; it is "
        "never reached by random ones."
    ),
    reading=(
        "Thick: largest token of a real run whose tokens differ as much as they share (a = 1), gate shut. "
        "Dashes: its bound. Dotted: the largest token after the norm, all that later layers see: it stays "
        "within √d. The exponent is the slope of log size against log depth over the second half; 1 is "
        "linear."
    ),
)

_NAMES = {"bound": "bound", "normalised": "normalised", "stream": "stream"}
_TONES = {"bound": "paper", "normalised": "muted", "stream": "sector2"}


def _curves(growth: StreamGrowth) -> dict[str, np.ndarray]:
    return {
        "bound": log10(growth.bound),
        "normalised": log10(growth.normalised),
        "stream": log10(growth.size),
    }


def _frame(curves: dict[str, np.ndarray]) -> Frame:
    found = np.concatenate(list(curves.values()))
    found = found[np.isfinite(found)]
    floor = math.floor(float(found.min(initial=0.0)))
    return Frame(
        len(curves["stream"]) - 1, floor, max(math.ceil(float(found.max(initial=1.0)) + 0.01), floor + 1)
    )


def _labels(tables: Tables, curves: dict[str, np.ndarray], frame: Frame) -> list[Label]:
    plot = Plot(0.0, frame.depth, frame.floor, frame.top)
    said = {**_NAMES, "normalised": "|S(x)| ≤ √d"}
    ends = [
        Label(frame.depth, float(curve[-1]), said[name], _TONES[name])
        for name, curve in curves.items()
        if frame.floor <= curve[-1] <= frame.top
    ]
    places = spread(np.array([end.y for end in ends]), NAME_GAP * plot.height, frame.floor, frame.top)
    names = [end._replace(y=float(place), dx=7) for end, place in zip(ends, places, strict=True)]
    return [*names, *remarks([DEMONSTRATION] if tables.demonstration else [], plot)]
