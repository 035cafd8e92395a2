"""What the injection sees besides the slow part: the fast part of the summary, gate open and shut."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures import visibility_words
from figures.curve import Frame, hover_rows, line_rows, visible
from figures.label import Label, label_rows, spread
from figures.log_log import Plot, log10, message
from figures.mark import Axes, layer_axis, power_axis
from figures.number import from_log10, typed
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets.schema import Scenario
from presets.seen_quantities import Seen, seen, seen_shut

QUESTION = "Does the injection see the fast part?"

LOWEST = -16
"""Base-ten logarithm of the smallest value drawn."""

HEADROOM = 3
"""Decades above the measured curves that the bound may claim before it leaves through the top."""

NAME_GAP = 0.075


class Tables(NamedTuple):
    """The fast part of the summaries with the gate open and shut.

    **Fields:**

    - `opened`, `shut`: sizes by layer; empty unless their state is ok.
    - `amplitude`: ϱ.
    - `depth`: L.
    - `absence`: why there is nothing to draw.
    - `remark`: what was taken instead of the scenario's own settings, or "".
    """

    opened: Seen
    shut: Seen
    amplitude: float
    depth: int
    absence: str
    remark: str


def compute(scenario: Scenario) -> Tables:
    """Collect the fast part of a run's summaries at the current ϱ and with the gate shut."""
    opened = seen(scenario)
    ok = opened.state == "ok"
    layers = len(opened.fast) - 1
    cut = [] if layers == scenario.depth else [f"first {layers} layers only"]
    ring = [] if scenario.gate.topology == "self" else ["every block reads itself here"]
    return Tables(
        opened=opened,
        shut=seen_shut(scenario),
        amplitude=scenario.gate.amplitude,
        depth=scenario.depth,
        absence="" if ok else visibility_words.absence(opened.state, scenario),
        remark="; ".join([*cut, *ring]) if ok else "",
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), power_axis("fast part |P₋ζ|, largest block"))
    return [
        axes.domain(),
        axes.level("floor", palette.ink, strokeWidth=1.2),
        axes.level("floor_bound", palette.certified, strokeWidth=1.8, strokeDash=[2, 3]),
        axes.line("bound", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.line("shut", palette, strokeWidth=1.8),
        axes.line("opened", palette, strokeWidth=2.6),
        axes.hover("hover", curve="curve", layer="layer ℓ", size="size"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers, right=76)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut the curves to the frame and place their names."""
    curves = _curves(tables)
    frame = _frame(tables, curves)
    lines = {name: visible(curve, frame) for name, curve in curves.items()}
    floors = _floors(tables, frame)
    return {
        "dom": frame.rows,
        **{name: Rows(y=[] if level is None else [level]) for name, level in floors.items()},
        "bound": line_rows({"bound": ("paper", lines["bound"])}),
        "shut": line_rows({"shut": ("decaying", lines["shut"])}),
        "opened": line_rows({"opened": ("ink", lines["opened"])}),
        "hover": hover_rows({_HOVER[name]: curve for name, curve in curves.items()}, frame),
        "labels": label_rows(_labels(tables, curves, floors, frame)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer."""
    if tables.absence:
        return pd.DataFrame({"why there is nothing": [tables.absence]})
    depths = max(len(tables.opened.fast), len(tables.shut.fast))

    def column(values: np.ndarray) -> np.ndarray:
        return np.pad(values, (0, depths - len(values)), constant_values=math.nan)

    return pd.DataFrame(
        {
            "layer ℓ": np.arange(depths),
            "fast part |P₋ζ|, open": column(tables.opened.fast),
            "bound, open": column(tables.opened.bound),
            "seen by ψ, open": column(tables.opened.difference),
            "fast part |P₋ζ|, shut": column(tables.shut.fast),
            "bound, shut": column(tables.shut.bound),
            "seen by ψ, shut": column(tables.shut.difference),
        }
    )


def caption(tables: Tables) -> str:
    """Compare the end of the run with the gate shut and open."""
    if tables.absence:
        return tables.absence
    shut = f"At layer {len(tables.shut.fast) - 1} the fast part is {_last(tables.shut)}"
    if tables.amplitude == 0:
        return f"{shut}; an open gate would force it anew at every layer."
    at, end = f"at ϱ = {typed(tables.amplitude)}", _last(tables.opened)
    if _falls(tables.opened):
        return fitting(f"{shut} shut, {end} {at}.", f"{shut} with the gate shut.")
    bounded = math.isfinite(tables.opened.floor_bound)
    held = f"the gate holds it at {end}" if bounded else f"it is driven to {end}"
    return fitting(f"{shut} shut; {at} {held}.", f"{shut} with the gate shut.")


READ_ME = ReadMe(
    formula=(
        r"|\psi(\zeta)-\psi(P_+\zeta)|\le L_\psi|P_-\zeta|,\qquad "
        r"|P_-\zeta(\ell)|\le C r_-^{\ell}|x_1(0)|+|P_-(\ell)|\,|\Pi Q|_1\,|F_\perp(\ell)|\,|X(0)|"
    ),
    statement=(
        "Theorem 9, for the shut gate: the fast part of the summary ζ = ΠX dies out, so ψ ends up seeing "
        "the slow part alone. An open gate forces the fast part anew at every layer, and it no longer goes "
        "to 0: near u* it ends at the floor |P₋u*|, at most C|ϱ| sup|ψ| / m₋. A linear ψ is unbounded: "
        "there the growing part drives the fast one along. The bound drawn takes the measured |F⊥| for the "
        "paper’s C′κ_α C_f r_f^ℓ, and what the gate has really added."
    ),
    reading=(
        "Random tokens, the worst block, open-loop projectors. Thick: gate open at ϱ. Blue: gate shut. "
        "Dashes: the bound with the gate open. Level lines: |P₋u*|, and dotted its bound where ψ is "
        "bounded. Values lost in the round-off of ζ are left out. The table adds what ψ itself sees."
    ),
)

_HOVER = {"bound": "bound, open", "shut": "gate shut", "opened": "gate open"}


def _curves(tables: Tables) -> dict[str, np.ndarray]:
    """Base-ten logarithms by layer; what is lost in round-off is not a number."""
    opened, shut = (
        log10(np.where(found.fast > found.noise, found.fast, math.nan))
        for found in (tables.opened, tables.shut)
    )
    if tables.amplitude == 0:
        opened = np.full_like(opened, math.nan)
    return {"bound": log10(tables.opened.bound), "shut": shut, "opened": opened}


def _frame(tables: Tables, curves: dict[str, np.ndarray]) -> Frame:
    found = np.concatenate([curves["shut"], curves["opened"]])
    found = found[np.isfinite(found)]
    bound = curves["bound"][np.isfinite(curves["bound"])]
    if not len(found):
        return Frame(tables.depth, -8, 1)
    highest = float(found.max())
    highest = max(highest, min(float(bound.max(initial=highest)), highest + HEADROOM), *bound[:1])
    floor = max(math.floor(found.min()), LOWEST)
    return Frame(
        max(len(curves["shut"]), len(curves["opened"])) - 1, floor, max(math.ceil(highest), floor + 2)
    )


def _floors(tables: Tables, frame: Frame) -> dict[str, float | None]:
    """Heights of the level lines that lie inside the frame."""

    def inside(size: float | None) -> float | None:
        if not size or not math.isfinite(size):
            return None
        height = math.log10(size)
        return height if frame.floor < height < frame.top else None

    known = not tables.absence and tables.amplitude != 0
    return {
        "floor": inside(tables.opened.floor) if known else None,
        "floor_bound": inside(tables.opened.floor_bound) if known else None,
    }


def _labels(
    tables: Tables, curves: dict[str, np.ndarray], floors: dict[str, float | None], frame: Frame
) -> list[Label]:
    plot = Plot(0.0, frame.depth, frame.floor, frame.top)
    if tables.absence:
        return [message(visibility_words.SHORT[tables.opened.state], plot)]
    named = {"opened": ("open", "ink"), "shut": ("shut", "decaying"), "bound": ("bound", "paper")}
    ends, early = [], []
    for name, (text, tone) in named.items():
        shown = np.flatnonzero((curves[name] >= frame.floor) & (curves[name] <= frame.top))
        if len(shown):
            last = int(shown[-1])
            label = Label(last, float(curves[name][last]), text, tone, dx=7)
            (ends if last == frame.depth else early).append(label)
    levels = {"floor": ("floor", "ink"), "floor_bound": ("floor bound", "certified")}
    ends += [Label(frame.depth, level, *levels[name]) for name, level in floors.items() if level is not None]
    places = spread(np.array([end.y for end in ends]), NAME_GAP * plot.height, frame.floor, frame.top)
    names = [end._replace(y=float(place), dx=7) for end, place in zip(ends, places, strict=True)]
    said = [Label(0.0, frame.floor, tables.remark, "muted", dx=6, dy=-9, minor=True)] if tables.remark else []
    return [*names, *early, *said]


def _last(found: Seen) -> str:
    size, noise = float(found.fast[-1]), float(found.noise[-1])
    return from_log10(math.log10(size)) if size > noise else "0"


def _falls(found: Seen) -> bool:
    """Say whether the fast part has all but died out by the last layer."""
    return bool(found.fast[-1] <= max(found.noise[-1], 1e-3 * found.fast.max()))
