"""How far u* is pushed over the whole axis of ϱ, with a bias lent where ψ pushes nothing by itself."""

import math
from typing import NamedTuple

import numpy as np

from engine.green import response
from engine.trajectory import displacement_slope, trajectories
from presets import loop_quantities, trajectory_quantities
from presets.remember import remembered
from presets.schema import Scenario
from presets.trajectory_quantities import FORCED
from presets.visibility_quantities import LENT_BIAS, lends_bias

CURVE_POINTS = 81

LARGEST_CURVE = 2**22
"""Largest depth · d³ for which u* is followed over the whole axis."""


class Curve(NamedTuple):
    """Sizes of u* over ϱ, state units.

    **Fields:**

    - `amplitude`: grid of ϱ, (points,).
    - `persistent`, `size`: sup‖P₊u*‖ and sup‖u*‖, (points,); NaN where u* could not be followed.
    - `persistent_slope`, `size_slope`: their derivatives at ϱ = 0+.
    - `lent`: whether the bias is lent.
    """

    amplitude: np.ndarray
    persistent: np.ndarray
    size: np.ndarray
    persistent_slope: float
    size_slope: float
    lent: bool


class Push(NamedTuple):
    """Both sizes at one ϱ, state units; NaN where u* could not be followed."""

    persistent: float
    size: float


def drawn(scenario: Scenario) -> Scenario:
    """Return the scenario whose u* is drawn: its own, or with a bias lent where ψ(0) = 0."""
    if not lends_bias(scenario):
        return scenario
    injection = scenario.gate.injection.model_copy(update={"bias": LENT_BIAS})
    return scenario.model_copy(update={"gate": scenario.gate.model_copy(update={"injection": injection})})


def curve(scenario: Scenario) -> Curve | None:
    """Return the sizes over the axis of the map; None without a split or when that would take too long."""
    if scenario.depth * scenario.family.width**3 > LARGEST_CURVE:
        return None
    return _curve(drawn(scenario), loop_quantities.amplitude_reach(scenario), lends_bias(scenario))


@remembered(*FORCED)
def _curve(scenario: Scenario, reach: float, lent: bool) -> Curve | None:
    loop = trajectory_quantities.self_loop(scenario)
    if loop is None:
        return None
    found = trajectories(loop, np.linspace(-reach, reach, CURVE_POINTS))
    width = loop.factors.shape[1]
    at_rest = np.broadcast_to(loop.injection.value(np.zeros(width)), (len(loop.factors), width))
    return Curve(
        found.amplitudes,
        found.displacement,
        found.size,
        displacement_slope(loop),
        float(np.linalg.norm(response(loop.splitting, at_rest), axis=1).max()),
        lent,
    )


def push(scenario: Scenario) -> Push | None:
    """Return the sizes at the current ϱ; None without a split."""
    found = trajectory_quantities.trajectory(drawn(scenario))
    if found is None:
        return None
    return Push(*(math.nan if size is None else size for size in (found.displacement, found.size)))
