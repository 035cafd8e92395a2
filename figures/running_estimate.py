"""Running estimate: the spectral edges as they would be read if the stack ended earlier."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.growth_axis import growth_axis, places, reach, thickened, tone
from figures.joined import Part, joined
from figures.label import Label, label_rows, spread
from figures.mark import Axes, layer_axis, named
from figures.number import between, layers, percent
from figures.phrase import NOT_YET
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from figures.theme import tone as colours
from presets import build, quantities
from presets.dichotomy_quantities import READ
from presets.schema import Scenario
from presets.spectrum_checks import RUNNING, Running

QUESTION = "Has the spectrum settled?"

DEPENDS_ON = READ

ON_DEMAND = RUNNING

MOST_DRAWN = 12
"""Directions drawn at most, the nearest to 1."""

MOST_NAMES = 6
NAME_GAP = 0.068


class Tables(NamedTuple):
    """Edges by the number of layers used.

    **Fields:**

    - `running`: the readings; None where they take long and nobody asked yet.
    - `resolution`: H, layers.
    - `depth`: L, layers.
    - `exact`: the true points, growth factors per layer, for stacks that repeat; else None.
    """

    running: Running | None
    resolution: int
    depth: int
    exact: np.ndarray | None


def compute(scenario: Scenario) -> Tables:
    """Collect the readings, and the truth where it is known."""
    spectrum = quantities.spectrum(scenario)
    return Tables(
        running=RUNNING.found(scenario),
        resolution=build.resolution(scenario),
        depth=scenario.depth,
        exact=spectrum.upper if spectrum.resolution is None else None,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), growth_axis("growth per layer", "height / 44"))
    colour = alt.Color("tone:N", scale=colours(palette), legend=None)
    band = named("bands").mark_area(opacity=0.4)
    return [
        axes.domain(),
        axes.level("unit", palette.ink, strokeWidth=1.6),
        axes.plumb("since", palette.muted, strokeWidth=1, strokeDash=[2, 3]),
        band.encode(axes.x, axes.y, alt.Y2("y2"), detail="part:N", color=colour),
        axes.line("edges", palette, strokeWidth=1.4),
        axes.segment("truth", palette, strokeWidth=1.4, strokeDash=[2, 3]),
        axes.hover("hover", layers="layers used", edges="growth per layer"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=6)

_UNIT = Rows(y=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place the bands between the edges, and the truth where it is known."""
    running = tables.running
    growths = [] if running is None else [np.exp(running.edges.lower), np.exp(running.edges.upper)]
    truth = np.empty(0) if tables.exact is None else tables.exact
    extent = reach(*growths, truth)
    inside = places(truth[truth > 0], np.inf)
    inside = inside[np.abs(inside) <= extent]
    return {
        "dom": Rows(x=[0.0, tables.depth], y=[-extent, extent]),
        "unit": _UNIT,
        "since": Rows(x=[] if running is None or running.settled is None else [float(running.since)]),
        **_drawn(running, extent),
        "truth": Rows(x=np.zeros(len(inside)), x2=float(tables.depth), y=inside, y2=inside, tone="ink"),
        "labels": label_rows(_labels(tables, extent)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per number of layers used: both edges of every direction."""
    if tables.running is None:
        return pd.DataFrame({"layers used": [tables.depth], "lower edge 1 (per layer)": [None]})
    lower, upper = (np.exp(edge) for edge in tables.running.edges)
    columns = {
        f"{side} edge {n + 1} (per layer)": edge[:, n]
        for n in range(lower.shape[1])
        for side, edge in (("lower", lower), ("upper", upper))
    }
    return pd.DataFrame({"layers used": tables.running.depths, **columns})


def caption(tables: Tables) -> str:
    """Say whether the edges still move, by how much, and over which layers."""
    running, at = tables.running, f"at H = {tables.resolution}"
    if running is None:
        return NOT_YET
    if running.settled is None:
        return f"Not settled: {at} a stack of {layers(tables.depth)} has no earlier reading."
    over = f"over the last {layers(tables.depth - running.since)}"
    if running.settled:
        moved = "less than 0.1%" if running.moved < 1e-3 else f"at most {percent(running.moved)}"
        return f"Settled {at}: {over} edges moved by {moved}."
    if np.isinf(running.moved):
        return f"Not settled {at}: {over} an edge fell to 0."
    return f"Not settled {at}: {over} an edge still moved by {percent(running.moved)}."


READ_ME = ReadMe(
    formula=(
        r"\lambda_i^{\pm}(n)=\max_s/\min_s\ \frac1H\sum_{r=s}^{s+H-1}\log R_{ii}(r),\qquad 0\le s\le n-H"
    ),
    statement=(
        "Every reading uses the first n layers alone, with a QR sweep of its own that starts in the frame "
        "adapted to them (never the identity, which would return the diagonal of triangular layers). Edges "
        "that no longer move at this H may still move at another: see width against H."
    ),
    reading=(
        "Bands: growth per layer between the edges, stable inside the unit circle; one per direction, before "
        "overlapping ones are merged. Flat ends mean settled: no edge moved by more than 1% right of the "
        "dotted upright. Dotted levels, where drawn, are the exact values."
    ),
)


def _nearest(running: Running, most: int) -> np.ndarray:
    """Directions nearest to 1 at the last reading, in their own order."""
    distance = np.abs(np.stack([edge[-1] for edge in running.edges])).min(axis=0)
    return np.sort(np.argsort(distance, kind="stable")[:most])


def _tones(running: Running, directions: np.ndarray) -> list[str]:
    lower, upper = np.exp(running.edges.lower[-1]), np.exp(running.edges.upper[-1])
    return [tone(lower[n], upper[n]) for n in directions]


def _drawn(running: Running | None, extent: float) -> dict[str, Rows]:
    """Bands, their edges, and what they tell when pointed at."""
    if running is None:
        return {"bands": joined([]), "edges": joined([]), "hover": Rows(x=[], y=[], layers=[], edges=[])}
    directions, x = _nearest(running, MOST_DRAWN), running.depths.astype(float)
    growths = [np.exp(edge[:, directions].T) for edge in running.edges]
    lower, upper = (places(growth, extent) for growth in growths)
    low, high = thickened(lower, upper, extent)
    tones = _tones(running, directions)
    number = range(len(directions))
    words = [between(*pair) for pair in zip(*(growth.ravel() for growth in growths), strict=True)]
    return {
        "bands": joined([Part(f"{n}", tones[n], x, low[n], high[n]) for n in number]),
        "edges": joined(
            [Part(f"{n}.{k}", tones[n], x, (lower, upper)[k][n]) for n in number for k in (0, 1)]
        ),
        "hover": Rows(
            x=np.tile(x, len(directions)),
            y=((lower + upper) / 2).ravel(),
            layers=np.array([str(depth) for _ in number for depth in running.depths], dtype=object),
            edges=np.array(words, dtype=object),
        ),
    }


def _labels(tables: Tables, extent: float) -> list[Label]:
    running = tables.running
    if running is None:
        return [Label(tables.depth / 2, 0, "not computed yet", "muted", "center", dy=-12)]
    found = [Label(0, 0, "inside the unit circle: stable", "muted", dx=4, dy=9)]
    word = "settled" if running.settled else "not settled"
    found.append(Label(tables.depth, extent, word, "ink", "right", dx=-4, dy=9, bold=True))
    if running.since < tables.depth:
        found.append(
            Label(running.since, -extent, "compared from here ▸", "muted", "right", dx=-5, dy=-9, minor=True)
        )
    return found + _names(running, tables.depth, extent)


def _names(running: Running, depth: int, extent: float) -> list[Label]:
    """Write the last reading beside the bands nearest to 1."""
    directions = _nearest(running, MOST_NAMES)
    ends = np.stack([np.exp(edge[-1, directions]) for edge in running.edges])
    middles = places(ends, extent).mean(axis=0)
    heights = spread(middles, NAME_GAP * 2 * extent, -extent, extent)
    return [
        Label(depth, height, between(low, high), colour, dx=6)
        for height, low, high, colour in zip(heights, *ends, _tones(running, directions), strict=True)
    ]
