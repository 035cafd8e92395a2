r"""A stack that reads its own summary back, and the linear loops that belong to it."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.constants import Dichotomy
from engine.hold import Loop, held_loop
from engine.injection import Injection
from engine.splitting import Splitting


class SelfLoop(NamedTuple):
    r"""The stack $u(\ell+1) = B(\ell)u(\ell) + \varrho\,\psi(\hat u(\ell))$, $\hat u$ from the last refresh.

    **Fields:**

    - `factors`: layers B: one period, or the whole window.
    - `splitting`: of the open loop, over exactly these layers; says whether they repeat.
    - `dichotomy`: rates and constants of the open loop.
    - `injection`: ψ.
    - `refresh_period`: layers L_r for which a summary is held; refreshes before layers 0, L_r, ….
    """

    factors: Float[np.ndarray, "layers d d"]
    splitting: Splitting
    dichotomy: Dichotomy
    injection: Injection
    refresh_period: int = 1

    @property
    def held_for(self) -> int:
        """Layers between the refreshes that $u^*$ sees: the constant one of a tied stack sees none."""
        return 1 if self.splitting.periodic and len(self.factors) == 1 else self.refresh_period

    @property
    def closed_period(self) -> int:
        """Layers after which layers and refreshes of a repeated stack both start again."""
        return math.lcm(len(self.factors), self.held_for)


def checked(loop: SelfLoop) -> SelfLoop:
    """Return the loop; **Raises** `ValueError` for a missing splitting, one over other layers, or L_r < 1."""
    layers, covered = len(loop.factors), len(loop.splitting.decay)
    if loop.splitting.status != "ok" or covered != layers:
        raise ValueError(
            f"splitting must cover the {layers} layers of the stack; got {covered} ({loop.splitting.status})."
        )
    if loop.refresh_period < 1:
        raise ValueError(f"refresh_period must be at least 1; got {loop.refresh_period}.")
    return loop


def orbit_maps(loop: SelfLoop) -> Loop:
    r"""Maps between refreshes of a repeated stack, $E_i x_{i+1} = F_i x_i + \varrho\,\Gamma_i\psi(x_i)$.

    **Arguments:**

    - `loop`: the gated stack.

    **Returns:** F, Γ and E over one closed period; one map when tied.
    """
    return held_loop(loop.factors, np.eye(loop.factors.shape[1]), loop.held_for, periodic=True)


def linearised(loop: SelfLoop, states: Float[np.ndarray, "depths d"]) -> Loop:
    r"""Linearise the loop at a trajectory: $G(\ell) = D\psi(\hat u(\ell))$.

    **Arguments:**

    - `loop`: the gated stack.
    - `states`: u(ℓ) at the depths 0 … L, from `engine.trajectory`; one closed period of a repeated stack.

    **Returns:** the closed maps F + ϱG, for `engine.gate` or `engine.closed_window`; evaluate them at
    the amplitude of the states.

    **Raises:** as `engine.hold.held_loop`.
    """
    covered = len(states) - 1
    last_refresh = np.arange(covered) // loop.held_for * loop.held_for
    slopes = loop.injection.jacobian(states[last_refresh])
    layers = loop.factors[np.arange(covered) % len(loop.factors)]
    return held_loop(layers, np.array(slopes), loop.refresh_period, periodic=loop.splitting.periodic)
