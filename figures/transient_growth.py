"""Transient growth: the norm of the stack up to every depth, beside its layers' radii multiplied."""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from figures.clear_place import Bounds, Name, clear_places, level
from figures.curve import LN10, Frame, first_undefined, hover_rows, line_rows, visible
from figures.label import Label, label_rows
from figures.mark import Axes, layer_axis, power_axis
from figures.number import between, from_log10, rate
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import quantities
from presets.quantities import STACK
from presets.schema import Scenario
from presets.spectrum_checks import transient

QUESTION = "Does the stack overshoot first?"

DEPENDS_ON = STACK

FLOOR = -12

SAME = 1e-9
"""Decades by which a norm must exceed another to count as larger."""


class Tables(NamedTuple):
    """Base-ten logarithms up to each depth, and single layers' radii.

    **Fields:**

    - `norms`: ‖Φ(ℓ, 0)‖, (L+1,).
    - `radii`: product of single layers' spectral radii, (L+1,).
    - `kreiss`: log of the Kreiss bound; None where there is none.
    - `range`: smallest and largest radius of a single layer, per layer.
    """

    norms: np.ndarray
    radii: np.ndarray
    kreiss: float | None
    range: tuple[float, float]


def compute(scenario: Scenario) -> Tables:
    """Collect norms, radii and bound."""
    found, moduli = transient(scenario), quantities.radii(scenario)[:, 0]
    return Tables(
        norms=found.log_norms / LN10,
        radii=found.log_radii / LN10,
        kreiss=None if found.kreiss is None else math.log10(found.kreiss),
        range=(float(moduli.min()), float(moduli.max())),
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(layer_axis(), power_axis("‖Φ(ℓ, 0)‖"))
    return [
        axes.domain(),
        axes.level("unit", palette.muted, strokeWidth=1),
        axes.line("radii", palette, strokeWidth=1.8, strokeDash=[6, 3]),
        axes.level("kreiss", palette.certified, strokeWidth=1.6, strokeDash=[2, 3]),
        axes.line("norms", palette, strokeWidth=2.4),
        axes.dot("peak", palette, size=55),
        axes.hover("hover", curve="curve", layer="layer ℓ", size="size"),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_UNIT = Rows(y=[0.0])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Cut both curves to the frame; mark the peak and the bound below it."""
    frame = _frame(tables)
    norms, radii = visible(tables.norms, frame), visible(tables.radii, frame)
    peak = _peak(tables)
    bound = _bound(tables)
    return {
        "dom": frame.rows,
        "unit": _UNIT,
        "radii": line_rows({"radii": ("muted", radii)}),
        "kreiss": Rows(y=[] if bound is None else [bound]),
        "norms": line_rows({"norm": ("ink", norms)}),
        "peak": Rows(
            x=[] if peak is None else [float(peak)],
            y=[] if peak is None else [float(tables.norms[peak])],
            tone="ink",
        ),
        "hover": hover_rows({"norm": tables.norms, "radii multiplied": tables.radii}, frame),
        "labels": label_rows(_labels(tables, frame)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per layer."""
    return pd.DataFrame(
        {
            "layer ℓ": np.arange(len(tables.norms)),
            "log10 norm": tables.norms,
            "log10 radii multiplied": tables.radii,
        }
    )


def caption(tables: Tables) -> str:
    """Say how high the norm climbs, and what the radii would have said."""
    undefined = first_undefined(tables.norms)
    if undefined is not None:
        return f"Not finite from layer {undefined}: lower V or the depth."
    radius, peak, last = between(*tables.range), _peak(tables), len(tables.norms) - 1
    end = from_log10(float(tables.norms[-1]))
    if peak is not None:
        top = from_log10(float(tables.norms[peak]))
        return fitting(
            f"Yes: the norm climbs to {top} (layer {peak}) before it falls; radius {radius} per layer.",
            f"Yes: the norm climbs to {top} (layer {peak}) before it falls.",
        )
    if tables.norms[-1] > SAME:
        said = from_log10(float(tables.radii[-1]))
        return f"It grows, to {end} by layer {last}; the layers’ radii multiply to {said}."
    return f"No: the norm never exceeds its start and is {end} at layer {last}."


READ_ME = ReadMe(
    formula=(
        r"\sup_{\ell}\|B^{\ell}\|\ \ge\ \mathcal{K}(B)=\sup_{|z|>1}(|z|-1)\,\|(z-B)^{-1}\|"
        r"\qquad\|\Phi(\ell,0)\|\ \ge\ \rho(\Phi(\ell,0))"
    ),
    statement=(
        "The spectral radius governs the end of a repeated layer’s powers, not their beginning: non-normal "
        "layers overshoot first. The Kreiss constant bounds the peak from below (dotted; one repeated layer "
        "that does not grow), and e·d times it bounds the peak from above. With layers that differ, even "
        "the end need not follow the multiplied radii."
    ),
    reading=(
        "Solid: the exact 2-norm of the stack up to each layer. Dashed: single layers’ spectral radii "
        "multiplied, radius^ℓ for one repeated layer. The dot is the peak of a stack that falls again."
    ),
)


def _peak(tables: Tables) -> int | None:
    """Layer of the largest norm, when it lies above the start and the norm has fallen since."""
    if not np.isfinite(tables.norms[0]) or np.isnan(tables.norms).any():
        return None
    top = int(np.argmax(tables.norms))
    return top if tables.norms[top] > SAME and tables.norms[-1] < tables.norms[top] - SAME else None


def _bound(tables: Tables) -> float | None:
    """The Kreiss bound, where it says more than the start."""
    return tables.kreiss if tables.kreiss is not None and tables.kreiss > 0.01 else None


def _frame(tables: Tables) -> Frame:
    drawn = np.concatenate([tables.norms, tables.radii])
    finite = drawn[np.isfinite(drawn)]
    lowest, highest = float(finite.min(initial=0.0)), float(tables.norms[np.isfinite(tables.norms)].max())
    floor = FLOOR if lowest < FLOOR or np.isneginf(drawn).any() else min(math.floor(lowest), -1)
    return Frame(len(tables.norms) - 1, floor, max(math.ceil(highest + 0.1), 1))


def _labels(tables: Tables, frame: Frame) -> list[Label]:
    found = []
    peak, bound = _peak(tables), _bound(tables)
    if bound is not None:
        text = f"Kreiss: the peak is at least {rate(10**bound, 'down')}"
        found.append(Label(frame.depth, bound, text, "certified", "right", dx=-4, dy=-9))
    if peak is not None:
        right = frame.across(peak) < 0.6
        text = f"peak {from_log10(float(tables.norms[peak]))} at layer {peak}"
        side, shift = ("left", 9.0) if right else ("right", -9.0)
        found.append(Label(peak, float(tables.norms[peak]), text, "ink", side, dx=shift, dy=-11, bold=True))
    lines = [visible(curve, frame) for curve in (tables.norms, tables.radii)]
    bounds = Bounds.of(frame)
    names = [Name("norm", "ink", lines[0], 0.7), Name("radii multiplied", "muted", lines[1], 0.45)]
    return found + clear_places(names, [*lines, level(0.0, bounds)], bounds, found)
