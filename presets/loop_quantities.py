"""The closed-loop quantities of a scenario: gate limits, spectrum at ϱ, and margins."""

import math
from typing import Literal, NamedTuple

import numpy as np

from engine import dichotomy, gate, gate_window
from engine.closed_window import closed_window_spectrum
from engine.dichotomy import SHORTEST_WINDOW_STACK
from engine.hold import Loop, held_loop
from engine.topology import Phases, phase_loop, phases, string_limit
from presets import build, quantities
from presets.field import rounded_up
from presets.quantities import STACK
from presets.remember import remembered
from presets.schema import Scenario

LOOP = (*STACK, "gate.injection", "gate.refresh_period", "gate.topology", "blocks", "seed", "window")

Status = Literal["complete", "searched", "needs-trajectory", "not-a-loop"]
CrossingKind = Literal["+1", "-1", "complex", "gap-lost", "none"]
Inside = Literal["kept", "changed", "undecided"]


class GateLimit(NamedTuple):
    """The nearest amplitude on each side at which the loop loses its split.

    `negative` and `positive` are None only where the status says why; `crossings` are all amplitudes
    found, ascending; `resolution` is H in layers for a window; `string_limit` belongs to cascades.
    """

    status: Status
    searched_to: float | None
    negative: float | None
    negative_crossing: CrossingKind
    positive: float | None
    positive_crossing: CrossingKind
    crossings: tuple[float, ...]
    resolution: int | None
    string_limit: float | None


class Margins(NamedTuple):
    """Factors by which ϱ may be multiplied before the count of growing directions changes."""

    gain_down: float
    gain_up: float


LARGEST_REACH = 100.0

NO_LOOP = GateLimit("not-a-loop", None, -math.inf, "none", math.inf, "none", (), None, None)


def injection(scenario: Scenario) -> np.ndarray:
    """Return W, (d, d)."""
    return build.injection_matrix(scenario.gate.injection, quantities.layers(scenario), scenario.seed)


def lipschitz(scenario: Scenario) -> float:
    """Return ‖W‖₂."""
    return float(np.linalg.norm(injection(scenario), 2))


def closes(scenario: Scenario) -> bool:
    """Say whether the slow path feeds back at all: it must be refreshed during the pass."""
    period = scenario.gate.refresh_period
    windowed = quantities.layers(scenario).recurrence == "window"
    return period is not None and not (windowed and period > scenario.depth)


def is_frozen(scenario: Scenario) -> bool:
    """Say whether Dψ is known without the trajectory: ψ is linear, or u* = 0 solves the forced stack."""
    injected = scenario.gate.injection
    return injected.kind == "linear" or not np.any(build.bias_vector(injected, scenario.family.width))


def loop(scenario: Scenario) -> Loop:
    """Return the closed maps F + ϱG of one block."""
    stack, period = quantities.layers(scenario), scenario.gate.refresh_period
    assert period is not None
    return held_loop(stack.factors, injection(scenario), period, periodic=stack.recurrence != "window")


def loop_phases(scenario: Scenario) -> Phases:
    """Return the independent loops of the topology; a cascade has those of one open block."""
    topology = scenario.gate.topology
    return phases("self" if topology == "cascade" else topology, scenario.blocks)


@remembered(*LOOP)
def boundary(scenario: Scenario) -> GateLimit:
    """Return the gate limit of both signs."""
    if not closes(scenario):
        return NO_LOOP
    if not is_frozen(scenario):
        return GateLimit("needs-trajectory", None, None, "none", None, "none", (), None, None)
    if scenario.gate.topology == "cascade":
        return _cascade(scenario)
    if quantities.layers(scenario).recurrence == "window":
        return _window(scenario)
    found = gate.boundary(loop(scenario), loop_phases(scenario))
    return GateLimit(
        *found[:6],
        crossings=tuple(crossing.value for crossing in found.crossings),
        resolution=None,
        string_limit=None,
    )


