r"""How much of a small change of the stack the persistent coordinate of $u^*$ can see.

Theorem 7 asserts that changes which write into the decaying directions are invisible to the
persistent ones. The response $\max_\ell |P_+(\ell)(u^*_\eta - u^*_0)(\ell)|$ is measured with the
projectors of the unchanged stack, and its order in η says zero, first or second order.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from engine.bounded_solution import GatedStack, States, bounded_response, bounded_solution
from engine.closed_projector import closed_projectors
from engine.order_fit import FittedOrder, fitted_order
from engine.perturbation import Change, Directions, changed

SIZES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
"""Sizes η at which a response is measured, unless others are asked for."""

ROUNDOFF = 1e-12
"""Responses below this share of the largest state are zero."""

Loop = Literal["open", "closed"]
"""Whose projectors: those of B, or those of the closed loop $B + \\varrho D\\psi(u^*)$."""


class Response(NamedTuple):
    r"""Response of $u^*$ to a change, at several sizes of it.

    **Fields:**

    - `sizes`: η.
    - `persistent`: $\max_\ell |P_+ (u^*_\eta - u^*_0)|$; nan where no $u^*_\eta$ was found.
    - `decaying`: the same with $P_-$.
    - `persistent_order`, `decaying_order`: exponents of the two in η.
    """

    sizes: Float[np.ndarray, " sizes"]
    persistent: Float[np.ndarray, " sizes"]
    decaying: Float[np.ndarray, " sizes"]
    persistent_order: FittedOrder
    decaying_order: FittedOrder


class Base(NamedTuple):
    r"""A gated stack with its bounded solution and the projectors that judge responses.

    **Fields:**

    - `stack`: the gated stack.
    - `states`: $u^*$ at the depths 0 … L.
    - `projectors`: $P_+$ at the depths 0 … L.
    - `loop`: whose projectors these are.
    """

    stack: GatedStack
    states: States
    projectors: Float[np.ndarray, "depths d d"]
    loop: Loop

    def split(self, away: States) -> tuple[float, float]:
        """Return the largest persistent and the largest decaying part over the depths."""
        persistent = (self.projectors @ away[:, :, None])[:, :, 0]
        return _largest(persistent), _largest(away - persistent)


def base(stack: GatedStack, loop: Loop) -> Base | None:
    r"""Solve for $u^*$ and split the open or the closed loop.

    **Arguments:**

    - `stack`: the gated stack.
    - `loop`: whose projectors judge.

    **Returns:** the base of all responses; None when there is no $u^*$ or the closed loop has
    no splitting of the open loop's rank.

    **Raises:** as `bounded_solution`.
    """
    states = bounded_solution(stack)
    if states is None:
        return None
    if loop == "open":
        return Base(stack, states, stack.splitting.persistent, loop)
    projectors = closed_projectors(stack.closed_factors(states), stack.splitting)
    return None if projectors is None else Base(stack, states, projectors, loop)


def response(
    unchanged: Base, change: Change, directions: Directions, sizes: Sequence[float] = SIZES
) -> Response:
    r"""Measure how $u^*$ moves when one class of parameters is changed.

    **Arguments:**

    - `unchanged`: from `base`; its projectors define the class and judge the response.
    - `change`: which class.
    - `directions`: of the change.
    - `sizes`: η, positive, increasing.

    **Returns:** the response and its orders.

    **Raises:** `ValueError` for an unknown class, or directions that do not fit the stack.
    """
    parts = np.full((len(sizes), 2), np.nan)
    start = unchanged.states
    for place, size in enumerate(sizes):
        moved = bounded_solution(
            changed(unchanged.stack, change, size, directions, unchanged.projectors), start
        )
        if moved is not None:
            parts[place], start = unchanged.split(moved - unchanged.states), moved
    floor = ROUNDOFF * float(np.abs(unchanged.states).max())
    causes = np.array(sizes, dtype=np.float64)
    persistent, decaying = parts.T
    return Response(
        sizes=causes,
        persistent=persistent,
        decaying=decaying,
        persistent_order=fitted_order(causes, persistent, floor),
        decaying_order=fitted_order(causes, decaying, floor),
    )


def first_order_response(
    unchanged: Base, change: Change, directions: Directions
) -> tuple[float, float] | None:
    r"""Differentiate the response at η = 0: the Green operator of the closed loop applied to the change.

    **Arguments:** as for `response`.

    **Returns:** largest persistent and largest decaying part per unit of η; None when the
    closed loop has no unique bounded response.

    **Raises:** as `response`.
    """
    stack, states = unchanged.stack, unchanged.states
    written = changed(stack, change, 1.0, directions, unchanged.projectors)
    forcing = written.forced(states) - stack.forced(states)
    moved = bounded_response(stack.closed_factors(states), stack.splitting, forcing)
    return None if moved is None else unchanged.split(moved)


def recomputed_response(
    unchanged: Base, change: Change, directions: Directions, sizes: Sequence[float] = SIZES
) -> tuple[Float[np.ndarray, " sizes"], FittedOrder]:
    r"""Measure $\max_\ell |P_+^\eta u^*_\eta - P_+ u^*_0|$: the projector is computed anew after the change.

    The range of $P_+$ tilts, so this moves at first order even where `response` is zero.

    **Arguments:** as for `response`.

    **Returns:** the sizes of the response, nan where none was found, and their order.

    **Raises:** as `response`.
    """
    stack, states = unchanged.stack, unchanged.states
    before = (unchanged.projectors @ states[:, :, None])[:, :, 0]
    found = np.full(len(sizes), np.nan)
    for place, size in enumerate(sizes):
        moved_stack = changed(stack, change, size, directions, unchanged.projectors)
        moved = bounded_solution(moved_stack, states)
        if moved is None:
            continue
        factors = moved_stack.closed_factors(moved) if unchanged.loop == "closed" else moved_stack.factors
        projectors = closed_projectors(factors, stack.splitting)
        if projectors is not None:
            found[place] = _largest((projectors @ moved[:, :, None])[:, :, 0] - before)
    floor = ROUNDOFF * float(np.abs(states).max())
    return found, fitted_order(np.array(sizes, dtype=np.float64), found, floor)


def _largest(states: States) -> float:
    return float(np.linalg.norm(states, axis=1).max())
