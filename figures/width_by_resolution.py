"""Width against H: whether a bar of the spectrum is a point seen through a short window, or an interval."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.growth_axis import tone
from figures.joined import Part, joined, unbroken
from figures.label import Label, label_rows, spread
from figures.mark import Axes, power_axis
from figures.number import MINUS, from_log10
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities
from presets.dichotomy_quantities import READ
from presets.schema import Scenario
from presets.spectrum_checks import NO_WIDTH, Widths, slope, widths

QUESTION = "Point or interval?"

DEPENDS_ON = READ

LEAST_FALL, MOST_FALL = -0.75, -0.25
"""Slopes steeper than the first mean a point, flatter than the second an interval."""

MOST_DRAWN, MOST_NAMES = 12, 5
NAME_GAP = 0.068
DECADES = 4
"""Decades shown below the widest direction."""


class Tables(NamedTuple):
    """Widths of the directions over resolutions, and how the widest falls.

    **Fields:**

    - `found`: widths ln(upper/lower) per layer; 0 without width, inf where a lower edge is 0.
    - `slope`: of ln(width) in ln H for the widest direction; None when there are too few.
    - `tones`: colour of each direction by the spectrum.
    - `exact`: whether the stack repeats, so that the truth is known to be points.
    """

    found: Widths
    slope: float | None
    tones: tuple[str, ...]
    exact: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the widths."""
    spectrum, found = quantities.spectrum(scenario), widths(scenario)
    tones = [tone(low, high) for low, high in zip(spectrum.lower, spectrum.upper, strict=True)]
    return Tables(
        found=found,
        slope=slope(found),
        tones=tuple(np.repeat(np.array(tones, dtype=object), spectrum.multiplicity)),
        exact=spectrum.resolution is None,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    ticks = alt.expr("min(max(2, width / 60), span(domain('x')))")
    resolution = alt.Axis(
        title="resolution H (layers)",
        grid=False,
        labelExpr="format(pow(2, datum.value), 'd')",
        tickCount=ticks,
    )
    axes = Axes(resolution, power_axis("width ln(upper / lower)"))
    return [
        axes.domain(),
        axes.line("guide", palette, strokeWidth=1.4, strokeDash=[2, 3]),
        axes.line("widths", palette, strokeWidth=2),
        axes.dot("readings", palette, size=26),
        axes.hover("readings", resolution="H", width="width"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=6)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place the widths, and the line a point would follow."""
    across, heights, directions = _readings(tables)
    finite = heights[np.isfinite(heights)]
    top = math.ceil((finite.max() if len(finite) else -1.0) + 0.05)
    floor = max(math.floor(finite.min(initial=top) - 0.05), top - DECADES)
    ends = (across[0], max(across[-1], across[0] + 1))
    lines = [
        part
        for n, d in enumerate(directions)
        for part in unbroken(f"{d}", tables.tones[d], across, heights[:, n], heights[:, n] >= floor)
    ]
    guide = _guide(across, heights, floor)
    return {
        "dom": Rows(x=[float(end) for end in ends], y=[float(floor), float(top)]),
        "guide": guide,
        "widths": joined(lines),
        "readings": _dots(lines),
        "labels": label_rows(_labels(tables, across, heights, directions, guide, (floor, top))),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per resolution: the width of every direction."""
    found = tables.found
    columns = {f"width {n + 1}, ln(upper/lower)": found.widths[:, n] for n in range(found.widths.shape[1])}
    return pd.DataFrame({"H (layers)": found.windows, **columns})


def caption(tables: Tables) -> str:
    """Read the slope: points lose their width like 1/H, intervals keep it."""
    windows, fall = tables.found.windows, tables.slope
    if not (tables.found.widths > NO_WIDTH).any():
        return "Points: the growth per layer is the same over every stretch."
    if fall is None and tables.exact:
        return "Points, as the layers repeat; too few resolutions here to show it."
    if fall is None:
        return "Too few resolutions to tell a point from an interval: raise the depth."
    number = f"slope {round(fall, 2) + 0.0:.2f}".replace("-", MINUS)
    upto = f"to H = {windows[windows <= windows[-1] / 2].max()}"
    if tables.exact:
        return f"Points, as the layers repeat: {upto} the widest bar shrinks with {number}."
    if fall < LEAST_FALL:
        return f"Like a point: {upto} the widest bar shrinks with {number} (a point: {MINUS}1)."
    if fall > MOST_FALL:
        return f"Like an interval: {upto} the widest bar keeps its width ({number}; a point: {MINUS}1)."
    return f"Between the two: {upto} the widest bar shrinks with {number} (a point: {MINUS}1)."


READ_ME = ReadMe(
    formula=(
        r"w_i(H)=\max_s\frac1H\sum_{r=s}^{s+H-1}\log R_{ii}(r)-\min_s(\cdots)"
        r"\qquad w\sim\frac1H\ \text{or}\ w\to w_\infty"
    ),
    statement=(
        "A window blurs a point of the spectrum by O(1/H): by at most log κ/H on each side when κ is the "
        "condition of the layer’s eigenvectors. A true interval keeps its width at every H. Independent "
        "random layers fall in between, like 1/√H, until H passes log L."
    ),
    reading=(
        "Both axes are logarithmic. Parallel to the dotted line: a point. Level: an interval. One line per "
        "direction, coloured by its side of the unit circle. The slope is fitted up to a quarter of the "
        "depth: beyond, few stretches are left to compare, and every width shrinks."
    ),
)


def _readings(tables: Tables) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log₂ of the resolutions, log₁₀ of the widths (NaN without one), and the widest directions."""
    found = tables.found.widths
    directions = np.sort(np.argsort(-found[-1], kind="stable")[:MOST_DRAWN])
    chosen = found[:, directions]
    shown = np.isfinite(chosen) & (chosen > NO_WIDTH)
    heights = np.log10(np.where(shown, chosen, 1.0))
    return np.log2(tables.found.windows.astype(float)), np.where(shown, heights, np.nan), directions


def _dots(lines: list[Part]) -> Rows:
    rows = joined(lines)
    return rows.having(
        resolution=np.array([f"{2**x:.0f}" for x in rows["x"]], dtype=object),
        width=np.array([from_log10(y) for y in rows["y"]], dtype=object),
    )


def _guide(across: np.ndarray, heights: np.ndarray, floor: float) -> Rows:
    """The line of slope −1 through the widest first reading, down to the floor."""
    first = heights[0][np.isfinite(heights[0])]
    if len(first) == 0 or len(across) < 2:
        return joined([])
    start = float(first.max())
    end = min(across[-1], across[0] + (start - floor) / math.log10(2))
    x = np.array([across[0], end])
    y = np.maximum(start - (x - across[0]) * math.log10(2), floor)
    return joined([Part("guide", "muted", x, y)])


def _labels(
    tables: Tables,
    across: np.ndarray,
    heights: np.ndarray,
    directions: np.ndarray,
    guide: Rows,
    frame: tuple[float, float],
) -> list[Label]:
    if not np.isfinite(heights).any():
        middle = ((across[0] + max(across[-1], across[0] + 1)) / 2, sum(frame) / 2)
        return [Label(*middle, "no width at any resolution", align="center")]
    ending = [n for n in range(len(directions)) if heights[-1, n] >= frame[0]]
    named = sorted(ending, key=lambda n: -heights[-1, n])[:MOST_NAMES]
    ends = [(heights[-1, n], f"direction {directions[n] + 1}", tables.tones[directions[n]]) for n in named]
    if len(guide) and guide["x"][-1] == across[-1]:
        ends.append((guide["y"][-1], "1/H: a point", "muted"))
    places = spread(np.array([end[0] for end in ends]), NAME_GAP * (frame[1] - frame[0]), *frame)
    return [
        Label(across[-1], place, text, colour, dx=8)
        for place, (_, text, colour) in zip(places, ends, strict=True)
    ]
