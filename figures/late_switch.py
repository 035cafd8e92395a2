"""Late switch: the error at the last layer when a block is compressed at depth s instead of never."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.curve import LN10, Frame, hover_rows, line_rows, visible
from figures.label import Label, label_rows
from figures.mark import Axes, layer_axis, power_axis
from figures.number import from_log10
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.saturation_label import beside
from figures.theme import Palette, themed
from presets import quantities, washout_quantities
from presets.compression import COMPRESSIONS
from presets.quantities import TOKENS
from presets.schema import Scenario

QUESTION = "What does compressing too early cost?"

DEPENDS_ON = (*TOKENS, "tolerance", "compression")

FLOOR, HEADROOM = -12, 1
LEAK = "Under a leak a block has no flow of its own to switch to."


class Tables(NamedTuple):
    """Relative errors of the switch.

    **Fields:**

    - `errors`: columns switch, depth, log10 (of E(s,ℓ)/|Φ₁(ℓ,0)|), every pair computed; empty under a leak.
    - `layers`: L.
    - `settled`: saturation depth τ; None when not reached.
    - `compression`: name of Π.
    """

    errors: pd.DataFrame
    layers: int
    settled: int | None
    compression: str


def compute(scenario: Scenario) -> Tables:
    """Collect the errors of every switch."""
    found = washout_quantities.switch_errors(scenario)
    columns = {"switch": [], "depth": [], "log10": []}
    if found is not None:
        columns = {"switch": found.switch, "depth": found.depth, "log10": found.log_relative / LN10}
    return Tables(
        errors=pd.DataFrame(columns, dtype=float),
        layers=scenario.depth,
        settled=quantities.saturation_depth(scenario).absolute.depth,
        compression=COMPRESSIONS[scenario.compression.kind][1].lower(),
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis("compressed at layer s"), power_axis("error at layer ℓ, relative to |Φ₁(ℓ, 0)|"))
    return [
        axes.domain(),
        axes.level("unit", palette.muted, strokeWidth=1),
        axes.plumb("tau", palette.ink, strokeWidth=1.2, strokeDash=[4, 3]),
        axes.line("earlier", palette, strokeWidth=1.6),
        axes.line("last", palette, strokeWidth=2.6),
        axes.dot("input", palette, size=60),
        axes.hover("hover", curve="curve", layer="switched at layer s", size="size"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_TONES = ("sector4", "sector3", "sector2")


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw the error against the switch depth, at the last layer and at three earlier ones."""
    curves = _curves(tables)
    frame = _frame(tables, curves)
    lines = {depth: visible(curve, frame) for depth, curve in curves.items()}
    earlier = [depth for depth in curves if depth != tables.layers]
    last = lines.get(tables.layers)
    tau = [] if tables.settled is None or not curves else [float(tables.settled)]
    labels = [] if curves else [Label(frame.depth / 2, (frame.floor + frame.top) / 2, LEAK, align="center")]
    if last is not None:
        labels += beside(last, f"at ℓ = {tables.layers}", "ink", frame, above=True, share=0.4)
        for turn, depth in enumerate(earlier):
            labels += beside(lines[depth], f"ℓ = {depth}", _TONES[turn % 3], frame, above=False, share=0.75)
    start = curves[tables.layers][0] if curves else math.nan
    shown = math.isfinite(start) and frame.floor <= start <= frame.top
    if shown:
        labels.append(Label(0, start, "compressed at the input", "paper", "left", dx=9, dy=-9))
    labels += [Label(depth, frame.top, f"τ = {int(depth)}", "ink", "right", dx=-4, dy=9) for depth in tau]
    return {
        "dom": frame.rows,
        "unit": Rows(y=[0.0]),
        "tau": Rows(x=tau),
        "earlier": line_rows(
            {str(depth): (_TONES[turn % 3], lines[depth]) for turn, depth in enumerate(earlier)}
        ),
        "last": line_rows({} if last is None else {"last": ("ink", last)}),
        "input": Rows(x=[0.0] if shown else [], y=[start] if shown else [], tone="paper"),
        "hover": hover_rows({f"at ℓ = {depth}": curve for depth, curve in curves.items()}, frame),
        "labels": label_rows(labels),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per pair of depths."""
    names = {"switch": "compressed at layer s", "depth": "layer ℓ", "log10": "log10 relative error"}
    return tables.errors.rename(columns=names)


def caption(tables: Tables) -> str:
    """Say what compressing at the input and at τ costs at the last layer."""
    curves = _curves(tables)
    if not curves:
        return LEAK
    last = curves[tables.layers]
    at_input = f"With Π = {tables.compression}: at the input {from_log10(float(last[0]))}"
    if tables.settled is None:
        return f"{at_input} relative error at the last layer; τ is not reached."
    text = f"{at_input}, at layer {tables.settled} {from_log10(float(last[tables.settled]))}"
    return fitting(f"{text} relative error at the last layer.", f"{text} relative error.")


READ_ME = ReadMe(
    formula=(
        r"E(s,\ell)=|\Phi_{\mathrm{full}}(\ell,0)-\iota\,\Phi_1(\ell,s)\,\Pi\,\Phi_{\mathrm{full}}(s,0)|"
        r"\le|F_\perp(\ell)|+|\pi-e_1|_1\,|\Phi_1(\ell,s)|\,|F_\perp(s)|"
    ),
    statement=(
        "Theorem 6, as it holds: coarse-graining commutes with depth only after differences inside the block "
        "have washed out: compress at depth s ≥ τ, not at the input. Under causal attention the block mean "
        "of the input leaves an error of order one that never decays; the first token leaves none."
    ),
    reading=(
        "Across: the layer at which the block is replaced by its summary. Up: the error this leaves at ℓ. "
        "The dot on the left is compression at the input. Errors below 10⁻¹² are not drawn."
    ),
)


def _curves(tables: Tables) -> dict[int, np.ndarray]:
    """Errors over the switch depth, at the last layer and at up to three earlier ones."""
    errors = tables.errors
    if errors.empty:
        return {}
    grid = np.unique(errors["depth"].to_numpy())
    chosen = {int(grid[round(share * (len(grid) - 1))]) for share in (0.25, 0.5, 0.75, 1.0)}
    curves = {}
    for depth in sorted(chosen - {0}):
        switches, logs = (errors[name].to_numpy()[errors["depth"] == depth] for name in ("switch", "log10"))
        at = np.arange(depth + 1)
        finite = np.where(np.isneginf(logs), 10.0 * FLOOR, logs)
        curve = np.full(tables.layers + 1, np.nan)
        curve[: depth + 1] = np.interp(at, switches, finite)
        curves[depth] = curve
    return curves


def _frame(tables: Tables, curves: dict[int, np.ndarray]) -> Frame:
    drawn = np.concatenate([np.zeros(1), *curves.values()])
    highest = float(drawn[np.isfinite(drawn)].max())
    return Frame(tables.layers, FLOOR, max(math.ceil(highest), HEADROOM))
