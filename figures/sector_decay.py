"""Sector decay: how the shared state and every kind of token difference grow or shrink with depth."""

import math
from typing import Literal, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.curve import LN10, Frame, first_undefined, hover_rows, line_rows, visible
from figures.label import Label, label_rows, spread
from figures.mark import Axes, layer_axis, power_axis
from figures.number import percent, rate
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities
from presets.build import block_kernel, block_tokens, leak
from presets.schema import Scenario

QUESTION = "How fast does each sector decay?"

DEPENDS_ON = (*quantities.TOKENS, "window")

FLOOR = -12
SHOWN = (1, 2, 3, 4)
LABEL_GAP = 0.068
"""Least distance of two end labels, as a share of the plot's height."""

STEADY = 5e-4
"""A change per layer smaller than this is written as none."""

DOUBLES = 2.0
"""Growth from here on is said as a factor."""

NARROW_PLOT = 240
"""Width in pixels of the plot on a phone, for which names along the floor must not collide."""

_TONES = {1: "ink", 2: "sector2", 3: "sector3", 4: "sector4", math.inf: "muted"}


class Tables(NamedTuple):
    """Norms of the sectors drawn, and what the caption needs.

    **Fields:**

    - `norms`: columns sector (1, 2, 3, 4, P, ∞), layer, log10 (of the norm; −inf for zero).
    - `slowest`: the transverse sector that is largest at the end; None with one token per block.
    - `rate`: r_f, largest growth per layer of a transverse sector.
    - `shared`: what the shared sector does, by the spectrum.
    - `resolution`: H in layers, None when the rates are exact.
    - `transverse`: how many sectors differ from the shared one; 1 under the bidirectional kernel.
    - `leaky`: whether later blocks read earlier ones, so that the sectors are those of the first block.
    """

    norms: pd.DataFrame
    slowest: float | None
    rate: float
    shared: Literal["grows", "decays", "is marginal"]
    resolution: int | None
    transverse: int
    leaky: bool = False


