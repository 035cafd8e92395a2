"""How far the ends of a window of layers reach into it."""

import numpy as np
from jaxtyping import Bool, Float

from engine.constants import Dichotomy

AFFECTED = 1e-3
"""A layer is affected by an end while more than this share of the branch from beyond reaches it."""


def reach_of_past(depth: int, dichotomy: Dichotomy) -> Float[np.ndarray, " depths"]:
    r"""Share $r_-^\ell$ of what precedes the window that is left at the depths 0 … L; 0 if nothing decays."""
    if dichotomy.decay_rate is None:
        return np.zeros(depth + 1)
    return dichotomy.decay_rate ** np.arange(depth + 1.0)


def reach_of_future(depth: int, dichotomy: Dichotomy) -> Float[np.ndarray, " depths"]:
    r"""Share $r_+^{-(L-\ell)}$ of what happens behind the window that is seen at the depths 0 … L."""
    if dichotomy.growth_rate is None:
        return np.zeros(depth + 1)
    return (1 / dichotomy.growth_rate) ** np.arange(depth, -1.0, -1.0)


def boundary_affected(depth: int, dichotomy: Dichotomy) -> Bool[np.ndarray, " depths"]:
    r"""Mark the depths that lie within $\log 10^{-3} / \log r$ of an end.

    A window is solved with nothing coming in from outside, which a longer stack would not grant:
    there $u^*$ and the Green operator belong to the ends, not to the stack.

    **Arguments:**

    - `depth`: layers of the window, L.
    - `dichotomy`: rates of its two branches; an absent branch reaches nowhere.

    **Returns:** True where affected; all True without a splitting.
    """
    if dichotomy.status != "ok":
        return np.ones(depth + 1, dtype=bool)
    return (reach_of_past(depth, dichotomy) > AFFECTED) | (reach_of_future(depth, dichotomy) > AFFECTED)
