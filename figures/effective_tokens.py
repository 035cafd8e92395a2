"""Effective tokens: for how many tokens of a block its pooled state still stands."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.effective_tokens import gaussian_information
from figures.curve import Frame, line_rows, visible
from figures.label import Label, label_rows
from figures.mark import Axes, layer_axis
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import washout_quantities
from presets.build import block_kernel, block_tokens
from presets.compression import COMPRESSIONS
from presets.quantities import TOKENS
from presets.schema import Scenario

QUESTION = "How many tokens does the summary hold?"

DEPENDS_ON = (*TOKENS, "compression")

NOISE = 4.0
"""Variance σ² of a token's noise about what its block shares, in units of the shared variance."""


class Tables(NamedTuple):
    """Effective tokens over depth.

    **Fields:**

    - `counts`: N_eff at depths 0…L.
    - `information`: nats about the shared value left in the pooled state, at the noise σ² = 4.
    - `bidirectional`: N_eff if every token read its whole block; None where that is the kernel.
    - `tokens`: tokens per block.
    - `compression`: name of Π.
    """

    counts: np.ndarray
    information: np.ndarray
    bidirectional: np.ndarray | None
    tokens: int
    compression: str


def compute(scenario: Scenario) -> Tables:
    """Collect the counts and the information they stand for."""
    counts = washout_quantities.effective(scenario)
    return Tables(
        counts=counts,
        information=gaussian_information(counts, NOISE),
        bidirectional=None
        if block_kernel(scenario) == "bidirectional"
        else washout_quantities.effective_bidirectional(scenario),
        tokens=block_tokens(scenario),
        compression=COMPRESSIONS[scenario.compression.kind][1].lower(),
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    count = alt.Axis(title="effective tokens", grid=True, tickCount=alt.expr("max(3, height / 40)"))
    axes = Axes(layer_axis(), count)
    return [
        axes.domain(),
        axes.level("one", palette.muted, strokeWidth=1),
        axes.line("bidirectional", palette, strokeWidth=1.4, strokeDash=[3, 2]),
        axes.line("counts", palette, strokeWidth=2.6),
        axes.hover("hover", layer="layer ℓ", count="effective tokens", information="nats (σ² = 4)"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_ONE = Rows(y=[1.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw the count over depth, and what it would be without an order; the level 1 is a single token."""
    depth = len(tables.counts) - 1
    frame = Frame(depth, 0, float(max(tables.tokens, 1)) * 1.08)
    line = visible(tables.counts, frame)
    other = {}
    labels = [Label(0, 1, "one token", "muted", "left", dx=4, dy=9)]
    if tables.bidirectional is not None and tables.tokens > 1:
        unordered = visible(tables.bidirectional, frame)
        other = {"bidirectional": ("muted", unordered)}
        end = float(tables.bidirectional[-1])
        labels.append(Label(depth, end, "bidirectional kernel", "muted", "right", dx=-4, dy=11))
    return {
        "dom": frame.rows,
        "one": _ONE,
        "bidirectional": line_rows(other),
        "counts": line_rows({"counts": ("sector2", line)}),
        "hover": Rows(
            x=np.arange(depth + 1.0),
            y=tables.counts,
            layer=[str(layer) for layer in range(depth + 1)],
            count=[f"{count:.2f}" for count in tables.counts],
            information=[f"{nats:.3f}" for nats in tables.information],
        ),
        "labels": label_rows(labels),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer."""
    columns = {
        "layer ℓ": np.arange(len(tables.counts)),
        "effective tokens": tables.counts,
        "information (nats, σ² = 4)": tables.information,
    }
    if tables.bidirectional is not None:
        columns["effective tokens, bidirectional"] = tables.bidirectional
    return pd.DataFrame(columns)


def caption(tables: Tables) -> str:
    """Say how many tokens the summary stands for at the input and at the end."""
    if tables.tokens == 1:
        return "One token per block: the summary is that token."
    start, end = f"{tables.counts[0]:.1f}", f"{tables.counts[-1]:.1f}"
    text = f"With Π = {tables.compression}: {start} of {tables.tokens} tokens at the input, {end} at the end"
    nats = f"{tables.information[0]:.2f} to {tables.information[-1]:.2f} nats"
    kept = "" if tables.bidirectional is None else f"; {tables.bidirectional[-1]:.1f} if bidirectional"
    return fitting(f"{text} ({nats}){kept}.", f"{text}{kept}.", f"{text}.")


READ_ME = ReadMe(
    formula=(
        r"N_{\mathrm{eff}}=\frac{(\sum_t g_t)^2}{\sum_t g_t^2},\quad g(\ell)=\pi^{\top}f(\alpha),"
        r"\qquad I=\tfrac12\log\bigl(1+N_{\mathrm{eff}}/\sigma^2\bigr)"
    ),
    statement=(
        "The price of washing out: under causal uniform attention every summary tends to the first token, so "
        "the pooled state ends up standing for one token. A bidirectional kernel keeps all P at any depth. "
        "For d > 1 the weights are Frobenius norms, an extension made here."
    ),
    reading=(
        "Where the curve reaches 1, pooling has nothing left to average. Saturation and a sufficient block "
        "mean cannot both be had in full under a causal kernel."
    ),
)
