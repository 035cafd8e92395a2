r"""Gate boundary of a saturating injection: multipliers of $D\psi(u^*_\varrho)$ along the followed $u^*$.

The branch of periodic orbits through u = 0, ϱ = 0 is followed by arclength, past folds: there a
multiplier is 1 and ϱ turns back. $D\psi(0)$ in place of $D\psi(u^*)$ would be wrong on both sides.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from engine.closed_loop import multipliers_at, multipliers_over
from engine.crossing import Boundary, Crossing, Kind, summarised
from engine.dichotomy import SAME_MODULUS
from engine.gate import boundary
from engine.hold import Loop, held_loop
from engine.monodromy import Multipliers
from engine.orbit_branch import Orbits, Point, advanced, between, orbits_of, rest
from engine.pencil import amplitude_unit
from engine.self_loop import SelfLoop, checked, linearised, orbit_maps
from engine.topology import SELF, Phases

SEARCHED_TO = 30.0
"""Largest |ϱ| followed, in units of (1 + ‖F‖)/‖ΓW‖."""

LARGEST_ORBIT = 512
"""Largest number of unknowns (maps · d) of an orbit that is followed."""

MOST_STEPS = 2000
LARGEST_LOG = 50.0

SAME_ANGLE = 1e-6
SHARE_TOLERANCE = 1e-13


class _Side(NamedTuple):
    """Crossings met on one side, and the largest |ϱ| followed (inf when the branch turned back)."""

    crossings: list[Crossing]
    searched_to: float


def trajectory_boundary(loop: SelfLoop, phases: Phases = SELF) -> Boundary | None:
    r"""Find the amplitudes at which a multiplier of $B + \varrho D\psi(u^*_\varrho)$ reaches modulus 1.

    Between two points of the branch with different numbers of multipliers outside the unit circle,
    the sorted log modulus that changes sign is solved for. Crossings that undo each other within a
    step are missed. A fold is a crossing "+1", and ends the search on its side. A linear ψ does not
    need $u^*$, without a bias $u^* = 0$: the boundary is then that of `engine.gate`.

    **Arguments:**

    - `loop`: a tied or periodic stack that reads its own summary.
    - `phases`: independent loops about the common trajectory of all blocks, from `engine.topology.phases`.

    **Returns:** the `Boundary`, status `searched`: `searched_to` is the largest |ϱ| followed on both sides
    (sides that end at a fold aside). None when the orbit is too large to follow (maps · d above 512).

    **Raises:** `ValueError` for a window, a missing splitting, or L_r < 1.

    Reference: Kuznetsov, Elements of Applied Bifurcation Theory, §10.2 (continuation of orbits).
    """
    if not checked(loop).splitting.periodic:
        raise ValueError("splitting must be that of a tied or periodic stack; got a window.")
    if not (loop.injection.saturating and np.any(loop.injection.bias)):
        return boundary(
            held_loop(loop.factors, loop.injection.matrix, loop.refresh_period, periodic=True), phases
        )
    maps = orbit_maps(loop)
    if maps.maps * maps.width > LARGEST_ORBIT:
        return None
    gates = maps.injections @ loop.injection.matrix
    open_maps = maps._replace(injections=gates)
    at_rest = _open_crossing(open_maps)
    if at_rest is not None or not np.any(gates):
        return summarised([] if at_rest is None else [at_rest], None, at_rest)
    unit = amplitude_unit(open_maps)
    orbits = orbits_of(maps._replace(injections=unit * maps.injections, layers=None), loop.injection)
    sides = [_follow(orbits, loop, phases, unit, sign) for sign in (-1.0, 1.0)]
    crossings = [crossing for side in sides for crossing in side.crossings]
    open_sides = [side.searched_to for side in sides if math.isfinite(side.searched_to)]
    folds = [abs(crossing.value) for crossing in crossings]
    return summarised(crossings, min(open_sides) if open_sides else max(folds, default=0.0), None)


def _follow(orbits: Orbits, loop: SelfLoop, phases: Phases, unit: float, sign: float) -> _Side:
    """Follow one side until the branch turns back, is lost, or has gone far enough."""

    def closed(point: Point) -> Multipliers:
        states = np.repeat(orbits.states(point), loop.held_for, axis=0)
        tangent = linearised(loop, np.concatenate([states, states[:1]]))
        return _multipliers(tangent, unit * orbits.amplitude(point), phases)

    point, crossings = rest(orbits, sign), []
    log_modulus = _ranked(closed(point))
    for _ in range(MOST_STEPS):
        following = advanced(orbits, point)
        if following is None:
            break
        there = _ranked(closed(following))
        for index in np.flatnonzero((log_modulus > 0) != (there > 0)):
            found = _solved(orbits, closed, point, following, int(index))
            crossings.append(_crossing(closed(found), int(index), unit * orbits.amplitude(found)))
        gone = sign * (orbits.amplitude(following) - orbits.amplitude(point))
        if gone <= 0:
            return _Side(crossings, np.inf)
        point, log_modulus = following, there
        if sign * orbits.amplitude(point) >= SEARCHED_TO:
            break
    return _Side(crossings, unit * abs(orbits.amplitude(point)))


def _solved(
    orbits: Orbits, closed: Callable[[Point], Multipliers], first: Point, second: Point, index: int
) -> Point:
    """Solve for the sorted log modulus of an index to vanish between two points."""

    def height(share: float) -> float:
        return float(_ranked(closed(between(orbits, first, second, share)))[index])

    if height(0.0) * height(1.0) > 0:
        return second
    return between(orbits, first, second, float(brentq(height, 0.0, 1.0, xtol=SHARE_TOLERANCE)))  # type: ignore[arg-type]


def _multipliers(tangent: Loop, amplitude: float, phases: Phases) -> Multipliers:
    """Multipliers near the circle of all phases, largest first."""
    parts = [multipliers_over(tangent, np.array([amplitude]), phase) for phase, _ in phases]
    log_modulus, direction = (np.concatenate([part[kind][0] for part in parts]) for kind in (0, 1))
    order = np.argsort(-log_modulus, kind="stable")
    return Multipliers(log_modulus[order], np.angle(direction[order]))


def _ranked(found: Multipliers) -> np.ndarray:
    """Log moduli, largest first, bounded; zero counts as on the inside."""
    return np.clip(found.log_modulus, -LARGEST_LOG, LARGEST_LOG)


def _open_crossing(maps: Loop) -> Crossing | None:
    """Crossing at ϱ = 0 of an open loop with a multiplier on the circle."""
    found = multipliers_at(maps, 0.0)
    per_layer = np.abs(np.expm1(found.log_modulus / (maps.maps * maps.layers_per_map)))
    nearest = int(np.argmin(per_layer))
    return None if per_layer[nearest] > SAME_MODULUS else _crossing(found, nearest, 0.0)


def _crossing(found: Multipliers, index: int, amplitude: float) -> Crossing:
    """Label a crossing by the multiplier that crosses."""
    direction = np.exp(1j * found.phase[index])
    kind: Kind = "complex"
    if abs(direction - 1) <= SAME_ANGLE:
        kind = "+1"
    elif abs(direction + 1) <= SAME_ANGLE:
        kind = "-1"
    return Crossing(amplitude, kind)
