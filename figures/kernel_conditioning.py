"""Condition number of the kernel: what the paper's bound pays per token, and that no scaling rescues it."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures import length_axis
from figures.clear_place import Bounds, Name, clear_places, level
from figures.curve import LN10, Polyline
from figures.joined import Part, joined
from figures.label import Label, label_rows
from figures.mark import Axes
from figures.number import from_log10
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import length_quantities
from presets.build import block_kernel, block_tokens, leak
from presets.length_quantities import KERNEL, Conditions
from presets.schema import Scenario

QUESTION = "Why is the bound pessimistic?"

DEPENDS_ON = KERNEL

LEAK = "No sectors are claimed under a leak, so there is no κ_α."
SYMMETRIC = "A bidirectional kernel is symmetric: κ_α = 1 at every length."

BOTTOM, TOP = 0.8, 4.4


class Tables(NamedTuple):
    """Condition numbers over the block length.

    **Fields:**

    - `found`: natural logs of κ_α; None under a leak.
    - `tokens`: tokens per block of the scenario itself.
    - `bidirectional`: whether every token reads its whole block.
    """

    found: Conditions | None
    tokens: int
    bidirectional: bool


def compute(scenario: Scenario) -> Tables:
    """Collect κ_α for every block length."""
    found = None if leak(scenario) > 0 else length_quantities.conditions(scenario)
    return Tables(found, block_tokens(scenario), block_kernel(scenario) == "bidirectional")


def _layers(palette: Palette) -> list[alt.Chart]:
    factor = alt.Axis(title="condition κ per token (P-th root)", grid=True, values=[1, 2, 3, 4], format="d")
    axes = Axes(length_axis.length_axis(), factor)
    return [
        axes.domain(),
        axes.level("limits", palette.muted, strokeWidth=1, strokeDash=[1, 3]),
        axes.line("normalised", palette, strokeWidth=1.4, strokeDash=[3, 2]),
        axes.line("best", palette, strokeWidth=2.6),
        axes.line("raw", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.dot("own", palette, size=52),
        axes.hover("hover", curve="scaling", length="tokens per block P", size="κ_α"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_NAMES = {"raw": "as it is", "normalised": "columns of length 1", "best": "best diagonal scaling"}
_FLOOR = {"floor": "no scaling below"}
_TONES = {"raw": "paper", "normalised": "muted", "best": "ink"}

_LIMITS = Rows(y=[3.0, 4.0])
_NONE = Rows(y=np.empty(0))


def datasets(tables: Tables) -> dict[str, Rows]:
    """Draw κ_α per token under every scaling, with the limits 4 and 3 of long blocks."""
    found = tables.found
    lengths = np.array([1, 64]) if found is None else found.lengths
    places = length_axis.place(lengths)
    left, right = length_axis.ends(lengths)
    curves = _per_token(found)
    own = lengths == tables.tokens
    return {
        "dom": Rows(x=[left, right], y=[BOTTOM, TOP]),
        "limits": _LIMITS if found is not None and not tables.bidirectional else _NONE,
        **{
            name: joined([Part(name, _TONES[name], places, curves[name])] if name in curves else [])
            for name in _NAMES
        },
        "own": Rows(
            x=np.repeat(places[own], len(curves)),
            y=np.array([curve[own][0] for curve in curves.values()], dtype=float),
            tone=np.array([_TONES[name] for name in curves], dtype=object),
        ),
        "hover": _hover(found, places, curves),
        "labels": label_rows(_labels(tables, places, curves, right)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per block length."""
    found = tables.found
    names = {name: f"log10 κ_α, {words}" for name, words in (_NAMES | _FLOOR).items()}
    if found is None:
        return pd.DataFrame(
            {length_axis.TITLE: [tables.tokens]} | {name: [np.nan] for name in names.values()}
        )
    logs = {words: getattr(found, name) / LN10 for name, words in names.items()}
    return pd.DataFrame({length_axis.TITLE: found.lengths, **logs})


def caption(tables: Tables) -> str:
    """Say how large κ_α is at the scenario's own length under each scaling."""
    if tables.found is None:
        return LEAK
    if tables.bidirectional:
        return SYMMETRIC
    own = tables.found.lengths == tables.tokens
    raw, unit, best = (
        from_log10(getattr(tables.found, name)[own][0] / LN10) for name in ("raw", "normalised", "best")
    )
    if tables.tokens == 1:
        return "One token per block: κ_α = 1."
    text = f"At P = {tables.tokens}: κ_α is {raw}"
    return fitting(f"{text}, {unit} with columns of length 1, {best} at best.", f"{text}, {best} at best.")


READ_ME = ReadMe(
    formula=(
        r"\kappa_\alpha=\mathrm{cond}_2(W)\sim\frac{0.188\cdot 4^P}{\sqrt P},\qquad "
        r"\min_D\mathrm{cond}_2(WD)\sim\frac{0.275\cdot 3^P}{P^{1/4}}\ge\max_j|w_j||y_j|"
    ),
    statement=(
        "The paper's bound multiplies the slowest sector by κ_α, the condition number of the eigenvectors W "
        "of the causal kernel (binomials). That counts every sector at full size, as if none cancelled "
        "another. They do cancel: the differences themselves never start larger than 2. Scaling the "
        "eigenvectors by any diagonal D leaves a factor near 3 for every token of the block, so the bound "
        "stays linear in P while the measured depth grows like log P."
    ),
    reading=(
        "Up: the factor by which one more token multiplies κ_α, on average. In the bound, a factor a costs "
        "log a / log(1/r_f) layers per token. The dots are the scenario's own length; the table has κ_α "
        "itself."
    ),
)


def _per_token(found: Conditions | None) -> dict[str, np.ndarray]:
    if found is None:
        return {}
    return {name: np.exp(getattr(found, name) / found.lengths) for name in _NAMES}


def _hover(found: Conditions | None, places: np.ndarray, curves: dict[str, np.ndarray]) -> Rows:
    lengths = [] if found is None else found.lengths
    return Rows(
        x=np.tile(places, len(curves)),
        y=np.concatenate([np.empty(0), *curves.values()]),
        curve=np.array([_NAMES[name] for name in curves for _ in lengths], dtype=object),
        length=np.array([str(length) for _ in curves for length in lengths], dtype=object),
        size=np.array(
            [from_log10(log / LN10) for name in curves for log in getattr(found, name)], dtype=object
        ),
    )


def _labels(tables: Tables, places: np.ndarray, curves: dict[str, np.ndarray], right: float) -> list[Label]:
    """Name the curves where they are apart, and the limits of long blocks."""
    if tables.found is None:
        return [Label(right / 2, TOP / 2, LEAK, align="center")]
    if tables.bidirectional:
        return [Label(right / 2, 1, SYMMETRIC, "ink", "center", dy=-14)]
    labels = [
        Label(right, 4, "4 per token", "muted", "right", dx=-4, dy=-9),
        Label(0, 3, "3 per token", "muted", dx=4, dy=-9),
    ]
    shares = {"raw": 0.5, "normalised": 0.8, "best": 0.55}
    lines = {name: Polyline.joined(places, curve) for name, curve in curves.items()}
    bounds = Bounds(0, right, BOTTOM, TOP)
    names = [Name(_NAMES[name], _TONES[name], lines[name], share) for name, share in shares.items()]
    limits = [level(height, bounds) for height in (3, 4)]
    return labels + clear_places(names, [*lines.values(), *limits], bounds, labels)
