"""The splitting of a scenario's open loop, its rates, and what every rate would cost."""

import math
from typing import NamedTuple

import numpy as np

from engine import constants
from engine.constants import Dichotomy
from engine.splitting import Splitting, split
from engine.steps import Steps
from presets import quantities
from presets.on_demand import OnDemand
from presets.quantities import STACK
from presets.remember import remembered
from presets.schema import Scenario

READ = (*STACK, "window")
"""Settings that everything here depends on."""

NO_SPLIT = Dichotomy("no-split", 0, None, None, 0.0, 0.0, math.inf, math.inf, math.inf)
"""What is said of a stack without a certified gap; its rank means nothing."""

CURVE_POINTS = 60


class Curve(NamedTuple):
    """C₋ over rates below 1 and C₊ over rates above it, inside the certified edges; empty when absent."""

    decay_rates: np.ndarray
    decay_constants: np.ndarray
    growth_rates: np.ndarray
    growth_constants: np.ndarray


@remembered(*READ, megabytes=64)
def splitting(scenario: Scenario) -> Splitting | None:
    """Return the growing and decaying directions at every depth; None where no gap around 1 is certified."""
    rank, stack = quantities.spectrum(scenario).persistent_rank, quantities.layers(scenario)
    return None if rank is None else split(stack.factors, rank, periodic=stack.recurrence != "window")


@remembered(*READ)
def dichotomy(scenario: Scenario) -> Dichotomy:
    """Return rates, margins and constants of the open loop."""
    found, gap = splitting(scenario), quantities.spectrum(scenario).gap
    return NO_SPLIT if found is None or gap is None else constants.dichotomy_constants(found, gap)


def _rates(edge: float, chosen: float | None) -> np.ndarray:
    """Spread rates from a certified edge towards 1, the chosen one among them; none for an absent branch."""
    if chosen is None:
        return np.empty(0)
    rates = np.union1d(edge + (1 - edge) * np.linspace(0.0, 1.0, CURVE_POINTS, endpoint=False), [chosen])
    return rates[rates > 0]


def _seconds(scenario: Scenario) -> float:
    """Estimate the time for the curve: on a window every lag is followed from every layer."""
    if quantities.layers(scenario).recurrence != "window" or dichotomy(scenario).status != "ok":
        return 0.0
    return scenario.depth**2 * (2e-6 + 8e-11 * scenario.family.width**3)


def _steps(scenario: Scenario) -> Steps[Curve | None]:
    found, chosen, gap = splitting(scenario), dichotomy(scenario), quantities.spectrum(scenario).gap
    if found is None or gap is None or chosen.status != "ok":
        return None
    decay, growing = (_rates(edge, rate) for edge, rate in zip(gap, chosen[2:4], strict=True))
    at = yield from constants.constants_steps(found, decay, growing)
    return Curve(decay, at.decay, growing, at.growth)


CONSTANTS_CURVE: OnDemand[Curve | None] = OnDemand(READ, _seconds, _steps)
"""The constants at all rates inside the certified edges; None without a split."""
