"""The ladder of gate limits of a scenario, its best certificate, and whether ψ respects the splitting."""

from typing import Literal, NamedTuple

import numpy as np

from engine import constants, green
from engine import ladder as rungs
from engine.constants import SharedRate
from engine.ladder import Certificate, Ladder
from engine.resolvent_radius import resolvent_radius
from engine.self_loop import SelfLoop
from presets import dichotomy_quantities, loop_quantities, quantities, trajectory_quantities
from presets.dichotomy_quantities import READ
from presets.quantities import STACK
from presets.remember import remembered
from presets.schema import Scenario
from presets.trajectory_quantities import FORCED

RESPECTS = 1e-9
"""Defect, relative to ‖P₊‖·‖Dψ‖, up to which ψ respects the splitting."""

NO_SHARED = SharedRate(0.0, np.inf)

Standing = Literal["certified", "kept", "changed", "undecided", "lost"]


class Defect(NamedTuple):
    """How far ψ is from mapping the bundles into each other.

    **Fields:**

    - `value`: max over layers of ‖P₊(ℓ+1)Dψ − DψP₊(ℓ)‖.
    - `respects`: whether that is round-off.
    - `everywhere`: whether Dψ is the same at every state, so that the verdict does not belong to one ϱ.
    """

    value: float
    respects: bool
    everywhere: bool


def ladder(scenario: Scenario) -> Ladder | None:
    """Return the ladder; None without a certified split. Does not depend on ϱ."""
    found = dichotomy_quantities.dichotomy(scenario)
    if found.status != "ok":
        return None
    radius = _radius(scenario) if scenario.gate.refresh_period == 1 else None
    return rungs.ladder(
        found, _shared_rate(scenario), green_norm(scenario), radius, loop_quantities.lipschitz(scenario)
    )


def certificate(scenario: Scenario) -> Certificate | None:
    """Return the best certificate: the one the whole app shows; None without a certified split."""
    found = ladder(scenario)
    return None if found is None else found.best


def standing(scenario: Scenario) -> Standing:
    """Say what has become of the open loop's split at the current ϱ, and whether that is proved."""
    best = certificate(scenario)
    if best is not None and abs(scenario.gate.amplitude) < best.value:
        return "certified"
    return loop_quantities.inside(scenario)


@remembered(*READ)
def green_norm(scenario: Scenario) -> float:
    """Return the block-sum norm of the Green operator with its tail, layers; inf without a split."""
    splitting = dichotomy_quantities.splitting(scenario)
    return (
        np.inf if splitting is None else green.green_norm(splitting, dichotomy_quantities.dichotomy(scenario))
    )


@remembered(*READ)
def _shared_rate(scenario: Scenario) -> SharedRate:
    splitting, gap = dichotomy_quantities.splitting(scenario), quantities.spectrum(scenario).gap
    return NO_SHARED if splitting is None or gap is None else constants.shared_rate(splitting, gap)


@remembered(*STACK)
def _radius(scenario: Scenario) -> float | None:
    """Return the ℓ² radius of a stack that repeats; None for a window."""
    stack = quantities.layers(scenario)
    return None if stack.recurrence == "window" else resolvent_radius(stack.factors).value


def split_defect(scenario: Scenario) -> Defect | None:
    """Return how far ψ is from respecting the splitting (A7); None without a split or where u* is lost."""
    if loop_quantities.is_frozen(scenario):
        return _frozen_defect(scenario)
    loop = trajectory_quantities.self_loop(scenario)
    if loop is None:
        return None
    found = trajectory_quantities.trajectory(scenario)
    if found is None or found.states is None:
        return None
    covered = len(found.states) - 1
    seen = found.states[np.arange(covered) // loop.held_for * loop.held_for]
    return _defect(loop, np.asarray(loop.injection.jacobian(seen)), everywhere=False)


@remembered(*FORCED)
def _frozen_defect(scenario: Scenario) -> Defect | None:
    """Return the defect of a ψ whose slope is the same for every ϱ."""
    loop = trajectory_quantities.self_loop(scenario)
    if loop is None:
        return None
    return _defect(loop, loop.injection.matrix[None], everywhere=not loop.injection.saturating)


def estimate_is_proved(scenario: Scenario) -> bool:
    """Say whether the paper's margin is a theorem here: ψ keeps to the bundles, and sees them where it reads.

    Between refreshes the bundles of a stack whose layers differ move on, and A7 layer by layer is not enough.
    """
    defect = split_defect(scenario)
    fixed = quantities.layers(scenario).recurrence == "tied" or scenario.gate.refresh_period == 1
    one_branch = quantities.spectrum(scenario).persistent_rank in (0, scenario.family.width)
    return one_branch or (defect is not None and defect.respects and fixed)


def _defect(loop: SelfLoop, slopes: np.ndarray, *, everywhere: bool) -> Defect:
    """Compare P₊(ℓ+1)Dψ(ℓ) with Dψ(ℓ)P₊(ℓ) at every layer."""
    persistent, layers = loop.splitting.persistent, len(loop.factors)
    here = np.arange(max(layers, len(slopes))) % layers
    after, before = persistent[here + 1], persistent[here]
    value = float(np.linalg.norm(after @ slopes - slopes @ before, 2, axis=(1, 2)).max())
    scale = float(
        np.linalg.norm(persistent, 2, axis=(1, 2)).max() * np.linalg.norm(slopes, 2, axis=(1, 2)).max()
    )
    return Defect(value, value <= RESPECTS * scale, everywhere)
