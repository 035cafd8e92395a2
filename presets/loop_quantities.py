"""The closed-loop quantities of a scenario: gate limits, spectrum at ϱ, and margins.

A linear ψ, and one without a bias, is linearised at 0; any other at u*, which is followed from ϱ = 0.
"""

import math
from typing import Literal, NamedTuple

import numpy as np

from engine import dichotomy, gate, gate_window
from engine.closed_window import closed_window_spectrum
from engine.crossing import Boundary
from engine.dichotomy import SHORTEST_WINDOW_STACK
from engine.gate_window import WindowBoundary
from engine.hold import Loop, held_loop
from engine.topology import Phases, phase_loop, phases, string_limit
from presets import build, gate_limit, quantities, trajectory_quantities
from presets.field import rounded_up
from presets.gate_limit import NO_LOOP, NOT_FOLLOWED, GateLimit
from presets.quantities import STACK
from presets.remember import remembered
from presets.schema import Scenario

LOOP = (*STACK, "gate.injection", "gate.refresh_period", "gate.topology", "blocks", "seed", "window")

Inside = Literal["kept", "changed", "undecided", "lost"]
"""What has become of the open loop's split; `lost` where u* is, so that there is nothing to linearise at."""


class Margins(NamedTuple):
    """Factors by which ϱ may be multiplied before the count of growing directions changes."""

    gain_down: float
    gain_up: float


LARGEST_REACH = 100.0


def injection(scenario: Scenario) -> np.ndarray:
    """Return W, (d, d)."""
    return build.injection_matrix(scenario.gate.injection, quantities.layers(scenario), scenario.seed)


def lipschitz(scenario: Scenario) -> float:
    """Return ‖W‖₂."""
    return float(np.linalg.norm(injection(scenario), 2))


def closes(scenario: Scenario) -> bool:
    """Say whether the slow path feeds back at all: it must be refreshed during the pass."""
    period = scenario.gate.refresh_period
    return period is not None and not (is_windowed(scenario) and period > scenario.depth)


def is_windowed(scenario: Scenario) -> bool:
    """Say whether the stack does not repeat, so that its split belongs to a resolution H."""
    return quantities.layers(scenario).recurrence == "window"


def is_frozen(scenario: Scenario) -> bool:
    """Say whether Dψ is known without the trajectory: ψ is linear, or u* = 0 solves the forced stack."""
    injected = scenario.gate.injection
    return injected.kind == "linear" or not np.any(build.bias_vector(injected, scenario.family.width))


def loop(scenario: Scenario) -> Loop:
    """Return the closed maps F + ϱG of one block, linearised at 0."""
    stack, period = quantities.layers(scenario), scenario.gate.refresh_period
    assert period is not None
    return held_loop(stack.factors, injection(scenario), period, periodic=not is_windowed(scenario))


def closed_loop(scenario: Scenario) -> Loop | None:
    """Return the closed maps that hold at the current ϱ; None where u* is lost."""
    return loop(scenario) if is_frozen(scenario) else trajectory_quantities.linearised_loop(scenario)


def loop_phases(scenario: Scenario) -> Phases:
    """Return the independent loops of the topology; a cascade has those of one open block."""
    topology = scenario.gate.topology
    return phases("self" if topology == "cascade" else topology, scenario.blocks)


@remembered(*LOOP)
def boundary(scenario: Scenario) -> GateLimit:
    """Return the gate limit of both signs."""
    if not closes(scenario):
        return NO_LOOP
    splits = quantities.spectrum(scenario).persistent_rank is not None
    if scenario.gate.topology == "cascade" and splits:
        return gate_limit.of_cascade(_string_limit(scenario))
    if is_windowed(scenario):
        return _window(scenario)
    if not splits:
        at_rest = gate.boundary(loop(scenario), loop_phases(scenario))
        return gate_limit.without_split(at_rest.positive_crossing, None)
    if is_frozen(scenario):
        return gate_limit.of_boundary(gate.boundary(loop(scenario), loop_phases(scenario)))
    found = trajectory_quantities.trajectory_limit(scenario)
    return gate_limit.of_boundary(found) if isinstance(found, Boundary) else NOT_FOLLOWED


@remembered(*LOOP, "gate.amplitude")
def closed_spectrum(scenario: Scenario) -> dichotomy.Spectrum | None:
    """Return the spectrum at the current ϱ; None where no loop closes or u* is lost."""
    if not closes(scenario):
        return None
    if scenario.gate.topology == "cascade":
        return quantities.spectrum(scenario)
    closed = closed_loop(scenario)
    return None if closed is None else spectrum_of(scenario, closed, scenario.gate.amplitude)


def spectrum_of(scenario: Scenario, closed: Loop, amplitude: float) -> dichotomy.Spectrum:
    """Return the spectrum of closed maps, over all phases of the topology."""
    independent = loop_phases(scenario)
    if is_windowed(scenario):
        return closed_window_spectrum(closed, amplitude, window_maps(scenario), independent)
    return gate.closed_spectrum(closed, amplitude, independent)


def inside(scenario: Scenario) -> Inside:
    """Say whether the split of the open loop is kept at the current ϱ, changed, undecided, or lost."""
    limit, amplitude = boundary(scenario), scenario.gate.amplitude
    rank = quantities.spectrum(scenario).persistent_rank
    if limit.negative is None or limit.positive is None or rank is None:
        return "undecided"
    searched = limit.searched_to is None or abs(amplitude) <= limit.searched_to
    if amplitude == 0 or (limit.negative < amplitude < limit.positive and searched):
        return "kept"
    closed = closed_spectrum(scenario)
    if closed is None:
        return "lost"
    if closed.verdict != "hyperbolic":
        return "undecided"
    same = closed.persistent_rank == rank * sum(copies for _, copies in loop_phases(scenario))
    return "undecided" if same and not searched else "changed"


def margins(scenario: Scenario) -> Margins | None:
    """Return the gain margins about the current ϱ; None where the count at ϱ is not known."""
    limit, found = boundary(scenario), inside(scenario)
    if limit.negative is None or found in ("undecided", "lost"):
        return None
    if limit.resolution is not None and found != "kept":
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


def _string_limit(scenario: Scenario) -> float | None:
    """Return r* of a cascade of layers that repeat, linearised at 0; None where that is not what it feels."""
    period = scenario.gate.refresh_period
    assert period is not None
    if is_windowed(scenario) or not is_frozen(scenario):
        return None
    return string_limit(quantities.layers(scenario).factors, injection(scenario), period)


def _window(scenario: Scenario) -> GateLimit:
    rank = quantities.spectrum(scenario).persistent_rank
    maps = scenario.depth // (scenario.gate.refresh_period or 1)
    resolution = window_maps(scenario) * (scenario.gate.refresh_period or 1)
    if rank is None or maps < SHORTEST_WINDOW_STACK:
        return gate_limit.without_split("gap-lost", resolution)
    if is_frozen(scenario):
        found = [
            gate_window.window_boundary(
                phase_loop(loop(scenario), phase), window_maps(scenario), rank * copies
            )
            for phase, copies in loop_phases(scenario)
        ]
        return gate_limit.of_windows(found, resolution)
    along = trajectory_quantities.trajectory_limit(scenario)
    return gate_limit.of_windows([along], resolution) if isinstance(along, WindowBoundary) else NOT_FOLLOWED
