"""Cascade: how strongly every block of a causal chain answers a kick in its first block."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.cascade_response import CascadeResponse
from figures.clear_place import Bounds, Name, clear_places, level
from figures.curve import LN10, Polyline
from figures.label import Label, label_rows
from figures.mark import Axes, named, power_axis
from figures.number import from_log10, layers, rate, typed
from figures.phrase import at_resolution, fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities, topology_quantities
from presets.schema import Scenario

QUESTION = "Does a chain amplify a kick?"

FLOOR = -12.0
"""Base-ten logarithm of the smallest answer drawn."""

HEADROOM = 0.17
"""Share of the height left free above the largest answer, for its name."""


class Tables(NamedTuple):
    """Peak answers along the chain.

    **Fields:**

    - `response`: at ϱ = 1; None where Dψ is not known.
    - `blocks`: the scenario's number of blocks.
    - `string_limit`: r*, |ϱ| beyond which long chains amplify; None unless nothing persists.
    - `amplitude`: the current ϱ.
    - `depth`: L, layers the answers are followed for.
    - `rank`, `resolution`: directions that grow in the open loop (None when unknown), and at which H.
    """

    response: CascadeResponse | None
    blocks: int
    string_limit: float | None
    amplitude: float
    depth: int
    rank: int | None
    resolution: int | None


def compute(scenario: Scenario) -> Tables:
    """Collect the answers and the string limit."""
    spectrum = quantities.spectrum(scenario)
    return Tables(
        response=topology_quantities.chain_response(scenario),
        blocks=scenario.blocks,
        string_limit=topology_quantities.string_limit(scenario),
        amplitude=scenario.gate.amplitude,
        depth=scenario.depth,
        rank=spectrum.persistent_rank,
        resolution=spectrum.resolution,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    block = alt.Axis(
        title="block k",
        grid=False,
        format="d",
        tickCount=alt.expr("min(max(2, width / 50), span(domain('x')))"),
    )
    axes = Axes(block, power_axis("peak answer of block k"))
    ring = {"fill": palette.point, "stroke": palette.point_ring, "strokeWidth": 2, "opacity": 1}
    return [
        axes.domain(),
        axes.level("unit", palette.ink, strokeWidth=1.2),
        axes.line("gain", palette, strokeWidth=1.6, strokeDash=[4, 3]),
        axes.line("joined", palette, strokeWidth=1.0),
        axes.dot("peaks", palette, size=44),
        named("point").mark_point(size=110, **ring).encode(axes.x, axes.y),
        axes.hover("hover", block="block", size="peak answer", layer="at layer"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_UNIT = Rows(y=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place the peaks, the gain per block of long chains, and the words."""
    peaks = _peaks(tables)
    floor, top = _frame(peaks)
    blocks = np.arange(1, len(peaks) + 1)
    seen = np.flatnonzero((peaks >= floor) & (peaks <= top))
    place = {"x": blocks[seen].astype(float), "y": peaks[seen]}
    own = tables.blocks - 1
    shown = own < len(peaks) and floor <= peaks[own] <= top
    return {
        "dom": Rows(x=[0.5, max(len(peaks), 2) + 0.5], y=[floor, top]),
        "unit": _UNIT,
        "gain": _gain_rows(tables, peaks, floor, top),
        "joined": Rows(**place, order=np.arange(float(len(seen))), part="chain", tone="sector3"),
        "peaks": Rows(**place, tone="sector3"),
        "point": Rows(x=[float(tables.blocks)] if shown else [], y=[peaks[own]] if shown else []),
        "hover": _hover(tables, peaks, seen),
        "labels": label_rows(_labels(tables, peaks, floor, top)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per block."""
    response, peaks = tables.response, _peaks(tables)
    if response is None:
        return pd.DataFrame({"block": [tables.blocks], "remark": ["needs the states of all blocks"]})
    blocks = np.arange(1, len(peaks) + 1)
    return pd.DataFrame({"block": blocks, "log10 peak answer": peaks, "layer of the peak": response.layer})


def caption(tables: Tables) -> str:
    """Say how the last block answers, and whether ripples grow along the chain."""
    if tables.response is None:
        return "ψ has a bias: the answers need the states of all blocks, so none are drawn."
    if tables.amplitude == 0:
        return "The gate is shut: a kick stays in block 1."
    peaks, limit, where = _peaks(tables), tables.string_limit, f"ϱ = {typed(tables.amplitude)}"
    own = min(tables.blocks, len(peaks))
    answer = f"block {own} answers with at most {from_log10(float(peaks[own - 1]))}"
    if limit is None:
        why = _why(tables)
        at, text = at_resolution(tables.resolution), f"At {where} {answer}"
        longest = f"{text} within {layers(tables.depth)}; {why}{at}."
        return fitting(longest, f"{text}; {why}{at}.", f"{text}; {why}.", f"{text}.")
    gain = abs(tables.amplitude) / limit if limit > 0 else math.inf
    verb = "Yes" if gain > 1 else "No"
    per_block = f"a long chain {'gains' if gain > 1 else 'keeps'} {rate(gain)}× per block"
    return fitting(f"{verb}, at {where}: {per_block}; {answer}.", f"{verb}, at {where}: {per_block}.")


READ_ME = ReadMe(
    formula=(
        r"u_k(\ell+1)=B(\ell)u_k(\ell)+\varrho\,D\psi\,\hat u_{k-1},\qquad "
        r"\max_{\ell\ge 1}\|\partial u_k(\ell)/\partial u_1(0)\|,\qquad "
        r"\text{gain per block }\to|\varrho|/r^*"
    ),
    statement=(
        "Computed block by block, layer by layer; no eigenvalue of the chain is used, since a dense solver "
        "gets them badly wrong. Block k answers in proportion to ϱ to the power k − 1. In long chains the "
        "gain from one block to the next tends to |ϱ|/r*, though the spectrum of the chain never moves."
    ),
    reading=(
        "Each dot is one block: the largest answer, over all directions and the layers of the stack, to a "
        "unit kick of block 1 before layer 0. Ring: the last block of the scenario’s chain. Dashed: the gain "
        "per block of long chains. Above the line at 1 the kick has been amplified."
    ),
)


def _why(tables: Tables) -> str:
    if tables.rank:
        return "what persists grows anyway"
    return "a finite stack has no string limit" if tables.rank == 0 else "no split is certified"


def _peaks(tables: Tables) -> np.ndarray:
    """Base-ten logarithms of the peaks at the current ϱ."""
    if tables.response is None:
        return np.empty(0)
    return tables.response.log_peaks(tables.amplitude) / LN10


def _frame(peaks: np.ndarray) -> tuple[float, float]:
    finite = peaks[np.isfinite(peaks)]
    lowest, highest = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    floor = float(max(math.floor(lowest - 0.1), FLOOR))
    return floor, float(max(math.ceil(highest + HEADROOM * (highest - floor)), 1))


def _gain_rows(tables: Tables, peaks: np.ndarray, floor: float, top: float) -> Rows:
    """A line from the first dot on, with the slope of long chains."""
    limit = tables.string_limit
    drawn = limit is not None and 0 < limit < math.inf and tables.amplitude != 0 and len(peaks) > 1
    if not drawn or limit is None:
        return Rows(x=[], y=[], order=[], part=[], tone=[])
    x = np.linspace(1, len(peaks), 65)
    y = peaks[0] + (x - 1) * math.log10(abs(tables.amplitude) / limit)
    kept = (y >= floor) & (y <= top)
    return Rows(x=x[kept], y=y[kept], order=np.arange(float(kept.sum())), part="gain", tone="muted")


def _hover(tables: Tables, peaks: np.ndarray, seen: np.ndarray) -> Rows:
    layer = np.zeros(len(peaks), int) if tables.response is None else tables.response.layer
    return Rows(
        x=(seen + 1).astype(float),
        y=peaks[seen],
        block=np.array([str(n + 1) for n in seen], dtype=object),
        size=np.array([from_log10(float(peaks[n])) for n in seen], dtype=object),
        layer=np.array([str(layer[n]) for n in seen], dtype=object),
    )


def _labels(tables: Tables, peaks: np.ndarray, floor: float, top: float) -> list[Label]:
    middle = (max(len(peaks), 2) + 1) / 2
    if tables.response is None:
        return [Label(middle, (floor + top) / 2, "needs the states of all blocks", align="center", bold=True)]
    own = tables.blocks - 1
    found = [
        Label(
            len(peaks) + 0.5 if len(peaks) > 1 else 2.5,
            0.0,
            "as large as the kick",
            "ink",
            "right",
            dx=-4,
            dy=-8,
            minor=True,
        )
    ]
    if own < len(peaks) and floor <= peaks[own] <= top:
        text = f"block {tables.blocks}: {from_log10(float(peaks[own]))}"
        bounds = Bounds(0.5, len(peaks) + 0.5, floor, top)
        place = Polyline.joined(np.array([tables.blocks]), peaks[[own]])
        found += clear_places([Name(text, "ink", place, bold=True)], _lines(peaks, bounds), bounds, found)
    silent = int(np.isneginf(peaks).sum())
    if silent:
        text = f"{silent} {'blocks are' if silent > 1 else 'block is'} never reached"
        found.append(Label(len(peaks) + 0.5, floor, text, "muted", "right", dx=-4, dy=-9))
    return found


def _lines(peaks: np.ndarray, bounds: Bounds) -> list[Polyline]:
    """The chain of answers, and the size of the kick."""
    seen = np.flatnonzero(np.isfinite(peaks))
    return [Polyline.joined(seen + 1.0, peaks[seen]), level(0.0, bounds)]