def compute(scenario: Scenario) -> Tables:
    """Collect the norms of the sectors worth a line, and the transverse rate."""
    sectors, log_norms = quantities.sector_norms(scenario)
    spectrum = quantities.spectrum(scenario)
    causal = block_kernel(scenario) == "causal"
    transverse = sectors[1:-1] if causal else sectors[1:]
    slowest = None
    if block_tokens(scenario) > 1:
        slowest = float(transverse[np.argmax(log_norms[1 : 1 + len(transverse), -1])])
    drawn = [n for n, sector in enumerate(sectors) if sector in (*SHOWN, sectors[-2], math.inf)]
    norms = pd.concat(
        pd.DataFrame(
            {"sector": sectors[n], "layer": np.arange(log_norms.shape[1]), "log10": log_norms[n] / LN10}
        )
        for n in drawn
    )
    shared = "grows" if spectrum.lower[0] > 1 else "is marginal"
    return Tables(
        norms=norms.reset_index(drop=True),
        slowest=slowest,
        rate=quantities.fluctuation_rate(scenario).rate,
        shared="decays" if spectrum.upper[0] < 1 else shared,
        resolution=spectrum.resolution,
        transverse=len(transverse) if causal else 1,
        leaky=leak(scenario) > 0,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), power_axis("‖Φⱼ(ℓ, 0)‖"))
    return [
        axes.domain(),
        axes.level("unit", palette.muted, strokeWidth=1),
        axes.line("limit", palette, strokeWidth=1.8, strokeDash=[2, 3]),
        axes.line("transverse", palette, strokeWidth=2),
        axes.line("shared", palette, strokeWidth=2.4),
        axes.hover("hover", curve="sector", layer="layer ℓ", size="norm"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=52)

_UNIT = Rows(y=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut the curves to the frame and place their names."""
    curves = _curves(tables.norms)
    frame = _frame(curves)
    lines = {sector: (_tone(sector), visible(curve, frame)) for sector, curve in curves.items()}
    transverse = {_name(sector): line for sector, line in lines.items() if 1 < sector < math.inf}
    return {
        "dom": frame.rows,
        "unit": _UNIT,
        "shared": line_rows({_name(1): lines[1]}),
        "transverse": line_rows(transverse),
        "limit": line_rows({_name(math.inf): lines[math.inf]}),
        "hover": hover_rows({_name(sector): curve for sector, curve in curves.items()}, frame),
        "labels": label_rows(_labels(curves, frame)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer and one column per sector drawn."""
    wide = tables.norms.pivot_table(index="layer", columns="sector", values="log10", sort=True)
    wide.columns = [f"log10 norm, {_name(sector)}" for sector in wide.columns]
    return wide.reset_index().rename(columns={"layer": "layer ℓ"})


def caption(tables: Tables) -> str:
    """Name the slowest difference, its rate, and what the shared sector does."""
    at = "" if tables.resolution is None else f" at H = {tables.resolution}"
    undefined = first_undefined(tables.norms["log10"].to_numpy())
    if undefined is not None:
        layer = int(tables.norms["layer"].iloc[undefined])
        return f"Not finite from layer {layer}: lower V or the depth."
    shared = f"the shared j = 1 {tables.shared}"
    if tables.slowest is None:
        return f"One token per block: nothing but the shared sector, which {tables.shared}{at}."
    if tables.rate == 0:
        return f"All differences vanish after finitely many layers; {shared}{at}."
    slowest = f"{'First block: slowest' if tables.leaky else 'Slowest'}, {_name(tables.slowest)}, "
    if abs(1 - tables.rate) < STEADY:
        return f"{slowest}neither falls nor grows per layer{at}; {shared}."
    change = percent(abs(1 - tables.rate)) if tables.rate < DOUBLES else f"{rate(tables.rate)}-fold"
    least = "" if tables.resolution is None and tables.transverse == 1 and not tables.leaky else "at least "
    verb = f"falls {least}" if tables.rate < 1 else "grows " if tables.resolution is None else "may grow "
    slowest += f"{verb}{change} per layer{at}"
    return fitting(f"{slowest}; {shared}.", f"{slowest}.")


READ_ME = ReadMe(
    formula=r"\Phi_j(\ell,0)=\prod_{r=0}^{\ell-1}\Bigl(I+M(r)+\tfrac1j V(r)\Bigr)",
    statement=(
        "Theorem 3: under causal uniform attention the tokens of a block fall into sectors j = 1 … P that "
        "never mix. Sector 1 is what the tokens share; the others are their differences. The 2-norms drawn "
        "are exact. Positions in the attention scores (RoPE, ALiBi) leave only sector 1."
    ),
    reading=(
        "Falling lines are differences that wash out. The dotted line, j → ∞, is the product of I + M "
        "alone: long blocks come close to it. Values below 10⁻¹² are not drawn."
    ),
)


def _curves(norms: pd.DataFrame) -> dict[float, np.ndarray]:
    sectors, log10 = norms["sector"].to_numpy(), norms["log10"].to_numpy()
    return {float(sector): log10[sectors == sector] for sector in np.unique(sectors)}


def _frame(curves: dict[float, np.ndarray]) -> Frame:
    drawn = np.concatenate(list(curves.values()))
    finite = drawn[np.isfinite(drawn)]
    lowest, highest = float(finite.min()), float(finite.max())
    floor = FLOOR if lowest < FLOOR or np.isneginf(drawn).any() else math.floor(lowest)
    return Frame(len(curves[1]) - 1, floor, max(math.ceil(highest), 1))


def _labels(curves: dict[float, np.ndarray], frame: Frame) -> list[Label]:
    ending = {sector: curve[-1] for sector, curve in curves.items() if frame.floor < curve[-1] < math.inf}
    height = frame.top - frame.floor
    places = spread(np.array(list(ending.values())), LABEL_GAP * height, frame.floor, frame.top)
    return [
        Label(frame.depth, place, _name(sector), _ink(sector), dx=7)
        for sector, place in zip(ending, places, strict=True)
    ] + _floor_labels({s: c for s, c in curves.items() if s not in ending}, frame)


def _floor_labels(curves: dict[float, np.ndarray], frame: Frame) -> list[Label]:
    """Name the curves that leave through the floor: the first on its left, the others on their right.

    Neighbours without room between them share one name, left to right.
    """
    exits = sorted((_exit(curve, frame), sector) for sector, curve in curves.items())
    first = [[leaving] for leaving in exits[:1] if frame.across(leaving[0]) > _share([leaving])]
    groups: list[list[tuple[int, float]]] = []
    for leaving in exits[len(first) :]:
        if groups and frame.across(leaving[0] - groups[-1][-1][0]) < _share(groups[-1]):
            groups[-1].append(leaving)
        else:
            groups.append([leaving])
    return [_floor_label(group, curves, frame, left=True) for group in first] + [
        _floor_label(group, curves, frame) for group in groups
    ]


def _floor_label(
    group: list[tuple[int, float]], curves: dict[float, np.ndarray], frame: Frame, *, left: bool = False
) -> Label:
    zero = all(np.isneginf(curves[sector][-1]) for _, sector in group)
    text = _group_name(group) + (": 0" if zero else "")
    tone = _ink(group[0][1]) if len(group) == 1 else "muted"
    side = ("right", -16.0) if left else ("left", 7.0)
    return Label(group[-1][0], frame.floor, text, tone, *side, dy=-9)


def _exit(curve: np.ndarray, frame: Frame) -> int:
    """First layer from which a curve stays below the floor."""
    return int(np.flatnonzero(~(curve <= frame.floor)).max(initial=-1)) + 1


def _share(group: list[tuple[int, float]]) -> float:
    """Share of a narrow plot that a group's name takes."""
    return (16 + 6 * len(_group_name(group))) / NARROW_PLOT


def _group_name(group: list[tuple[int, float]]) -> str:
    return "j = " + ", ".join(_number(sector) for _, sector in group)


def _number(sector: float) -> str:
    return "∞" if sector == math.inf else f"{sector:.0f}"


def _name(sector: float) -> str:
    return f"j = {_number(sector)}"


def _tone(sector: float) -> str:
    return _TONES.get(sector, "last_sector")


def _ink(sector: float) -> str:
    """Colour of a sector's label: the palest line colour is too pale for text."""
    return "muted" if _tone(sector) == "last_sector" else _tone(sector)
