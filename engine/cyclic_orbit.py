r"""Newton's method for $u^*$ on a stack that repeats for ever: a periodic orbit of the refreshed states."""

import numpy as np
from jaxtyping import Float

from engine.cyclic_chain import Chain, Closed, closed
from engine.hold import Loop
from engine.injection import Injection
from engine.newton_runs import CLOSE_ENOUGH, MOST_STEPS, NewtonRuns, judged

BATCH_BYTES = 1 << 26
"""Memory of the closed maps handled together."""


def orbit_newton(
    loop: Loop,
    injection: Injection,
    amplitudes: Float[np.ndarray, " runs"],
    starts: Float[np.ndarray, "runs maps d"],
) -> NewtonRuns:
    r"""Solve $E_i x_{i+1} = F_i x_i + \varrho\,\Gamma_i \psi(x_i)$ around one closed period.

    **Arguments:**

    - `loop`: F, Γ and E between refreshes, from `engine.hold.held_loop` with the identity injected.
    - `injection`: ψ.
    - `amplitudes`: ϱ.
    - `starts`: first iterates at the refreshes, state units.

    **Returns:** the `NewtonRuns`.
    """
    together = max(BATCH_BYTES // (4 * loop.factors.nbytes), 1)
    chunks = [slice(start, start + together) for start in range(0, len(amplitudes), together)]
    parts = [_newton(loop, injection, amplitudes[chunk], starts[chunk]) for chunk in chunks]
    return NewtonRuns(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _newton(loop: Loop, injection: Injection, amplitudes: np.ndarray, states: np.ndarray) -> NewtonRuns:
    first = second = last = orientation = np.zeros(len(amplitudes))
    for count in range(MOST_STEPS):
        after, orientation = _linear_step(loop, injection, amplitudes, states)
        with np.errstate(invalid="ignore", over="ignore"):
            last = np.abs(after - states).max(axis=(1, 2))
            scale = 1 + np.abs(after).max(axis=(1, 2))
        first, second = (last if count == 0 else first), (last if count == 1 else second)
        states = after
        if count > 0 and not (last > CLOSE_ENOUGH * scale).any():
            break
    return judged(states, first, second, last, orientation)


def _linear_step(loop: Loop, injection: Injection, amplitudes: np.ndarray, states: np.ndarray) -> Closed:
    """Solve the orbit linearised at the states; NaN where that is singular."""
    seen = np.where(np.isfinite(states), states, 0.0)
    slopes = injection.jacobian(seen)
    gates = amplitudes[:, None, None, None] * loop.injections
    value = injection.value(seen)[..., None] - slopes @ seen[..., None]
    closing = np.eye(loop.width) if loop.frames is None else loop.frames
    chain = Chain(
        after=np.broadcast_to(closing, gates.shape),
        before=loop.factors + gates @ slopes,
        forcing=(gates @ value)[..., 0],
    )
    try:
        return closed(chain)
    except np.linalg.LinAlgError:
        each = [_alone(Chain(*(part[run : run + 1] for part in chain))) for run in range(len(states))]
        return Closed(*(np.concatenate(part) for part in zip(*each, strict=True)))


def _alone(chain: Chain) -> Closed:
    try:
        return closed(chain)
    except np.linalg.LinAlgError:
        return Closed(np.full(chain.forcing.shape, np.nan), np.zeros(1))
