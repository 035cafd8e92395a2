"""The weights Π of a scenario's compression, as the engine wants them."""

from collections.abc import Callable

import numpy as np

from engine import compressions
from presets.compression import Compression, Last, Mean, Multilevel, Scored, Select

Pool = Callable[[int], np.ndarray]


def pool(compression: Compression) -> Pool:
    """Return the weights Π gives to the tokens present in a block, as a function of their number."""
    match compression:
        case Mean():
            return compressions.mean_weights
        case Last():
            return compressions.last_weights
        case Select(positions=positions, weights=weights):
            places, shares = np.array(positions, dtype=np.int64), np.array(weights, dtype=np.float64)
            return lambda present: compressions.selected_weights(present, places, shares)
        case Scored(scores=scores, temperature=temperature):
            given = np.array(scores, dtype=np.float64)
            return lambda present: compressions.scored_weights(present, given, temperature)
        case Multilevel(levels=levels):
            groups = np.array(levels, dtype=np.int64)
            return lambda present: compressions.multilevel_weights(present, groups)
    return compressions.first_weights
