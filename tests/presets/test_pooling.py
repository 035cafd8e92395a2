"""Weights of every compression of the schema."""

from typing import Any

import numpy as np
import pytest

from presets.load import validate
from presets.pooling import pool


@pytest.mark.parametrize(
    ("compression", "full", "ragged"),
    [
        ({"kind": "mean"}, [0.25] * 4, [1 / 3] * 3),
        ({"kind": "first"}, [1, 0, 0, 0], [1, 0, 0]),
        ({"kind": "last"}, [0, 0, 0, 1], [0, 0, 1]),
        ({"kind": "select", "positions": [1, 3], "weights": [0.75, 0.25]}, [0, 0.75, 0, 0.25], [0, 1, 0]),
        ({"kind": "scored", "scores": [0, 0, 9, 9], "temperature": 0}, [0, 0, 1, 0], [0, 0, 1]),
        ({"kind": "multilevel", "levels": [2, 2]}, [0.25] * 4, [0.25, 0.25, 0.5]),
    ],
)
def test_weights(compression: dict[str, Any], full: list[float], ragged: list[float]):
    weights = pool(validate({"block_length": 4, "compression": compression}).compression)
    np.testing.assert_allclose(weights(4), full)
    np.testing.assert_allclose(weights(3), ragged)
