"""Saturation depth: from which layer on the tokens of a block agree, measured and as the paper bounds it."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.saturation import Depth
from figures import saturation_label
from figures.clear_place import Bounds, Name, clear_places, level
from figures.curve import LN10, Frame, Polyline, first_undefined, hover_rows, line_rows, visible
from figures.label import Label, label_rows
from figures.mark import Axes, layer_axis, power_axis
from figures.number import layers, short_power
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities
from presets.build import block_tokens
from presets.schema import Scenario

QUESTION = "When do tokens in a block agree?"

DEPENDS_ON = (*quantities.TOKENS, "window", "tolerance")

BOUND_HEADROOM = 6
"""Decades above the measured curve that the paper's bound may claim before it leaves through the top."""

EMPTY = "One token per block: nothing to wash out."


class Tables(NamedTuple):
    """Size of the token differences, its bound and where it settles.

    **Fields:**

    - `sizes`: columns layer, absolute, relative (log10 of the token-sup norms; −inf for zero), bound (log10
      of the paper's κ C_f r_f^ℓ; all NaN when there is no bound).
    - `tolerance`: what counts as washed out.
    - `measured`, `measured_relative`: where the curves settle below it.
    - `bound`: the paper's bound on the depth; None without one.
    - `rate`: r_f, growth per layer of the slowest difference.
    - `resolution`: H in layers, None when the rate is exact.
    - `tokens`: tokens per block.
    - `leaky`: whether later blocks read earlier ones, so that the paper's bound does not apply.
    """

    sizes: pd.DataFrame
    tolerance: float
    measured: Depth
    measured_relative: Depth
    bound: int | None
    rate: float
    resolution: int | None
    tokens: int
    leaky: bool = False


