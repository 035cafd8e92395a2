r"""Follow a solution from ϱ = 0 outwards, all amplitudes at once.

Every amplitude is solved from the solution of its neighbour nearer to 0; sweeps are repeated until
those neighbours no longer change, which gives what following them one by one would give. A step
counts when Newton's second step is at most a quarter of the first and the determinant keeps its sign
(a change means a fold, or a jump to another solution). One that does not is walked in shorter steps.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from engine.newton_runs import NewtonRuns

CLOSE_START = 0.25
"""Largest contraction of a step that counts as following the solution."""

SAME_START = 1e-6
"""A run whose start moves by no more than this share of the states need not be repeated."""

STEP_SHARES = 0.5 ** np.arange(16)
"""Shares of the rest of the way that are tried together when a step is walked."""

MOST_STEPS = 64
"""Steps walked to one amplitude at most."""

MOST_SWEEPS = 64

_Solve = Callable[[np.ndarray, np.ndarray], NewtonRuns]


class Followed(NamedTuple):
    """Solutions followed from ϱ = 0.

    - `states`: zero where the solution was lost.
    - `reached`: whether the solution was followed to this amplitude.
    """

    states: Float[np.ndarray, "runs places d"]
    reached: Bool[np.ndarray, " runs"]


def followed(
    solve: _Solve, amplitudes: Float[np.ndarray, " runs"], slope: Float[np.ndarray, "places d"]
) -> Followed:
    r"""Follow the solution that is 0 at ϱ = 0 to every amplitude.

    **Arguments:**

    - `solve`: Newton's method at many amplitudes from given starts.
    - `amplitudes`: ϱ, any order and sign.
    - `slope`: derivative of the solution at ϱ = 0, for the first guess.

    **Returns:** the solutions, in the order of `amplitudes`.

    Reference: Deuflhard, Newton Methods for Nonlinear Problems, §5.1 (contraction tests in continuation).
    """
    path = np.unique(np.append(amplitudes, 0.0))
    guess = solve(path, path[:, None, None] * slope)
    orientation = guess.orientation[path == 0]
    states = np.where(guess.settled[:, None, None], guess.states, path[:, None, None] * slope)
    reached = path == 0

    def counting(runs: NewtonRuns) -> np.ndarray:
        return runs.settled & (runs.contraction <= CLOSE_START) & (runs.orientation == orientation)

    for outwards in (1, -1):
        walking = True
        while walking:
            states, reached = _swept(solve, counting, path, states, reached)
            edge = np.flatnonzero(reached)[-1 if outwards == 1 else 0]
            lost = edge + outwards
            walking = 0 <= lost < len(path)
            if walking:
                walked = _walked(solve, counting, (float(path[edge]), float(path[lost])), states[edge])
                walking = walked is not None
                if walked is not None:
                    states[lost], reached[lost] = walked, True
    place = np.searchsorted(path, amplitudes)
    kept = reached[place]
    return Followed(np.where(kept[:, None, None], states[place], 0.0), kept)


def _swept(
    solve: _Solve,
    counting: Callable[[NewtonRuns], np.ndarray],
    path: np.ndarray,
    states: np.ndarray,
    reached: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Solve from the neighbours until both sides are reached, or stuck at a step that does not count."""
    nearer = np.arange(len(path)) - np.sign(path).astype(int)
    for _ in range(MOST_SWEEPS):
        if reached.all():
            break
        starts = states[nearer]
        runs = solve(path, starts)
        moved = np.where(
            reached[:, None, None], states, np.where(runs.settled[:, None, None], runs.states, starts)
        )
        change = np.abs(moved[nearer] - starts).max(axis=(1, 2))
        fresh = change <= SAME_START * (1 + np.abs(starts).max(axis=(1, 2)))
        good = reached | (counting(runs) & fresh)
        states, reached, stuck = moved, *_outwards(path, good, fresh)
        if stuck:
            break
    return states, reached


def _outwards(path: np.ndarray, good: np.ndarray, fresh: np.ndarray) -> tuple[np.ndarray, bool]:
    """Mark the unbroken steps on both sides; say whether another sweep would not change what breaks them."""
    zero = int(np.searchsorted(path, 0.0))
    reached, stuck = path == 0, True
    for side in (np.arange(zero + 1, len(path)), np.arange(zero - 1, -1, -1)):
        reached[side] = unbroken = np.logical_and.accumulate(good[side])
        if not unbroken.all():
            stuck &= bool(fresh[side[np.argmin(unbroken)]])
    return reached, stuck


def _walked(
    solve: _Solve,
    counting: Callable[[NewtonRuns], np.ndarray],
    ends: tuple[float, float],
    states: np.ndarray,
) -> np.ndarray | None:
    """Walk from one amplitude to another by the longest step below which all steps count; None when lost."""
    here, there = ends
    for _ in range(MOST_STEPS):
        tried = here + (there - here) * STEP_SHARES
        runs = solve(tried, np.repeat(states[None], len(tried), axis=0))
        good = np.logical_and.accumulate(counting(runs)[::-1])[::-1]
        if not good.any():
            return None
        longest = int(np.argmax(good))
        here, states = tried[longest], runs.states[longest]
        if longest == 0:
            return states
    return None
