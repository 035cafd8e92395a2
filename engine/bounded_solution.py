r"""The bounded solution $u^*$ of a gated stack, $u(\ell+1) = B(\ell)\,u(\ell) + \varrho\,\psi_\ell(u(\ell))$.

All depths are solved at once: on a stack that repeats for ever $u^*$ is periodic, on a
window it starts without a decaying part and ends without a persistent one. Nothing is
iterated forward, where round-off in the persistent part would grow.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from jaxtyping import Float

from engine.layer_injection import AnyInjection
from engine.splitting import Splitting

NEWTON_STEPS = 40
CLOSE_ENOUGH = 1e-13
"""Newton stops when a step is below this share of the largest state (plus one)."""

CONTINUATION = (0.125, 0.25, 0.5, 0.75, 1.0)
"""Shares of the amplitude to pass through when Newton fails from where it was started."""

States = Float[np.ndarray, "depths d"]


class GatedStack(NamedTuple):
    r"""A stack whose layers read their own summary back.

    **Fields:**

    - `factors`: layer maps B, one period or the whole window.
    - `splitting`: of the open loop, over exactly these layers; it says whether they repeat.
    - `injection`: $\psi_\ell$.
    - `amplitude`: gate amplitude ϱ.
    - `compression`: weights of the tokens in the summary. All tokens agree on $u^*$, so that
      only the sum of the weights, 1, is seen.
    """

    factors: Float[np.ndarray, "layers d d"]
    splitting: Splitting
    injection: AnyInjection
    amplitude: float
    compression: Float[np.ndarray, " tokens"] = np.ones(1)

    def forced(self, states: States) -> Float[np.ndarray, "layers d"]:
        """Return the image of the states before every layer."""
        seen = self.compression.sum() * states[:-1]
        moved = (self.factors @ states[:-1, :, None])[:, :, 0]
        return moved + self.amplitude * self.injection.value(seen)

    def closed_factors(self, states: States) -> Float[np.ndarray, "layers d d"]:
        r"""Return the layer maps of the closed loop at the states, $B + \varrho D\psi$."""
        total = self.compression.sum()
        return self.factors + self.amplitude * total * self.injection.jacobian(total * states[:-1])


def bounded_solution(stack: GatedStack, start: States | None = None) -> States | None:
    r"""Find $u^*$ by Newton's method, continuing in ϱ where the plain start fails.

    **Arguments:**

    - `stack`: the gated stack.
    - `start`: states to start from; left out: zero.

    **Returns:** $u^*$ at the depths 0 … L (the last equals the first when the stack repeats),
    or None when no bounded solution was found.

    **Raises:** `ValueError` when the splitting does not exist or covers other layers.
    """
    layers, width, _ = stack.factors.shape
    if len(stack.splitting.unstable) != layers + 1:
        raise ValueError(
            f"splitting must cover the {layers} layers of the stack; "
            f"got {stack.splitting.status} at {len(stack.splitting.unstable)} depths."
        )
    rest = np.zeros((layers + 1, width))
    found = _newton(stack, rest if start is None else start)
    if found is not None:
        return found
    for share in CONTINUATION:
        found = _newton(stack._replace(amplitude=share * stack.amplitude), rest if found is None else found)
        if found is None:
            return None
    return found


def bounded_response(
    factors: Float[np.ndarray, "layers d d"], splitting: Splitting, forcing: Float[np.ndarray, "layers d"]
) -> States | None:
    r"""Solve $u(\ell+1) = B(\ell)\,u(\ell) + h(\ell)$ for the bounded u: the Green operator applied to h.

    **Arguments:**

    - `factors`: layer maps B; those of the closed loop give its response.
    - `splitting`: says whether the layers repeat, and closes a window at its ends.
    - `forcing`: h, state units.

    **Returns:** u at the depths 0 … L, or None when there is no unique bounded solution.
    """
    layers, width, _ = factors.shape
    rows = _block_rows(factors, splitting)
    try:
        solver = scipy.sparse.linalg.splu(rows)
    except RuntimeError:
        return None
    right = np.concatenate([forcing.ravel(), np.zeros(width)])
    found = solver.solve(right).reshape(layers + 1, width)
    return found if np.isfinite(found).all() else None


def _newton(stack: GatedStack, states: States) -> States | None:
    for _ in range(NEWTON_STEPS):
        missing = stack.forced(states) - states[1:]
        step = bounded_response(stack.closed_factors(states), stack.splitting, missing)
        if step is None:
            return None
        states = states + step
        if np.abs(step).max() <= CLOSE_ENOUGH * (1 + np.abs(states).max()):
            return states
    return None


def _block_rows(factors: np.ndarray, splitting: Splitting) -> scipy.sparse.csc_array:
    """Rows u(l+1) − B(l) u(l) for every layer, then d rows that tie or close the two ends."""
    layers, width, _ = factors.shape
    first, last = _ends(splitting, width)
    row, column = np.indices((width, width))
    place = width * np.arange(layers)[:, None, None]
    diagonal = np.arange(layers * width)
    corner = layers * width
    parts = [
        (-factors, place + row, place + column),
        (np.ones(layers * width), diagonal, diagonal + width),
        (first, corner + row, column),
        (last, corner + row, corner + column),
    ]
    entries, rows, columns = (
        np.concatenate([np.ravel(part) for part in kind]) for kind in zip(*parts, strict=True)
    )
    size = corner + width
    return scipy.sparse.csc_array((entries, (rows, columns)), shape=(size, size))


def _ends(splitting: Splitting, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Maps of the first and the last state whose images add up to zero."""
    if splitting.periodic:
        return np.eye(width), -np.eye(width)
    first, last = np.zeros((2, width, width))
    decaying = width - splitting.rank
    first[:decaying], last[decaying:] = splitting.read_stable[0], splitting.read_unstable[-1]
    return first, last
