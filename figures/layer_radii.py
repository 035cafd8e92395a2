"""Single layers' own radii over depth, the naive numbers, beside the intervals of their product."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.curve import thinned
from figures.growth_axis import growth_axis, places, reach, thickened, tone
from figures.label import Label, label_rows, spread
from figures.mark import Axes, layer_axis, named
from figures.number import between
from figures.phrase import at_resolution, fitting, growing
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from figures.theme import tone as colours
from presets import quantities
from presets.dichotomy_quantities import READ
from presets.naive import Naive, naive
from presets.schema import Scenario

QUESTION = "Do single layers tell the truth?"

DEPENDS_ON = READ

MOST_DOTS = 1500
"""Moduli drawn at most; beyond that, layers are thinned."""

MOST_NAMES = 6
"""Intervals named at the right, the nearest to 1."""

NAME_GAP = 0.068
"""Least distance of two names, as a share of the plot's height."""


class Tables(NamedTuple):
    """What single layers say, and what their product does; growth factors per layer.

    **Fields:**

    - `radii`: (L, d) eigenvalue moduli of every single layer, largest first.
    - `lower`, `upper`, `multiplicity`: spectral intervals of the product, (m,), largest first.
    - `verdict`, `rank`, `resolution`: of the product; `resolution` is None when it is exact.
    - `alone`: the naive readings.
    """

    radii: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    multiplicity: np.ndarray
    verdict: str
    rank: int | None
    resolution: int | None
    alone: Naive


def compute(scenario: Scenario) -> Tables:
    """Collect the moduli of every layer and the spectrum of the open loop."""
    spectrum, radii = quantities.spectrum(scenario), quantities.radii(scenario)
    return Tables(
        radii=radii[np.arange(scenario.depth) % len(radii)],
        lower=spectrum.lower,
        upper=spectrum.upper,
        multiplicity=spectrum.multiplicity,
        verdict=spectrum.verdict,
        rank=spectrum.persistent_rank,
        resolution=spectrum.resolution,
        alone=naive(scenario),
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), growth_axis("growth per layer", "height / 44"))
    colour = alt.Color("tone:N", scale=colours(palette), legend=None)
    box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
    tips = [alt.Tooltip("edges:N", title="growth per layer"), alt.Tooltip("directions:N", title="directions")]
    return [
        axes.domain(),
        named("bands").mark_rect(opacity=0.4).encode(**box, color=colour, tooltip=tips),
        axes.level("unit", palette.ink, strokeWidth=1.6),
        axes.dot("others", palette, size=9),
        axes.dot("radii", palette, size=22),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=6)

