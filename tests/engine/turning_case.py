"""The depth-periodic saddle of the reference cases C1–C3, and its bounded solution's ingredients."""

from typing import Any

import numpy as np

from engine.injection import Injection
from engine.splitting import Splitting, split
from engine.turning_bundles import turning_bundles
from tests.reference_cases import case, numbers

CONSTANT = case("tokens", "C1-distinguished-const")
TANH = case("tokens", "C3-distinguished-tanh")
MATRIX = np.array(TANH["input"]["W"])
BIAS = np.array(TANH["input"]["h0"])
FORCING = Injection(np.zeros((2, 2)), BIAS, saturating=False)
SATURATING = Injection(MATRIX, BIAS, saturating=True)


def saddle() -> tuple[np.ndarray, np.ndarray]:
    """Layers of one period, and frames at the depths 0 … p."""
    given: dict[str, Any] = CONSTANT["input"]
    return turning_bundles(
        given["p"], float(given["rp"]), float(given["rm"]), (given["amp"][0], given["amp"][1])
    )


def periodic_saddle() -> tuple[np.ndarray, Splitting]:
    factors, _ = saddle()
    return factors, split(factors, 1, periodic=True)


def window_saddle(depth: int) -> tuple[np.ndarray, Splitting]:
    factors, _ = saddle()
    window = factors[np.arange(depth) % len(factors)]
    return window, split(window, 1, periodic=False)


def reference_directions() -> np.ndarray:
    return numbers(case("tokens", "C2-response")["input"]["D"])
