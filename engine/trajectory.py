r"""The distinguished trajectory $u^*_\varrho$: the bounded state that a gated stack settles on.

$u(\ell+1) = B(\ell)u(\ell) + \varrho\,\psi(\hat u(\ell))$, with $\hat u$ the state at the last refresh.
It is 0 at ϱ = 0 and followed from there. A tied or periodic stack has a periodic one on all of ℤ, a
window the solution of its two-point problem.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from engine.continuation import followed
from engine.cyclic_orbit import orbit_newton
from engine.green import green_norm, response
from engine.newton_runs import NewtonRuns
from engine.self_loop import SelfLoop, checked, orbit_maps
from engine.two_point import window_newton
from engine.window_ends import boundary_affected

STEPS = 31
"""Amplitudes passed on the way to a single one: with 0 they fill one batch."""


class Trajectories(NamedTuple):
    r"""$u^*_\varrho$ at many amplitudes.

    **Fields:**

    - `amplitudes`: ϱ.
    - `converged`: whether $u^*$ was followed from ϱ = 0 to here.
    - `states`: $u^*(\ell)$ at the depths 0 … L, state units; zero where not converged. On a repeated
      stack L is one closed period (lcm of period and L_r; 1 when tied) and the last depth is the first.
    - `displacement`: $d_+ = \sup_\ell \|P_+ u^*\|$ over the layers not affected by an end (all of them when
      there are no others); NaN where not converged.
    - `size`: $\sup_\ell \|u^*\|$; NaN where not converged.
    - `affected`: depths that belong to an end of the window.
    """

    amplitudes: Float[np.ndarray, " runs"]
    converged: Bool[np.ndarray, " runs"]
    states: Float[np.ndarray, "runs depths d"]
    displacement: Float[np.ndarray, " runs"]
    size: Float[np.ndarray, " runs"]
    affected: Bool[np.ndarray, " depths"]


class Trajectory(NamedTuple):
    r"""$u^*_\varrho$ at one amplitude, as reported.

    **Fields:**

    - `status`: `converged`, or `failed` when the solution was lost on the way from ϱ = 0.
    - `states`: as in `Trajectories`; None when failed.
    - `displacement`, `size`: as in `Trajectories`; None when failed.
    - `slope`: derivative of the displacement at ϱ = 0+, $\sup_\ell \|P_+ G[\psi(0)]\|$, state units.
    - `contraction`: $|\varrho|\,L_\psi\,g$ with g from `engine.green.green_norm`; below 1 it proves that
      $u^*$ exists and is unique.
    - `affected`: depths that belong to an end of the window.
    """

    status: Literal["converged", "failed"]
    states: Float[np.ndarray, "depths d"] | None
    displacement: float | None
    slope: float
    size: float | None
    contraction: float
    affected: Bool[np.ndarray, " depths"]


def trajectories(loop: SelfLoop, amplitudes: Float[np.ndarray, " runs"]) -> Trajectories:
    r"""Compute $u^*_\varrho$ at many amplitudes.

    With ψ(0) = 0 it is 0. A linear ψ is solved at every amplitude at once; $u^*$ may then exist beyond
    a pole. For tanh, $u^*$ is followed from ϱ = 0 (`engine.continuation`) and lost at a fold.

    **Arguments:**

    - `loop`: the gated stack.
    - `amplitudes`: ϱ, any order and sign.

    **Returns:** the `Trajectories`.

    **Raises:** `ValueError` for a missing splitting, one over other layers, or L_r < 1.
    """
    checked(loop)
    if not np.any(_at_rest(loop)):
        states = np.zeros((len(amplitudes), *_slope(loop).shape))
        converged = np.ones(len(amplitudes), dtype=bool)
    elif loop.injection.saturating:
        path = followed(_solver(loop), amplitudes, _slope(loop))
        converged, states = path.reached, path.states
    else:
        runs = _solver(loop)(amplitudes, np.zeros((len(amplitudes), *_slope(loop).shape)))
        converged = runs.settled
        states = np.where(converged[:, None, None], runs.states, 0.0)
    states = _every_layer(loop, np.where(converged, amplitudes, 0.0), states)
    affected = _affected(loop, states.shape[1])
    blank = np.where(converged, 0.0, np.nan)
    return Trajectories(
        amplitudes=amplitudes,
        converged=converged,
        states=states,
        displacement=_displacements(loop, states, affected) + blank,
        size=_lengths(states).max(axis=1) + blank,
        affected=affected,
    )


def trajectory(loop: SelfLoop, amplitude: float) -> Trajectory:
    r"""Compute $u^*_\varrho$ at one amplitude, with its slope at 0 and the contraction number.

    **Arguments:**

    - `loop`: the gated stack.
    - `amplitude`: ϱ.

    **Returns:** the `Trajectory`.

    **Raises:** as `trajectories`.
    """
    steps = STEPS if loop.injection.saturating else 1
    found = trajectories(loop, amplitude * np.arange(1, steps + 1) / steps)
    converged = bool(found.converged[-1])
    norm = green_norm(loop.splitting, loop.dichotomy)
    reach = abs(amplitude) * loop.injection.lipschitz
    return Trajectory(
        status="converged" if converged else "failed",
        states=found.states[-1] if converged else None,
        displacement=float(found.displacement[-1]) if converged else None,
        slope=displacement_slope(loop),
        size=float(found.size[-1]) if converged else None,
        contraction=reach * norm if reach > 0 else 0.0,
        affected=found.affected,
    )


def displacement_slope(loop: SelfLoop) -> float:
    r"""Derivative of the displacement at ϱ = 0+, $\sup_\ell \|P_+(\ell)\,G[\psi(0)](\ell)\|$, state units.

    **Arguments:**

    - `loop`: the gated stack.

    **Returns:** the slope, over the layers not affected by an end; it does not depend on L_r.

    **Raises:** as `trajectories`.
    """
    checked(loop)
    states = response(loop.splitting, _at_rest(loop))
    affected = _affected(loop, len(states))
    return float(_displacements(loop, states[None], affected)[0])


def _solver(loop: SelfLoop) -> Callable[[np.ndarray, np.ndarray], NewtonRuns]:
    """Newton's method for this loop: all states of a window, the refreshed states of a repeated stack."""
    if not loop.splitting.periodic:
        return lambda amplitudes, starts: window_newton(
            loop.factors, loop.splitting, loop.injection, loop.refresh_period, amplitudes, starts
        )
    maps = orbit_maps(loop)
    return lambda amplitudes, starts: orbit_newton(maps, loop.injection, amplitudes, starts)