def compute(scenario: Scenario) -> Tables:
    """Collect the fluctuation norms, their settling depths and the paper's bound."""
    norms = quantities.fluctuation_norms(scenario)
    transverse = quantities.fluctuation_rate(scenario)
    settled = quantities.saturation_depth(scenario)
    layers = np.arange(len(norms.log_absolute))
    bound = np.full(len(layers), np.nan)
    if (
        settled.paper_bound is not None
        and transverse.log_kappa is not None
        and transverse.constant > 0
        and transverse.rate > 0
    ):
        start = transverse.log_kappa + math.log(transverse.constant)
        bound = (start + layers * math.log(transverse.rate)) / LN10
    sizes = pd.DataFrame(
        {
            "layer": layers,
            "absolute": norms.log_absolute / LN10,
            "relative": norms.log_relative / LN10,
            "bound": bound,
        }
    )
    return Tables(
        sizes=sizes,
        tolerance=scenario.tolerance,
        measured=settled.absolute,
        measured_relative=settled.relative,
        bound=settled.paper_bound,
        rate=transverse.rate,
        resolution=quantities.spectrum(scenario).resolution,
        tokens=block_tokens(scenario),
        leaky=transverse.log_kappa is None,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), power_axis("size of token differences"))
    return [
        axes.domain(),
        axes.level("tolerance", palette.muted, strokeWidth=1.2),
        axes.line("bound", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.line("relative", palette, strokeWidth=1.4, strokeDash=[3, 2]),
        axes.line("measured", palette, strokeWidth=2.6),
        axes.segment("drop", palette, strokeWidth=1.4),
        axes.dot("dip", palette, size=34, filled=False, strokeWidth=1.4),
        axes.dot("settled", palette, size=52),
        axes.hover("hover", curve="curve", layer="layer ℓ", size="size"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut the curves to the frame, mark the settling depth and place the names."""
    frame = _frame(tables)
    hidden = tables.tokens == 1
    curves = {name: tables.sizes[name].to_numpy() for name in ("absolute", "relative", "bound")}
    lines = {
        name: visible(np.full_like(curve, np.nan) if hidden else curve, frame)
        for name, curve in curves.items()
    }
    told = {"measured": curves["absolute"], "relative": curves["relative"], "paper bound": curves["bound"]}
    return {
        "dom": frame.rows,
        "tolerance": Rows(y=[] if hidden else [math.log10(tables.tolerance)]),
        "bound": line_rows({"bound": ("paper", lines["bound"])}),
        "relative": line_rows({"relative": ("last_sector", lines["relative"])}),
        "measured": line_rows({"measured": ("sector2", lines["absolute"])}),
        **_marks(tables, frame),
        "hover": hover_rows({} if hidden else told, frame),
        "labels": label_rows(_labels(tables, lines, frame)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer."""
    names = {
        "layer": "layer ℓ",
        "absolute": "log10 token differences",
        "relative": "log10 token differences, relative to the shared state",
        "bound": "log10 paper bound",
    }
    return tables.sizes.rename(columns=names).dropna(axis="columns", how="all")


def caption(tables: Tables) -> str:
    """Say from which layer on differences stay below the tolerance, and what the paper's bound gives."""
    if tables.tokens == 1:
        return EMPTY
    undefined = first_undefined(tables.sizes["absolute"].to_numpy())
    if undefined is not None:
        return f"Not finite from layer {undefined}: lower V or the depth."
    tolerance, measured = short_power(tables.tolerance), tables.measured
    if measured.status == "trivial":
        return f"Trivial: differences never exceed the tolerance {tolerance}."
    return _measured(tables, tolerance) + "."


READ_ME = ReadMe(
    formula=(
        r"\tau=\min\{\ell_0:\ |F_\perp(\ell)|\le\mathrm{tol}\ \ \forall\,\ell\ge\ell_0\},"
        r"\qquad \tau\le\frac{\log(\kappa_\alpha C_f/\mathrm{tol})}{\log(1/r_f)}"
    ),
    statement=(
        "Theorem 6 with C′ = 1. The solid curve is the exact norm of the difference part of the token flow: "
        "the largest output token of the sum over input tokens. The paper's bound ignores that sectors "
        "cancel, so it grows like P where the truth grows like log P."
    ),
    reading=(
        "The dot is the first layer after which the curve never rises above the tolerance again; an open "
        "dot is an earlier dip. “Relative” divides by the growth of the shared state. Nothing is "
        "extrapolated beyond the last layer."
    ),
)


def _measured(tables: Tables, tolerance: str) -> str:
    measured = tables.measured
    if measured.depth is None:
        within = f"within {layers(len(tables.sizes) - 1)}"
        return f"Not below {tolerance} for good {within}; {_bound(tables, 'the paper’s bound gives layer')}"
    settled = f"Differences stay below {tolerance} from layer {measured.depth}"
    if measured.first_crossing is not None and measured.first_crossing < measured.depth:
        return f"{settled} (first dip {measured.first_crossing}); {_bound(tables, 'paper’s bound:')}"
    return f"{settled}; {_bound(tables, 'the paper’s bound gives layer')}"


def _bound(tables: Tables, words: str) -> str:
    if tables.bound is not None:
        return f"{words} {tables.bound}"
    if tables.leaky:
        return "no paper bound under a leak"
    return "no paper bound, as r_f ≥ 1" if tables.rate >= 1 else "no paper bound, as C_f = ∞"


def _frame(tables: Tables) -> Frame:
    measured = tables.sizes[["absolute", "relative"]].to_numpy()
    highest = float(measured[np.isfinite(measured)].max(initial=0.0))
    tolerance = math.log10(tables.tolerance)
    floor = math.floor(tolerance + 1e-9) - 1
    start = float(tables.sizes["bound"].iloc[0])
    if tables.tokens > 1 and math.isfinite(start):
        highest = max(highest, min(start, highest + BOUND_HEADROOM))
    return Frame(len(tables.sizes) - 1, floor, max(math.ceil(highest), math.ceil(tolerance) + 1))


def _marks(tables: Tables, frame: Frame) -> dict[str, Rows]:
    """Place the dot at τ, its drop line, and the open dot at an earlier dip."""
    level, measured = math.log10(tables.tolerance), tables.measured
    settled = [] if measured.depth is None or tables.tokens == 1 else [float(measured.depth)]
    first = measured.first_crossing
    dips = [float(first)] if settled and first is not None and first != measured.depth else []
    tone = "muted" if measured.status == "trivial" else "ink"
    drop = _stroke_rows(settled, level, tone).having(x2=settled, y2=frame.floor)
    return {"settled": drop, "drop": drop, "dip": _stroke_rows(dips, level, "ink")}


def _stroke_rows(layers: list[float], level: float, tone: str) -> Rows:
    return Rows(x=layers, y=level, tone=tone)


def _labels(tables: Tables, lines: dict[str, Polyline], frame: Frame) -> list[Label]:
    if tables.tokens == 1:
        return [Label(frame.depth / 2, (frame.floor + frame.top) / 2, EMPTY, align="center")]
    written = [
        *saturation_label.depth_labels(tables.measured, tables.tolerance, frame),
        *saturation_label.peak_label(tables.sizes["absolute"].to_numpy(), frame),
    ]
    bounds = Bounds.of(frame)
    names = [
        Name("measured", "sector2", lines["absolute"], 0.45),
        Name("relative", "muted", lines["relative"], 0.45, minor=True),
    ]
    words = saturation_label.bound_words(tables.bound, frame)
    if words:
        names.append(Name(words, "paper", lines["bound"], 0.3))
    tolerance = level(math.log10(tables.tolerance), bounds)
    placed = clear_places(names, [*lines.values(), tolerance], bounds, written)
    if words and not len(lines["bound"].x):
        placed.append(Label(frame.depth, frame.top, words, "paper", "right", dx=-4, dy=8))
    return written + placed
