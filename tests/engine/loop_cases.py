"""Stacks with a known splitting, and the loops built on them, shared by the tests of this chain."""

from typing import Any

import numpy as np
import scipy.optimize

from engine.constants import dichotomy_constants
from engine.dichotomy import exact_spectrum
from engine.injection import Injection
from engine.self_loop import SelfLoop
from engine.splitting import Splitting, split

SADDLE = np.array([[[0.5, 1.0], [0.0, 1.4]]])
"""The tied saddle of the paper."""

SADDLE_GAP = (0.5, 1.4)

SADDLE_INJECTION = Injection(np.array([[0.3, 0.1], [-0.2, 0.25]]), np.array([0.5, -0.3]), saturating=True)

THREE = np.array([[[1.3, 0.2], [0.1, 0.5]], [[1.2, -0.3], [0.2, 0.6]], [[1.5, 0.1], [0.0, 0.4]]])
"""A saddle of period 3."""


WINDOW_GAP = (0.8, 1.2)


def repeated(factors: np.ndarray) -> Splitting:
    rank = exact_spectrum(factors).persistent_rank
    assert rank is not None
    return split(factors, rank, periodic=True)


def repeated_loop(factors: np.ndarray, injection: Injection, refresh_period: int = 1) -> SelfLoop:
    spectrum, splitting = exact_spectrum(factors), repeated(factors)
    assert spectrum.gap is not None
    constants = dichotomy_constants(splitting, spectrum.gap)
    return SelfLoop(factors, splitting, constants, injection, refresh_period)


def window_loop(
    factors: np.ndarray, rank: int, gap: tuple[float, float], injection: Injection, refresh_period: int = 1
) -> SelfLoop:
    splitting = split(factors, rank, periodic=False)
    return SelfLoop(factors, splitting, dichotomy_constants(splitting, gap), injection, refresh_period)


def random_window(random: np.random.Generator, layers: int, width: int, rank: int) -> np.ndarray:
    """Draw turning, sheared layers with `rank` growing and the rest decaying directions: gap `WINDOW_GAP`."""
    frames = np.linalg.qr(random.standard_normal((layers + 1, width, width)))[0]
    frames = frames @ (np.eye(width) + 0.3 * np.triu(random.standard_normal((width, width)), 1))
    rates = np.concatenate([random.uniform(1.2, 1.8, rank), random.uniform(0.2, 0.8, width - rank)])
    return frames[1:] @ (rates[:, None] * np.linalg.inv(frames[:-1]))


def two_point_matrix(factors: np.ndarray, splitting: Splitting) -> np.ndarray:
    """Write out Yᵀ(0)u(0), u(l+1) − B(l)u(l), Zᵀ(L)u(L), in this order of rows."""
    layers, width, _ = factors.shape
    decaying = width - splitting.rank
    matrix = np.zeros(((layers + 1) * width, (layers + 1) * width))
    matrix[:decaying, :width] = splitting.read_stable[0]
    for layer, factor in enumerate(factors):
        rows = slice(decaying + layer * width, decaying + (layer + 1) * width)
        matrix[rows, layer * width : (layer + 1) * width] = -factor
        matrix[rows, (layer + 1) * width : (layer + 2) * width] = np.eye(width)
    matrix[decaying + layers * width :, layers * width :] = splitting.read_unstable[-1]
    return matrix


HYSTERESIS = repeated_loop(
    0.5 * np.eye(2)[None], Injection(0.5 * np.array([[3.0, 3.0], [0.0, 1.5]]), np.array([-0.3, 0.02]), True)
)
"""A bistable summary driven by a saturating one: its branch folds at `hysteresis_fold`."""


def hysteresis_fold() -> float:
    """Solve v₁ = 3ϱ(tanh(v₁ − .3) + tanh(v₂ + .02)), v₂ = 1.5ϱ tanh(v₂ + .02), 3ϱ sech²(v₁ − .3) = 1."""

    def excess(amplitude: float) -> float:
        second: Any = scipy.optimize.brentq(lambda v: v - 1.5 * amplitude * np.tanh(v + 0.02), 1e-9, 9)
        first = 0.3 - np.arccosh(np.sqrt(3 * amplitude))
        return first - amplitude * 3 * (np.tanh(first - 0.3) + np.tanh(second + 0.02))

    found: Any = scipy.optimize.brentq(excess, 0.6, 0.8)
    return float(found)
