"""The two branches of a dichotomy as curves over the rate, and the frame they are drawn in."""

import math
from typing import NamedTuple

import numpy as np

from engine.constants import Dichotomy
from presets.dichotomy_quantities import Curve

HEADROOM = 1.5
"""Decades shown above the prices of the chosen rates."""

NOTHING = (0.5, 1.5)
"""Rates on the axis when there is no split."""


class Branch(NamedTuple):
    """One branch: its sign, its colour, rates, log₁₀ C, log₁₀ C/m, and the chosen rate with its log₁₀ C."""

    name: str
    tone: str
    rates: np.ndarray
    constants: np.ndarray
    prices: np.ndarray
    rate: float
    constant: float

    @property
    def price(self) -> float:
        """log₁₀ C/m at the chosen rate."""
        return self.constant - math.log10(abs(1 - self.rate))


def branches_of(chosen: Dichotomy, curve: Curve | None) -> list[Branch]:
    """Collect the branches there are; without a curve only the chosen rates remain."""
    sides = (
        ("₋", "decaying", chosen.decay_rate, chosen.constant_decay, None if curve is None else curve[:2]),
        ("₊", "persistent", chosen.growth_rate, chosen.constant_growth, None if curve is None else curve[2:]),
    )
    found = []
    for name, tone, rate, constant, drawn in sides:
        if chosen.status != "ok" or rate is None or not math.isfinite(constant):
            continue
        rates, costs = drawn or (np.array([rate]), np.array([constant]))
        rates, costs = rates[np.isfinite(costs)], costs[np.isfinite(costs)]
        logs = np.log10(np.maximum(costs, 1.0))
        prices = logs - np.log10(np.abs(1 - rates))
        found.append(Branch(name, tone, rates, logs, prices, rate, math.log10(max(constant, 1.0))))
    return found


def frame(branches: list[Branch]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of the rate axis, and of the axis of log₁₀ constants."""
    if not branches:
        return NOTHING, (0.0, 1.0)
    rates = np.concatenate([[1.0], *(branch.rates for branch in branches), [b.rate for b in branches]])
    left, right = float(rates.min()), float(rates.max())
    pad = 0.04 * (right - left)
    least = min(float(branch.prices.min()) for branch in branches)
    most = max(0.0, *(branch.price for branch in branches)) + HEADROOM
    return (max(left - pad, 0.0), right + pad), (float(math.floor(min(least, 0.0))), float(math.ceil(most)))
