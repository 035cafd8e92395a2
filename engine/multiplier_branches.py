r"""Multipliers of a closed loop as continuous branches over the gate amplitude.

Sorting by size swaps branches wherever two of them are equally large. Here every branch is carried on
from one amplitude to the next by the assignment of least total distance to where it was heading.
"""

import numpy as np
from jaxtyping import Complex, Float
from scipy.optimize import linear_sum_assignment

from engine.closed_loop import multipliers_over
from engine.hold import Loop


def multiplier_branches(
    loop: Loop, amplitudes: Float[np.ndarray, " points"], phase: float = 0.0
) -> Complex[np.ndarray, "points branches"]:
    r"""Follow the multipliers over amplitudes, $|\mu|^{1/n} e^{i\arg\mu}$ with n layers in a closed period.

    **Arguments:**

    - `loop`: closed maps of a tied or periodic stack.
    - `amplitudes`: ϱ, ascending or descending; branches are carried along in this order.
    - `phase`: φ of the topology, radians.

    **Returns:** one column per branch, growth per layer as the modulus: stable inside the unit circle.
    """
    log_modulus, direction = multipliers_over(loop, amplitudes, phase)
    layers = loop.maps * loop.layers_per_map
    return matched(np.exp(log_modulus / layers) * direction)


def matched(values: Complex[np.ndarray, "points branches"]) -> Complex[np.ndarray, "points branches"]:
    """Order the values at every point so that each column is one branch.

    The finer the points, the smaller the largest jump of any branch, as long as the values as a set move
    continuously.

    **Arguments:**

    - `values`: values at consecutive points, in any order at each.

    **Returns:** the same values; the first point keeps its order.

    Reference: Kuhn, Nav. Res. Logist. Q. 2 (1955) 83-97 (assignment).
    """
    branches = np.array(values)
    for point in range(1, len(branches)):
        here = branches[point - 1]
        ahead = 2 * here - branches[point - 2] if point > 1 else here
        distance = np.abs(ahead[:, None] - branches[point][None, :])
        branches[point] = branches[point][linear_sum_assignment(distance)[1]]
    return branches
