"""The multipliers of a closed loop over ϱ, as branches, and the margins an engineer would quote."""

import math
from typing import NamedTuple

import numpy as np

from engine import phase_margin as margin
from engine.multiplier_branches import matched, multiplier_branches
from engine.phase_margin import PhaseMargin
from engine.self_loop import linearised
from engine.topology import Phases
from engine.trajectory import trajectories
from presets import loop_quantities, trajectory_quantities
from presets.loop_quantities import LOOP
from presets.remember import remembered
from presets.schema import Scenario

POINTS = 161
FEW_POINTS = 61
"""Amplitudes on the axis of ϱ, and of a loop that must be linearised anew at each."""

MOST_BRANCHES = 48
"""Branches drawn; of a larger ring only some phases are."""

LARGEST_BRANCHES = 2**24
"""Largest maps · d³ · points · phases spent on branches."""


class Branches(NamedTuple):
    """Multipliers over ϱ, growth per layer as the modulus.

    **Fields:**

    - `amplitude`: grid of ϱ, (points,), an odd number: ϱ = 0 in the middle.
    - `values`: complex, (points, branches); NaN where u* could not be followed.
    - `all_phases`: whether every phase of the topology is there.
    """

    amplitude: np.ndarray
    values: np.ndarray
    all_phases: bool


def branches(scenario: Scenario) -> Branches | None:
    """Return the multipliers over the axis of ϱ; None for a window or where no loop closes."""
    return (
        _branches(scenario, loop_quantities.amplitude_reach(scenario)) if has_multipliers(scenario) else None
    )


def has_multipliers(scenario: Scenario) -> bool:
    """Say whether the closed loop repeats, so that it has multipliers."""
    return not loop_quantities.is_windowed(scenario) and loop_quantities.closes(scenario)


def current(scenario: Scenario) -> np.ndarray | None:
    """Return the multipliers of the drawn phases at the current ϱ; None where there are none."""
    if not has_multipliers(scenario):
        return None
    found = _at(scenario, np.array([_amplitude(scenario)]))
    return found[0][~np.isnan(found[0])]


def phase_margin(scenario: Scenario) -> PhaseMargin | None:
    """Return the phase margin at the current ϱ; None unless ψ has rank one and the layers are tied."""
    if not has_multipliers(scenario) or scenario.gate.topology == "cascade":
        return None
    loop = loop_quantities.closed_loop(scenario)
    return None if loop is None else margin.phase_margin(loop, scenario.gate.amplitude)


@remembered(*LOOP)
def _branches(scenario: Scenario, reach: float) -> Branches | None:
    points = POINTS if loop_quantities.is_frozen(scenario) else FEW_POINTS
    loop, phases = loop_quantities.loop(scenario), _phases(scenario)
    if loop.maps * loop.width**3 * points * len(phases) > LARGEST_BRANCHES:
        return None
    half = np.linspace(0.0, reach, points // 2 + 1)
    sides = [_at(scenario, sign * half) for sign in (-1.0, 1.0)]
    values = np.concatenate([sides[0][:0:-1], sides[1]])
    return Branches(
        np.concatenate([-half[:0:-1], half]),
        values,
        len(phases) == len(loop_quantities.loop_phases(scenario)),
    )


def _amplitude(scenario: Scenario) -> float:
    """The ϱ that moves multipliers: a cascade's never move."""
    return 0.0 if scenario.gate.topology == "cascade" else scenario.gate.amplitude


def _at(scenario: Scenario, amplitudes: np.ndarray) -> np.ndarray:
    """Follow the multipliers outwards from the first amplitude, all phases side by side."""
    phases = _phases(scenario)
    if scenario.gate.topology == "cascade":
        amplitudes = np.zeros_like(amplitudes)
    if not loop_quantities.is_frozen(scenario):
        return _along_trajectory(scenario, amplitudes, phases)
    loop = loop_quantities.loop(scenario)
    return np.concatenate(
        [_with_mirror(multiplier_branches(loop, amplitudes, phase), copies) for phase, copies in phases],
        axis=1,
    )


def _along_trajectory(scenario: Scenario, amplitudes: np.ndarray, phases: Phases) -> np.ndarray:
    """Linearise at u* of every amplitude; NaN where it could not be followed."""
    loop = trajectory_quantities.self_loop(scenario)
    width = scenario.family.width * sum(copies for _, copies in phases)
    values = np.full((len(amplitudes), width), complex(math.nan, math.nan))
    if loop is None:
        return values
    found = trajectories(loop, amplitudes)
    reached = np.flatnonzero(found.converged)
    for run in reached:
        closed, at = linearised(loop, found.states[run]), amplitudes[run : run + 1]
        values[run] = np.concatenate(
            [_with_mirror(multiplier_branches(closed, at, phase), copies)[0] for phase, copies in phases]
        )
    values[reached] = matched(values[reached])
    return values


def _with_mirror(values: np.ndarray, copies: int) -> np.ndarray:
    """Add the multipliers of −φ, complex conjugate to those of φ."""
    return values if copies == 1 else np.concatenate([values, values.conj()], axis=1)


def _phases(scenario: Scenario) -> Phases:
    """Phases drawn: all of them, or evenly chosen ones with φ = 0 among them."""
    phases = loop_quantities.loop_phases(scenario)
    most = max(MOST_BRANCHES // (2 * scenario.family.width), 1)
    if len(phases) <= most:
        return phases
    chosen = np.unique(np.linspace(0, len(phases) - 1, most).round().astype(int))
    return tuple(phases[index] for index in chosen)
