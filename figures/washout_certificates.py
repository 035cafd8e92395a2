"""Certificates of washing out: what is proved about token differences, beside what was measured."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.saturation import Depth
from figures.clear_place import Bounds, Name, clear_places, level
from figures.curve import LN10, Frame, Polyline, hover_rows, line_rows, visible
from figures.label import Label, label_rows
from figures.mark import Axes, layer_axis, power_axis
from figures.number import short_power
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities, washout_quantities
from presets.build import block_tokens
from presets.quantities import TOKENS
from presets.schema import Scenario

QUESTION = "From which layer is agreement proved?"

DEPENDS_ON = (*TOKENS, "tolerance", "seed")

HEADROOM = 4
"""Decades above the measured curves up to which a certificate is followed."""

EMPTY = "One token per block: nothing to wash out."


class Tables(NamedTuple):
    """Measured sizes and their certificates.

    **Fields:**

    - `sizes`: columns layer, token_sup, norm_certificate, l2, disc_certificate, given (base-ten logarithms).
    - `tolerance`: below it differences count as washed out.
    - `depths`: the depths of the five curves, by column.
    - `tokens`: tokens per block.
    """

    sizes: pd.DataFrame
    tolerance: float
    depths: dict[str, Depth]
    tokens: int


_NAMES = {
    "token_sup": "measured",
    "norm_certificate": "norm certificate",
    "l2": "ℓ² measured",
    "disc_certificate": "disc certificate (ℓ²)",
    "given": "one input",
}

_DASHES = {"norm_certificate": "dotted: ", "disc_certificate": "dashed: "}
"""What tells curves of one colour apart, before their names."""

_PLACES = {
    "token_sup": 0.3,
    "norm_certificate": 0.35,
    "l2": 0.75,
    "disc_certificate": 0.65,
    "given": 0.45,
}
"""Share of a curve's length at which its name stands where there is room."""