def _slope(loop: SelfLoop) -> np.ndarray:
    """Derivative at ϱ = 0 of what the solver solves for."""
    states = response(loop.splitting, _at_rest(loop))
    if not loop.splitting.periodic:
        return states
    return states[np.arange(0, loop.closed_period, loop.held_for) % len(loop.factors)]


def _at_rest(loop: SelfLoop) -> np.ndarray:
    """Return ψ(0) at every layer."""
    width = loop.factors.shape[1]
    return np.broadcast_to(loop.injection.value(np.zeros(width)), (len(loop.factors), width))


def _every_layer(loop: SelfLoop, amplitudes: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Fill in the layers between refreshes of a repeated stack, by the Green operator: nothing grows."""
    if not loop.splitting.periodic:
        return states
    if loop.held_for == 1:
        return np.concatenate([states, states[:, :1]], axis=1)
    added = amplitudes[:, None, None] * loop.injection.value(states)
    return response(loop.splitting, np.repeat(added, loop.held_for, axis=1))


def _affected(loop: SelfLoop, depths: int) -> np.ndarray:
    if loop.splitting.periodic:
        return np.zeros(depths, dtype=bool)
    return boundary_affected(depths - 1, loop.dichotomy)


def _displacements(loop: SelfLoop, states: np.ndarray, affected: np.ndarray) -> np.ndarray:
    """Largest persistent part of each run, in the orthonormal basis of the growing directions."""
    reading = loop.splitting.read_unstable
    depths = np.arange(states.shape[1])
    depths = depths % len(loop.factors) if loop.splitting.periodic else depths
    parts = _lengths((reading[depths] @ states[..., None])[..., 0])
    return (parts if affected.all() else parts[:, ~affected]).max(axis=1)


def _lengths(states: np.ndarray) -> np.ndarray:
    """Length of every state; no square overflows on the way, however large a state is."""
    return np.hypot.reduce(states, axis=-1)
