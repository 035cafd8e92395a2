"""How far u* is pushed over the whole axis of ϱ, with a bias lent where ψ pushes nothing by itself."""

import math
from typing import NamedTuple

import numpy as np

from engine.green import response
from engine.self_loop import SelfLoop
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


def curve(scenario: Scenario) -> Curve | None:
    """Return the sizes over the axis of the map; None without a split or when that would take too long."""
    if scenario.depth * scenario.family.width**3 > LARGEST_CURVE:
        return None
    return _curve(scenario, loop_quantities.amplitude_reach(scenario))


@remembered(*FORCED)
def _curve(scenario: Scenario, reach: float) -> Curve | None:
    loop = _pushed(scenario)
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
        lends_bias(scenario),
    )


@remembered(*FORCED, "gate.amplitude")
def push(scenario: Scenario) -> Push | None:
    """Return the sizes at the current ϱ; None without a split."""
    if not lends_bias(scenario):
        found = trajectory_quantities.trajectory(scenario)
        sizes = None if found is None else (found.displacement, found.size)
    else:
        sizes = _lent(scenario)
    if sizes is None:
        return None
    return Push(*(math.nan if size is None else size for size in sizes))


def _lent(scenario: Scenario) -> tuple[float | None, float | None] | None:
    loop = _pushed(scenario)
    if loop is None:
        return None
    found = trajectory_quantities.solve(loop, scenario.gate.amplitude)
    return found.displacement, found.size


def _pushed(scenario: Scenario) -> SelfLoop | None:
    """Return the gated stack, with a bias lent where ψ(0) = 0."""
    loop = trajectory_quantities.self_loop(scenario)
    if loop is None or not lends_bias(scenario):
        return loop
    width = scenario.family.width
    lent = np.full(width, LENT_BIAS / math.sqrt(width))
    return loop._replace(injection=loop.injection._replace(bias=lent))
