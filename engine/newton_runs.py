"""What a batch of Newton runs returns, whatever problem it solved."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

CLOSE_ENOUGH = 1e-9
"""Newton stops after a step below this share of the largest state (plus one): the next one is round-off."""

MOST_STEPS = 12


class NewtonRuns(NamedTuple):
    r"""States after Newton's method, one run per amplitude.

    **Fields:**

    - `states`: u, state units; not finite where a step was singular.
    - `settled`: whether the last step was small.
    - `contraction`: second step over first: small when the start was close, 0 for a linear
      problem, inf where it is not finite.
    - `orientation`: sign of the determinant of the last linearised problem, up to a common sign. It does
      not change along a solution without a fold.
    """

    states: Float[np.ndarray, "runs places d"]
    settled: Bool[np.ndarray, " runs"]
    contraction: Float[np.ndarray, " runs"]
    orientation: Float[np.ndarray, " runs"]


def judged(
    states: Float[np.ndarray, "runs places d"],
    first: Float[np.ndarray, " runs"],
    second: Float[np.ndarray, " runs"],
    last: Float[np.ndarray, " runs"],
    orientation: Float[np.ndarray, " runs"],
) -> NewtonRuns:
    """Judge runs by the largest entry of their first, second and last step."""
    finite = np.isfinite(states)
    scale = 1 + np.abs(np.where(finite, states, 0.0)).max(axis=(1, 2))
    steps = np.where(np.isfinite([first, second, last]), [first, second, last], np.inf)
    with np.errstate(invalid="ignore"):  # inf over inf, where even the first step was singular
        ratio = steps[1] / np.maximum(steps[0], CLOSE_ENOUGH * scale)
    return NewtonRuns(
        states=states,
        settled=finite.all(axis=(1, 2)) & (steps[2] <= CLOSE_ENOUGH * scale),
        contraction=np.where(np.isfinite(ratio), ratio, np.inf),
        orientation=orientation,
    )
