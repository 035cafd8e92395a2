"""Saturation depth by block length: the measured depth grows like log P, the paper's bound like P."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.saturation import Depth
from figures import length_axis
from figures.curve import Frame, Polyline, line_rows, visible
from figures.label import Label, label_rows
from figures.mark import Axes, named
from figures.number import layers, short_power
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import length_quantities
from presets.build import block_tokens
from presets.length_quantities import Depths
from presets.quantities import TOKENS
from presets.schema import Scenario

QUESTION = "How does τ grow with P?"

DEPENDS_ON = (*TOKENS, "window", "tolerance")

HEADROOM = 3.0
"""Times the largest measured depth up to which the bound is followed."""


class Tables(NamedTuple):
    """Depths over the block length.

    **Fields:**

    - `found`: measured depths and bounds.
    - `depth`: layers L of the stack.
    - `tolerance`: what counts as washed out.
    - `tokens`: tokens per block of the scenario itself.
    """

    found: Depths
    depth: int
    tolerance: float
    tokens: int


def compute(scenario: Scenario) -> Tables:
    """Collect the depths for every block length."""
    return Tables(
        length_quantities.depths(scenario), scenario.depth, scenario.tolerance, block_tokens(scenario)
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    count = alt.Axis(title="saturation depth τ, layers", grid=True, tickCount=alt.expr("max(3, height / 40)"))
    axes = Axes(length_axis.length_axis(), count)
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    return [
        axes.domain(),
        axes.level("last", palette.muted, strokeWidth=1, strokeDash=[1, 3]),
        axes.line("scaled", palette, strokeWidth=1.4, strokeDash=[2, 3]),
        axes.line("bound", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.line("relative", palette, strokeWidth=1.4, strokeDash=[3, 2]),
        axes.line("measured", palette, strokeWidth=2.6),
        axes.dot("dots", palette, size=44),
        axes.dot("censored", palette, size=60, filled=False, strokeWidth=1.6, shape="triangle-up"),
        named("point").mark_point(size=130, **ring).encode(axes.x, axes.y),
        axes.hover("hover", curve="curve", length="tokens per block P", depth="layers"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_NAMES = {
    "measured": "measured",
    "relative": "relative",
    "bound": "paper bound, C′ = 1",
    "scaled": "with the best scaling",
}
_TONES = {"measured": "sector2", "relative": "last_sector", "bound": "paper", "scaled": "paper"}


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw the four depths, what was not reached at the last layer, and the scenario's own length."""
    places = length_axis.place(np.array(tables.found.lengths))
    curves, top = _curves(tables.found), _top(tables)
    lines = {name: _line(curve, places, top) for name, curve in curves.items()}
    censored = places[np.isnan(curves["measured"])]
    own = tables.found.lengths.index(tables.tokens)
    height = curves["measured"][own]
    here = Rows(x=[places[own]], y=[tables.depth if math.isnan(height) else height])
    left, right = length_axis.ends(np.array(tables.found.lengths))
    return {
        "dom": Rows(x=[left, right], y=[0.0, top]),
        "last": Rows(y=[float(tables.depth)] if len(censored) else []),
        **{name: line_rows({name: (_TONES[name], line)}) for name, line in lines.items()},
        "dots": Rows(**_finite(places, curves["measured"]), tone="sector2"),
        "censored": Rows(x=censored, y=float(tables.depth), tone="sector2"),
        "point": here,
        "hover": _hover(tables.found, places, curves, top),
        "labels": label_rows(_labels(tables, lines, right, censored=len(censored) > 0)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per block length; an empty depth was not reached, an empty bound does not exist."""
    names = {
        "measured": "measured τ",
        "relative": "relative τ",
        "bound": "paper bound",
        "scaled": "paper bound with the best scaling",
    }
    curves = {names[name]: curve for name, curve in _curves(tables.found).items()}
    return pd.DataFrame({length_axis.TITLE: tables.found.lengths, **curves})


def caption(tables: Tables) -> str:
    """Say how measured depth and bound differ between the shortest and the longest block."""
    lengths = [length for length in tables.found.lengths if length > 1]
    if not lengths:
        return "One token per block: nothing to wash out."
    first, last = (tables.found.lengths.index(length) for length in (lengths[0], lengths[-1]))
    measured = [_words(tables.found.measured[index]) for index in (first, last)]
    bounds = [tables.found.bound[index] for index in (first, last)]
    said = "no paper bound" if None in bounds else f"paper’s bound: {bounds[0]} to {bounds[1]}"
    if first == last:
        return f"At P = {lengths[0]}: τ {measured[0]}; {said.partition(' to')[0]}."
    text = f"From P = {lengths[0]} to {lengths[-1]}: measured τ {measured[0]} to {measured[1]}"
    if measured[0] == measured[1]:
        text = f"From P = {lengths[0]} to {lengths[-1]}: measured τ {measured[0]}"
    return fitting(f"{text} at {short_power(tables.tolerance)}; {said}.", f"{text}; {said}.", f"{text}.")


READ_ME = ReadMe(
    formula=(
        r"\tau_{\mathrm{paper}}=\frac{\log(\kappa_\alpha C_f/\mathrm{tol})}{\log(1/r_f)},\quad "
        r"\log\kappa_\alpha\sim P\log 4,\qquad \tau\sim\frac{\log P}{\log(1/r_f)}"
    ),
    statement=(
        "The same layers, cut into longer and longer blocks. The paper bounds every sector by itself and "
        "adds them up through κ_α, the condition number of the kernel's eigenvectors, which grows like 4 to "
        "the P. In truth the sectors cancel: differences start at size 2 whatever P, and the depth grows "
        "like log P. Rescaling the eigenvectors cannot repair it: the best κ_α still grows like 3 to the P."
    ),
    reading=(
        "Block lengths double from tick to tick: log P is a straight line, P an exponential. The ringed dot "
        "is the scenario's own length. An open triangle at the last layer: not reached, and nothing is "
        "extrapolated. A bound that leaves through the top goes on in the table."
    ),
)


def _words(depth: Depth) -> str:
    return "not reached" if depth.depth is None else str(depth.depth)


def _curves(found: Depths) -> dict[str, np.ndarray]:
    """Depths of every curve over the block length; NaN where there is none."""
    curves = {name: [depth.depth for depth in getattr(found, name)] for name in ("measured", "relative")}
    curves |= {name: list(getattr(found, name)) for name in ("bound", "scaled")}
    return {name: np.array(curve, dtype=float) for name, curve in curves.items()}


def _top(tables: Tables) -> float:
    """Leave room for the measured depths and for the beginning of the bound."""
    curves = _curves(tables.found)
    measured = np.concatenate([curves["measured"], curves["relative"]])
    bounds = np.concatenate([curves["bound"], curves["scaled"]])
    reached = float(np.nanmax(measured, initial=1.0))
    highest = min(HEADROOM * reached, max(float(np.nanmax(bounds, initial=0.0)), reached))
    if np.isnan(curves["measured"]).any():
        highest = max(highest, tables.depth)
    return 1.1 * highest


def _line(curve: np.ndarray, places: np.ndarray, top: float) -> Polyline:
    """Join the depths of neighbouring lengths, cut at the top."""
    line = visible(curve, Frame(max(len(curve) - 1, 1), 0, top))
    return line._replace(x=np.interp(line.x, np.arange(len(places)), places))


def _finite(places: np.ndarray, curve: np.ndarray) -> dict[str, np.ndarray]:
    shown = np.isfinite(curve)
    return {"x": places[shown], "y": curve[shown]}


def _hover(found: Depths, places: np.ndarray, curves: dict[str, np.ndarray], top: float) -> Rows:
    names, columns = [], {"x": [], "y": [], "length": [], "depth": []}
    for name, curve in curves.items():
        for place, depth, length in zip(places, curve, found.lengths, strict=True):
            if depth <= top:
                names.append(_NAMES[name])
                columns["x"].append(place)
                columns["y"].append(depth)
                columns["length"].append(str(length))
                columns["depth"].append(f"{depth:.0f}")
    kinds = {"x": float, "y": float, "length": object, "depth": object}
    return Rows(
        curve=np.array(names, dtype=object),
        **{name: np.array(column, dtype=kinds[name]) for name, column in columns.items()},
    )


def _labels(tables: Tables, lines: dict[str, Polyline], right: float, *, censored: bool) -> list[Label]:
    """Name the measured curves at their right ends, the bounds where they leave the plot."""
    labels = []
    ends = {name: line.at(1) for name, line in lines.items()}
    measured, relative = ends["measured"], ends["relative"]
    above = not (measured and relative) or measured[1] >= relative[1]
    for name, up in (("measured", above), ("relative", not above)):
        end = ends[name]
        if end is not None:
            tone = "sector2" if name == "measured" else "muted"
            labels.append(Label(*end, _NAMES[name], tone, "right", dx=-8, dy=-11 if up else 12))
    for name, share, dx in (("bound", 0.85, -12.0), ("scaled", 0.6, 12.0)):
        line = lines[name]
        if len(line.x):
            height = share * float(line.y[-1])
            place = float(np.interp(height, line.y, line.x))
            side = "right" if dx < 0 else "left"
            minor = name == "scaled"
            labels.append(Label(place, height, _NAMES[name], _TONES[name], side, dx=dx, minor=minor))
    if censored:
        words = f"not reached within {layers(tables.depth)}"
        labels.append(Label(0, tables.depth, words, "muted", dx=6, dy=-9))
    return labels