_UNIT = Rows(y=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place the bands of the product and the dots of single layers."""
    depth = len(tables.radii)
    extent = reach(tables.radii, tables.lower, tables.upper)
    return {
        "dom": Rows(x=[0.0, depth], y=[-extent, extent]),
        "unit": _UNIT,
        "bands": _bands(tables, depth, extent),
        "radii": _dots(tables.radii[:, :1], extent, "ink"),
        "others": _dots(tables.radii[:, 1:], extent, "muted"),
        "labels": label_rows(
            [*_names(tables, depth, extent), *_readings(tables, extent), *_zeros(tables, extent)]
        ),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer: its own moduli, largest first."""
    columns = {f"modulus {n + 1} (per layer)": tables.radii[:, n] for n in range(tables.radii.shape[1])}
    return pd.DataFrame({"layer ℓ": np.arange(len(tables.radii)), **columns})


def caption(tables: Tables) -> str:
    """Set what every layer says alone beside what the product does."""
    width, at = tables.radii.shape[1], at_resolution(tables.resolution)
    counted = tables.alone.layer_rank
    short = "1 lies in the spectrum" if tables.verdict == "contains-one" else "undecided"
    if tables.rank is not None:
        short = _count(tables.rank, width)
    radius = between(*tables.alone.radii)
    if counted is None:
        alone = f"Alone no common count (radius {radius})"
        return fitting(
            f"{alone}; multiplied{at}, {short}.", f"Alone no common count; multiplied{at}, {short}."
        )
    if counted == tables.rank:
        return fitting(f"Here yes: alone and multiplied{at}, {short}.", f"Here yes: {short}{at}.")
    said = _count(counted, width)
    return fitting(
        f"No: alone {said} (radius {radius}); multiplied{at}, {short}.",
        f"No: alone {said}; multiplied{at}, {short}.",
    )


READ_ME = ReadMe(
    formula=r"\rho(B(\ell))=\max_i|\lambda_i(B(\ell))|\qquad\Phi(\ell,s)=B(\ell-1)\cdots B(s)",
    statement=(
        "Eigenvalues of single layers say nothing about their product: layers of radius ½ can multiply to "
        "growth, and layers of radius 2 to decay, because each layer hands its directions on to the next."
    ),
    reading=(
        "Dots: moduli of each layer’s own eigenvalues, the largest (its radius) in ink; per layer, stable "
        "inside the unit circle. Bands: the growth per layer that the product really sustains. Where dots "
        "and bands differ, the dots mislead."
    ),
)


def _count(rank: int, width: int) -> str:
    if rank in (0, width):
        return "everything grows" if rank else "everything decays"
    return growing(rank, width)


def _bands(tables: Tables, depth: int, extent: float) -> Rows:
    lower, upper = thickened(places(tables.lower, extent), places(tables.upper, extent), extent)
    edges = list(zip(tables.lower, tables.upper, strict=True))
    return Rows(
        x=np.zeros(len(lower)),
        x2=np.full(len(lower), float(depth)),
        y=lower,
        y2=upper,
        tone=np.array([tone(*ends) for ends in edges], dtype=object),
        edges=np.array([between(*ends) for ends in edges], dtype=object),
        directions=np.array([str(count) for count in tables.multiplicity], dtype=object),
    )


def _dots(moduli: np.ndarray, extent: float, colour: str) -> Rows:
    """Moduli inside the axis, one dot each, as many layers as there is room for."""
    chosen = thinned(moduli[:, 0], max(MOST_DOTS // moduli.shape[1], 2)) if moduli.size else np.empty(0, int)
    x = np.repeat(chosen, moduli.shape[1]).astype(float)
    y = places(moduli[chosen].ravel(), np.inf)
    inside = np.abs(y) <= extent
    return Rows(x=x[inside], y=y[inside], tone=np.full(int(inside.sum()), colour, dtype=object))


def _names(tables: Tables, depth: int, extent: float) -> list[Label]:
    """Write the intervals nearest to 1 beside their bands."""
    middles = (places(tables.lower, extent) + places(tables.upper, extent)) / 2
    chosen = np.sort(np.argsort(np.abs(middles), kind="stable")[:MOST_NAMES])
    heights = spread(middles[chosen], NAME_GAP * 2 * extent, -extent, extent)
    found = []
    for n, height in zip(chosen, heights, strict=True):
        times = f" ×{tables.multiplicity[n]}" if tables.multiplicity[n] > 1 else ""
        edges = float(tables.lower[n]), float(tables.upper[n])
        found.append(Label(depth, height, between(*edges) + times, tone(*edges), dx=6))
    return found


def _readings(tables: Tables, extent: float) -> list[Label]:
    """Say what the dots are, and on which side of the unit circle is decay."""
    stable = Label(0, 0, "inside the unit circle: stable", "muted", dx=4, dy=9)
    first = float(places(tables.radii[:1, 0], extent)[0])
    above = first < 0.8 * extent
    crowded = abs(first) < 0.16 * extent
    under = not above or -0.35 * extent < first < 0
    dots = Label(0, first, "each layer’s own radius", "ink", dx=4, dy=10 if under else -10)
    return [stable, dots._replace(dy=-12) if crowded else dots]


def _zeros(tables: Tables, extent: float) -> list[Label]:
    """Count the moduli that a logarithmic axis has no place for."""
    count = int(np.count_nonzero(tables.radii == 0))
    if count == 0:
        return []
    verb = "value is" if count == 1 else "values are"
    return [Label(0, -extent, f"{count} {verb} 0, not drawn", "muted", dx=4, dy=-9)]
