"""The σ test of a scenario: a second opinion on its spectrum, on demand where the stack is long and wide."""

import math
from typing import NamedTuple

import numpy as np

from engine.projector_residual import projector_residual
from engine.sigma_test import sigma_steps
from engine.steps import Steps, stretch
from presets import quantities
from presets.dichotomy_quantities import READ
from presets.on_demand import OnDemand
from presets.schema import Scenario

EDGES, PLACES = 16, 8
"""Spectral edges and impulses looked at, at most."""

RESIDUAL = 0.1
"""Share of the work, roughly, that goes into the projector residual."""


class Sigma(NamedTuple):
    """The σ test at γ = 1, first, and at the spectrum's edges nearest to it.

    **Fields:**

    - `gammas`, `wide`, `tall`: (n,), growth factors per layer and their smallest singular values.
    - `residual`: largest projector residual at γ = 1, over depths in the middle half of the stack.
    - `level`: π/L, about what a single direction on the spectrum gives.
    """

    gammas: np.ndarray
    wide: np.ndarray
    tall: np.ndarray
    residual: float
    level: float


def _seconds(scenario: Scenario) -> float:
    """Estimate the time: sweeps by QR, and banded solutions, for every growth factor."""
    layers, width = scenario.depth, scenario.family.width
    return len(_gammas(scenario)) * layers * (4e-5 + 1.3e-8 * width**3)


def _steps(scenario: Scenario) -> Steps[Sigma]:
    factors, depth = quantities.layers(scenario).to_depth(scenario.depth).factors, scenario.depth
    gammas = _gammas(scenario)
    found = yield from stretch(sigma_steps(factors, gammas), 0.0, 1 - RESIDUAL)
    places = np.unique(np.linspace(depth / 4, 3 * depth / 4, PLACES).round().astype(int)).clip(1, depth)
    residual = float(projector_residual(factors, 1.0, places).residual.max())
    return Sigma(gammas, found.wide, found.tall, residual, math.pi / depth)


def _gammas(scenario: Scenario) -> np.ndarray:
    """Growth factors tested: 1, then the edges of the spectrum from the nearest on."""
    spectrum = quantities.spectrum(scenario)
    edges = np.unique(np.concatenate([spectrum.lower, spectrum.upper]))
    edges = edges[(edges > 0) & (edges != 1)]
    return np.append(1.0, edges[np.argsort(np.abs(np.log(edges)), kind="stable")][:EDGES])


SIGMA: OnDemand[Sigma] = OnDemand(READ, _seconds, _steps)
"""The σ test; one core, one growth factor after the other."""