def compute(scenario: Scenario) -> Tables:
    """Collect both measures and the certificate of each."""
    curves = {
        "token_sup": quantities.fluctuation_norms(scenario).log_absolute,
        "norm_certificate": washout_quantities.norm_bound(scenario),
        "l2": quantities.fluctuation_l2_norms(scenario),
        "disc_certificate": washout_quantities.disc_bound(scenario),
        "given": washout_quantities.given_input(scenario),
    }
    sizes = pd.DataFrame({name: curve / LN10 for name, curve in curves.items()})
    sizes.insert(0, "layer", np.arange(len(sizes)))
    depths = {name: washout_quantities.settled(scenario, curve) for name, curve in curves.items()}
    return Tables(sizes, scenario.tolerance, depths, block_tokens(scenario))


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), power_axis("size of token differences"))
    return [
        axes.domain(),
        axes.level("tolerance", palette.muted, strokeWidth=1.2),
        axes.line("disc", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.line("norm", palette, strokeWidth=2, strokeDash=[2, 3]),
        axes.line("l2", palette, strokeWidth=1.4, strokeDash=[3, 2]),
        axes.line("given", palette, strokeWidth=1.4),
        axes.line("measured", palette, strokeWidth=2.6),
        axes.dot("settled", palette, size=52),
        axes.hover("hover", curve="curve", layer="layer ℓ", size="size"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut the curves to the frame, mark where each settles and name them."""
    frame = _frame(tables)
    shown = tables.tokens > 1
    curves = {name: tables.sizes[name].to_numpy() for name in _NAMES}
    lines = {
        name: visible(curve if shown else np.full_like(curve, np.nan), frame)
        for name, curve in curves.items()
    }
    tolerance = math.log10(tables.tolerance)
    settled = [
        (depth.depth, _tone(name))
        for name, depth in tables.depths.items()
        if shown and depth.status == "reached" and depth.depth is not None
    ]
    labels = [Label(frame.depth / 2, (frame.floor + frame.top) / 2, EMPTY, align="center")]
    if shown:
        labels = [Label(0, tolerance, f"tolerance {short_power(tables.tolerance)}", "muted", dx=5, dy=9)]
        labels += _names(lines, labels, tolerance, frame)
    return {
        "dom": frame.rows,
        "tolerance": Rows(y=[tolerance] if shown else []),
        "disc": line_rows({"disc": (_tone("disc_certificate"), lines["disc_certificate"])}),
        "norm": line_rows({"norm": (_tone("norm_certificate"), lines["norm_certificate"])}),
        "l2": line_rows({"l2": (_tone("l2"), lines["l2"])}),
        "given": line_rows({"given": (_tone("given"), lines["given"])}),
        "measured": line_rows({"measured": (_tone("token_sup"), lines["token_sup"])}),
        "settled": Rows(
            x=[float(depth) for depth, _ in settled], y=tolerance, tone=[tone for _, tone in settled]
        ),
        "hover": hover_rows({_NAMES[name]: curve for name, curve in curves.items()} if shown else {}, frame),
        "labels": label_rows(labels),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer."""
    return tables.sizes.rename(
        columns={"layer": "layer ℓ"} | {name: f"log10 {words}" for name, words in _NAMES.items()}
    )


def caption(tables: Tables) -> str:
    """Say which depth was measured and which is proved."""
    if tables.tokens == 1:
        return EMPTY
    measured, certified = tables.depths["token_sup"], tables.depths["norm_certificate"]
    if measured.status == "trivial":
        return f"Trivial: differences never exceed the tolerance {short_power(tables.tolerance)}."
    found = f"Measured: {_words(measured)}; certified: {_words(certified)}"
    in_l2 = f"in ℓ²: {_words(tables.depths['l2'])}, certified {_words(tables.depths['disc_certificate'])}"
    return fitting(f"{found}; {in_l2}.", f"{found}.")


READ_ME = ReadMe(
    formula=(
        r"|F_\perp(\ell)|\le 2\min\Bigl\{\prod(|I+M|+|V|),\ (P-1)\prod\bigl(|I+M|+\tfrac12|V|\bigr)\Bigr\},"
        r"\qquad |F_\perp(\ell)|_2\le c\,\max_{|z-r|=r}|\Phi_z(\ell,0)|_2"
    ),
    statement=(
        "Both bounds are proved for this stack. The norm certificate lies above the measured token-sup curve "
        "and says nothing where |I+M| + |V|/2 reaches 1. The disc certificate lies above the ℓ² curve, for "
        "any matrices: compare each with its own."
    ),
    reading=(
        "Solid: measured, the worst case over all inputs; thin: one input drawn with the scenario's seed, "
        "as a share of its own start. Dotted and dashed green: certified. A dot stands where a curve stays "
        "below the tolerance from; a certificate without a dot does not get there within these layers."
    ),
)


def _names(lines: dict[str, Polyline], written: list[Label], tolerance: float, frame: Frame) -> list[Label]:
    """Name every curve where no other one passes."""
    bounds = Bounds.of(frame)
    names = [
        Name(_DASHES.get(name, "") + _NAMES[name], _ink(name), lines[name], share)
        for name, share in _PLACES.items()
    ]
    return clear_places(names, [*lines.values(), level(tolerance, bounds)], bounds, written)


def _words(depth: Depth) -> str:
    return "not reached" if depth.depth is None else f"layer {depth.depth}"


def _frame(tables: Tables) -> Frame:
    measured = tables.sizes[["token_sup", "l2"]].to_numpy()
    proved = tables.sizes[["norm_certificate", "disc_certificate"]].to_numpy()
    highest = float(measured[np.isfinite(measured)].max(initial=0.0))
    within = proved[np.isfinite(proved) & (proved <= highest + HEADROOM)]
    tolerance = math.log10(tables.tolerance)
    top = max(highest, float(within.max(initial=highest)))
    return Frame(
        len(tables.sizes) - 1, math.floor(tolerance + 1e-9) - 1, max(math.ceil(top), math.ceil(tolerance) + 1)
    )


def _tone(name: str) -> str:
    return {"token_sup": "sector2", "l2": "sector3", "given": "last_sector"}.get(name, "certified")


def _ink(name: str) -> str:
    return "muted" if name in ("l2", "given") else _tone(name)
