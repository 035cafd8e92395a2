"""The state u* a gated stack settles on, and the gate limit that follows it."""

import numpy as np

from engine.crossing import Boundary
from engine.gate_window import WindowBoundary
from engine.hold import Loop
from engine.injection import Injection
from engine.self_loop import SelfLoop, linearised
from engine.topology import phases
from engine.trajectory import Trajectory, trajectories
from engine.trajectory import trajectory as solve
from engine.trajectory_boundary import trajectory_boundary
from engine.window_trajectory_boundary import window_trajectory_boundary
from presets import build, dichotomy_quantities, quantities
from presets.dichotomy_quantities import READ
from presets.remember import remembered
from presets.schema import Scenario

FORCED = (*READ, "gate.injection", "gate.refresh_period", "seed")
"""Settings that u* depends on besides ϱ: it is the common state of all blocks, whatever the topology."""


def injection(scenario: Scenario) -> Injection:
    """Return ψ."""
    injected = scenario.gate.injection
    return Injection(
        build.injection_matrix(injected, quantities.layers(scenario), scenario.seed),
        build.bias_vector(injected, scenario.family.width),
        saturating=injected.kind == "tanh",
    )


@remembered(*FORCED)
def self_loop(scenario: Scenario) -> SelfLoop | None:
    """Return the stack that reads its own summary; None without a certified split.

    A summary that is never refreshed is read once, before layer 0.
    """
    splitting, found = dichotomy_quantities.splitting(scenario), dichotomy_quantities.dichotomy(scenario)
    if splitting is None or splitting.status != "ok" or found.status != "ok":
        return None
    period = scenario.gate.refresh_period or scenario.depth
    return SelfLoop(quantities.layers(scenario).factors, splitting, found, injection(scenario), period)


@remembered(*FORCED, "gate.amplitude", megabytes=32)
def trajectory(scenario: Scenario) -> Trajectory | None:
    """Return u* at the current ϱ; None without a certified split."""
    loop = self_loop(scenario)
    return None if loop is None else solve(loop, scenario.gate.amplitude)


LARGEST_FOLLOWED = 2**15
"""Largest depth · d³, summed over independent loops, of a window that is linearised along u* often."""


@remembered(*FORCED, "gate.topology", "blocks")
def trajectory_limit(scenario: Scenario) -> Boundary | WindowBoundary | None:
    """Return the limit of both signs with Dψ taken at u*, searched.

    None without a certified split, without a loop, or for an orbit too large to follow.
    """
    loop, topology = self_loop(scenario), scenario.gate.topology
    period, windowed = scenario.gate.refresh_period, quantities.layers(scenario).recurrence == "window"
    if loop is None or period is None or topology == "cascade" or (windowed and period > scenario.depth):
        return None
    independent = phases(topology, scenario.blocks)
    if windowed:
        widths = [scenario.family.width * copies for _, copies in independent]
        if scenario.depth * sum(width**3 for width in widths) > LARGEST_FOLLOWED:
            return None
        maps = max(build.resolution(scenario) // period, 1)
        return window_trajectory_boundary(loop, maps, loop.splitting.rank, independent)
    return trajectory_boundary(loop, independent)


def linearised_loop(scenario: Scenario) -> Loop | None:
    """Return the closed maps F + ϱ Dψ(u*) at the current ϱ; None where u* is not known."""
    loop, found = self_loop(scenario), trajectory(scenario)
    if loop is None or found is None or found.states is None:
        return None
    return linearised(loop, found.states)


def linearised_loops(scenario: Scenario, amplitudes: np.ndarray) -> list[Loop | None]:
    """Return the closed maps at each of many ϱ, likewise."""
    loop = self_loop(scenario)
    if loop is None:
        return [None] * len(amplitudes)
    found = trajectories(loop, amplitudes)
    return [
        linearised(loop, states) if good else None
        for states, good in zip(found.states, found.converged, strict=True)
    ]
