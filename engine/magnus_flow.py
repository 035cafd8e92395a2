r"""The flow of $u' = A(t)u$ over many short steps, to near rounding, by the sixth-order Magnus method."""

from collections.abc import Callable

import numpy as np
import scipy.linalg
from jaxtyping import Float

DepthGenerator = Callable[[Float[np.ndarray, " times"]], Float[np.ndarray, "times d d"]]
"""A(t) at many times at once, per layer."""

_SPREAD = np.sqrt(15) / 10
_NODES = np.array([0.5 - _SPREAD, 0.5, 0.5 + _SPREAD])


def step_flows(
    generator: DepthGenerator, starts: Float[np.ndarray, " steps"], size: float
) -> Float[np.ndarray, "steps d d"]:
    r"""Flows over [t, t + h] for many t.

    With $A_i$ at the three Gauss nodes, $\alpha_1 = hA_2$, $\alpha_2 = \frac{\sqrt{15}}{3}h(A_3 - A_1)$,
    $\alpha_3 = \frac{10}{3}h(A_3 - 2A_2 + A_1)$, the flow is the exponential of
    $\alpha_1 + \frac{1}{12}\alpha_3 + \frac{1}{240}[-20\alpha_1 - \alpha_3 + C_1,\ \alpha_2 + C_2]$ with
    $C_1 = [\alpha_1, \alpha_2]$ and $C_2 = -\frac{1}{60}[\alpha_1,\ 2\alpha_3 + C_1]$.

    **Arguments:**

    - `generator`: A(t), smooth inside every step.
    - `starts`: t, in layers.
    - `size`: h, in layers.

    **Returns:** one matrix per step; the error of each is of order h⁷.

    Reference: Blanes, Casas, Oteo & Ros, Phys. Rep. 470 (2009) 151-238, section 5.
    """
    first, middle, last = (generator(starts + size * node) for node in _NODES)
    mean = size * middle
    slope = size * np.sqrt(15) / 3 * (last - first)
    bend = size * 10 / 3 * (last - 2 * middle + first)
    inner = _bracket(mean, slope)
    outer = -_bracket(mean, 2 * bend + inner) / 60
    exponent = mean + bend / 12 + _bracket(-20 * mean - bend + inner, slope + outer) / 240
    return scipy.linalg.expm(exponent)


def _bracket(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return left @ right - right @ left