@remembered(*LOOP, "gate.amplitude")
def closed_spectrum(scenario: Scenario) -> dichotomy.Spectrum | None:
    """Return the spectrum at the current ϱ; None where there is no loop or Dψ is not known."""
    if not closes(scenario) or not is_frozen(scenario):
        return None
    if scenario.gate.topology == "cascade":
        return quantities.spectrum(scenario)
    closed, amplitude = loop(scenario), scenario.gate.amplitude
    independent = loop_phases(scenario)
    if quantities.layers(scenario).recurrence == "window":
        return closed_window_spectrum(closed, amplitude, window_maps(scenario), independent)
    return gate.closed_spectrum(closed, amplitude, independent)


def inside(scenario: Scenario) -> Inside:
    """Say whether the split of the open loop is kept at the current ϱ, changed, or undecided."""
    limit, amplitude = boundary(scenario), scenario.gate.amplitude
    rank = quantities.spectrum(scenario).persistent_rank
    if limit.negative is None or limit.positive is None or rank is None:
        return "undecided"
    searched = limit.searched_to is None or abs(amplitude) <= limit.searched_to
    if amplitude == 0 or (limit.negative < amplitude < limit.positive and searched):
        return "kept"
    closed = closed_spectrum(scenario)
    if closed is None or closed.verdict != "hyperbolic":
        return "undecided"
    same = closed.persistent_rank == rank * sum(copies for _, copies in loop_phases(scenario))
    return "undecided" if same and not searched else "changed"


def margins(scenario: Scenario) -> Margins | None:
    """Return the gain margins about the current ϱ; None where the count at ϱ is not known."""
    limit = boundary(scenario)
    if limit.negative is None or inside(scenario) == "undecided":
        return None
    if limit.resolution is not None and inside(scenario) != "kept":
        return None
    return Margins(*gate.margins(limit.crossings, scenario.gate.amplitude))


def amplitude_reach(scenario: Scenario) -> float:
    """Return the half-width of the ϱ axis: 1.5 × the larger finite limit, rounded up to 1, 2 or 5 × 10ⁿ."""
    limit = boundary(scenario)
    sides = [abs(side) for side in (limit.negative, limit.positive) if side is not None]
    finite = [side for side in sides if 0 < side < math.inf]
    return min(rounded_up(1.5 * max(finite)), LARGEST_REACH) if finite else 1.0


def window_maps(scenario: Scenario) -> int:
    """Return the resolution in closed maps: H/L_r, at least 1."""
    return max(build.resolution(scenario) // (scenario.gate.refresh_period or 1), 1)


def _cascade(scenario: Scenario) -> GateLimit:
    stack, period = quantities.layers(scenario), scenario.gate.refresh_period
    assert period is not None
    limit = None if stack.recurrence == "window" else string_limit(stack.factors, injection(scenario), period)
    return GateLimit("complete", None, -math.inf, "none", math.inf, "none", (), None, limit)


def _window(scenario: Scenario) -> GateLimit:
    rank = quantities.spectrum(scenario).persistent_rank
    resolution = window_maps(scenario) * (scenario.gate.refresh_period or 1)
    maps = scenario.depth // (scenario.gate.refresh_period or 1)
    if rank is None or maps < SHORTEST_WINDOW_STACK:
        return GateLimit("complete", None, 0.0, "gap-lost", 0.0, "gap-lost", (0.0,), resolution, None)
    found = [
        gate_window.window_boundary(phase_loop(loop(scenario), phase), window_maps(scenario), rank * copies)
        for phase, copies in loop_phases(scenario)
    ]
    lower = max(found, key=lambda side: side.negative)
    upper = min(found, key=lambda side: side.positive)
    return GateLimit(
        status="searched",
        searched_to=min((side.searched_to for side in found if side.searched_to is not None), default=None),
        negative=lower.negative,
        negative_crossing=lower.negative_crossing,
        positive=upper.positive,
        positive_crossing=upper.positive_crossing,
        crossings=(lower.negative, upper.positive),
        resolution=resolution,
        string_limit=None,
    )
