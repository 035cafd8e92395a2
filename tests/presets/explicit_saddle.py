"""The reference saddle of the cases C1–C3 as a visitor would write it: matrices by hand, one period."""

from typing import Any

import numpy as np

from presets.load import validate
from presets.schema import Scenario
from tests.engine.turning_case import BIAS, MATRIX, saddle


def saddle_scenario(amplitude: float, *, saturating: bool, **further: Any) -> Scenario:
    """Forced by ψ = b, or by ψ(u) = tanh(Wu + b)."""
    factors, _ = saddle()
    matrix = MATRIX if saturating else np.zeros((2, 2))
    return validate(
        {
            "depth": 36,
            "family": {
                "kind": "explicit",
                "mixing": (0.3 * factors - np.eye(2)).tolist(),
                "value": (0.7 * factors).tolist(),
                "repeat": True,
            },
            "gate": {
                "amplitude": amplitude,
                "injection": {
                    "kind": "tanh" if saturating else "linear",
                    "matrix": matrix.tolist(),
                    "bias": BIAS.tolist(),
                },
            },
            **further,
        }
    )
