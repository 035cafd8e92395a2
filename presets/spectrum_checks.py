"""How far a scenario's spectrum can be trusted: other depths, other resolutions, other tests."""

import math
from typing import NamedTuple

import numpy as np

from engine import growth, kreiss, resolved_edges
from engine.resolved_edges import Edges
from engine.steps import Steps
from presets import build, quantities
from presets.dichotomy_quantities import READ
from presets.on_demand import OnDemand
from presets.quantities import STACK
from presets.remember import remembered
from presets.schema import Scenario

WINDOWS, DEPTHS = 10, 20
"""Resolutions and depths looked at, at most."""

NO_WIDTH = 1e-6
"""Widths below this are a point's."""

SETTLED = 0.01
"""Relative change of an edge over the last quarter of the layers up to which it counts as settled."""


class Running(NamedTuple):
    """Edges read from the first layers only.

    **Fields:**

    - `depths`: (n,) layers used, from H to L.
    - `edges`: natural logs per layer at resolution H, (n, d).
    - `since`: the reading, about three quarters of the way, with which the last one is compared.
    - `moved`: largest relative change of an edge since then; inf when one has become 0.
    - `settled`: whether that is at most 1 %; None where H leaves no earlier reading.
    """

    depths: np.ndarray
    edges: Edges
    since: int
    moved: float
    settled: bool | None


class Widths(NamedTuple):
    """Widths ln(upper/lower) of the directions, (n, d), at several resolutions `windows`, (n,)."""

    windows: np.ndarray
    widths: np.ndarray


class Transient(NamedTuple):
    """Growth of the stack up to each depth, beside what its layers' own radii would make of it.

    **Fields:**

    - `log_norms`: ln‖Φ(ℓ, 0)‖, (L+1,).
    - `log_radii`: natural logs of the single layers' spectral radii, multiplied up to ℓ, (L+1,).
    - `kreiss`: lower bound of the peak, for one repeated layer that does not grow; else None.
    """

    log_norms: np.ndarray
    log_radii: np.ndarray
    kreiss: float | None


@remembered(*READ)
def widths(scenario: Scenario) -> Widths:
    """Return the widths of the spectrum's directions over resolutions up to half the depth."""
    stack, depth = quantities.layers(scenario), scenario.depth
    period = len(stack.factors) if stack.recurrence == "periodic" else 1
    step = period if 2 * period <= depth else 1
    most = max(depth // 2 // step, 1)
    windows = step * np.unique(np.geomspace(min(2, most), most, WINDOWS).round().astype(int))
    edges = resolved_edges.edges_by_window(_whole(scenario), windows)
    dead = np.isneginf(edges.upper)
    return Widths(windows, np.where(dead, 0.0, edges.upper) - np.where(dead, 0.0, edges.lower))


@remembered(*STACK, megabytes=16)
def transient(scenario: Scenario) -> Transient:
    """Return the growth up to every depth, the radii multiplied, and the Kreiss bound."""
    stack = quantities.layers(scenario)
    layer = np.arange(scenario.depth) % len(stack.factors)
    with np.errstate(divide="ignore"):
        steps = np.log(quantities.radii(scenario)[layer, 0])
    bound = kreiss.kreiss_bound(stack.factors[0]).value if stack.recurrence == "tied" else math.inf
    return Transient(
        log_norms=growth.log_norms(_whole(scenario)),
        log_radii=np.concatenate([[0.0], np.cumsum(steps)]),
        kreiss=bound if math.isfinite(bound) else None,
    )


def slope(found: Widths) -> float | None:
    """Fit how the widest direction's width falls with H: −1 for a point, 0 for an interval.

    Over two octaves up to a quarter of the depth; at larger H too few stretches are left to be extreme.

    **Returns:** the slope of ln(width) in ln H; None with fewer than three widths to fit.
    """
    most = found.windows[-1] / 2
    fitted = (found.windows >= most / 4) & (found.windows <= most)
    if not fitted.any():
        return None
    widest = found.widths[fitted, np.argmax(found.widths[fitted][-1])]
    finite = np.isfinite(widest) & (widest > NO_WIDTH)
    if finite.sum() < 3:
        return None
    return float(np.polyfit(np.log(found.windows[fitted][finite]), np.log(widest[finite]), 1)[0])


def _seconds(scenario: Scenario) -> float:
    """Estimate the time for the running estimate: two sweeps for each reading."""
    return DEPTHS * scenario.depth * (1.2e-5 + 4e-9 * scenario.family.width**3)


def _steps(scenario: Scenario) -> Steps[Running]:
    window, depth = build.resolution(scenario), scenario.depth
    since = max(math.ceil(3 * depth / 4), window)
    depths = np.unique(np.append(np.linspace(window, depth, DEPTHS).round().astype(int), since))
    readings = []
    for place, reading in enumerate(depths):
        readings.append(resolved_edges.edges_by_depth(_whole(scenario), window, depths[place : place + 1]))
        yield float((reading - window + 1) / (depth - window + 1))
    edges = Edges(*(np.concatenate(side) for side in zip(*readings, strict=True)))
    moved = _moved(edges, int(np.searchsorted(depths, since)))
    return Running(depths, edges, since, moved, moved <= SETTLED if since < depth else None)


def _whole(scenario: Scenario) -> np.ndarray:
    """Layer maps at every depth, (L, d, d)."""
    return quantities.layers(scenario).to_depth(scenario.depth).factors


def _moved(edges: Edges, since: int) -> float:
    """Largest relative change of any edge from one reading to the last; one that stays 0 does not move."""
    before, after = (np.concatenate([edges.lower[n], edges.upper[n]]) for n in (since, -1))
    alive = ~(np.isneginf(before) & np.isneginf(after))
    return float(np.expm1(np.abs(after[alive] - before[alive])).max(initial=0.0))


RUNNING: OnDemand[Running] = OnDemand(READ, _seconds, _steps)
"""The edges as the stack grows deeper."""
