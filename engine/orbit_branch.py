r"""The branch of periodic orbits through rest, followed by arclength past its folds.

A step counts when Newton contracts fast, when the branch has turned little, and when the determinant of
the equation bordered by the tangent keeps its sign: it cannot change along one branch, folds included.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.continuation import CLOSE_START
from engine.hold import Loop
from engine.injection import Injection
from engine.topology import block_diagonal

STEP = 0.1
"""Longest step, relative to 1 + the size of states and amplitude."""

LEAST_COSINE = 0.9
"""Largest turn of the branch within a step."""

FIRST_STEP = 1e-3
SHORTEST_STEP = 1e-9
CLOSE_ENOUGH = 1e-10
MOST_STEPS = 8


class Orbits(NamedTuple):
    r"""The equation $E_i x_{i+1} = F_i x_i + \varrho\,\Gamma_i\psi(x_i)$ of an orbit.

    - `maps`: F, Γ and E, from `engine.self_loop.orbit_maps`.
    - `injection`: ψ.
    - `next_state`: E as one matrix that takes all states to the following ones.
    """

    maps: Loop
    injection: Injection
    next_state: Float[np.ndarray, "n n"]

    def amplitude(self, point: "Point") -> float:
        """Return ϱ at a point, in the unit of Γ."""
        return float(point.place[-1])

    def states(self, point: "Point") -> Float[np.ndarray, "maps d"]:
        """Return the refreshed states at a point."""
        return point.place[:-1].reshape(self.maps.maps, self.maps.width)


class Point(NamedTuple):
    """A point of the branch.

    - `place`: states and amplitude in one vector.
    - `tangent`: the way on, of length 1 relative to the size of the point.
    - `orientation`: sign of the determinant bordered by the tangent.
    - `step`: next step to try.
    """

    place: np.ndarray
    tangent: np.ndarray
    orientation: float
    step: float


def orbits_of(maps: Loop, injection: Injection) -> Orbits:
    """Return the equation of the orbits of a loop."""
    closing = np.eye(maps.width) if maps.frames is None else maps.frames
    each = block_diagonal(np.broadcast_to(closing, maps.factors.shape))
    return Orbits(maps, injection, np.roll(each, maps.width, axis=1))


def rest(orbits: Orbits, sign: float) -> Point:
    """Start at u = 0, ϱ = 0, towards amplitudes of the given sign (±1).

    **Raises:** `numpy.linalg.LinAlgError` when the open loop has the multiplier 1.
    """
    unknowns = orbits.maps.maps * orbits.maps.width + 1
    place, upwards = np.zeros(unknowns), np.zeros(unknowns)
    upwards[-1] = sign
    return Point(place, *_tangent(orbits, place, upwards), FIRST_STEP)


def advanced(orbits: Orbits, point: Point) -> Point | None:
    """Take one step along the branch; None when even the shortest one loses it."""
    length = point.step
    while length >= SHORTEST_STEP:
        guess = point.place + length * point.tangent
        place, contraction = _corrected(orbits, guess, point.tangent)
        if contraction <= CLOSE_START:
            tangent, orientation = _tangent(orbits, place, point.tangent)
            scale = _scale(place)
            before = point.tangent / scale
            cosine = before @ (tangent / scale) / np.linalg.norm(before)
            if cosine >= LEAST_COSINE and orientation == point.orientation:
                longer = 1.5 * length if contraction < CLOSE_START / 4 else length
                return Point(place, tangent, orientation, min(longer, STEP))
        length /= 2
    return None


def between(orbits: Orbits, first: Point, second: Point, share: float) -> Point:
    """Return the point of the branch at a share of the way from one point to the next."""
    chord = second.place - first.place
    place, contraction = _corrected(orbits, first.place + share * chord, chord)
    return first._replace(place=place if np.isfinite(contraction) else first.place + share * chord)


def _corrected(orbits: Orbits, place: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, float]:
    """Newton within the plane across a direction; the result and its first contraction, inf if lost."""
    scale = _scale(place)
    across = direction / scale**2
    across = across / np.abs(across).max()
    sizes: list[float] = []
    for _ in range(MOST_STEPS):
        missing, slopes = _equation(orbits, place)
        try:
            step = np.linalg.solve(np.vstack([slopes, across]), np.append(-missing, 0.0))
        except np.linalg.LinAlgError:
            return place, np.inf
        place = place + step
        sizes.append(float(np.abs(step / scale).max()))
        if not np.isfinite(sizes[-1]):
            return place, np.inf
        if sizes[-1] <= CLOSE_ENOUGH:
            return place, sizes[1] / sizes[0] if len(sizes) > 1 and sizes[0] > CLOSE_ENOUGH else 0.0
    return place, np.inf


def _tangent(orbits: Orbits, place: np.ndarray, towards: np.ndarray) -> tuple[np.ndarray, float]:
    """Unit direction of the branch, relative to the size of the point, and the orientation."""
    scale = _scale(place)
    _, slopes = _equation(orbits, place)
    across = towards / scale**2
    along = np.linalg.solve(np.vstack([slopes, across]), np.append(np.zeros(len(slopes)), across @ towards))
    along = along / np.linalg.norm(along / scale)
    return along, float(np.linalg.slogdet(np.vstack([slopes, along / scale**2]))[0])


def _scale(place: np.ndarray) -> np.ndarray:
    """Sizes against which steps are measured: states together, the amplitude apart."""
    scale = np.full(len(place), 1 + np.abs(place[:-1]).max())
    scale[-1] = 1 + abs(place[-1])
    return scale


def _equation(orbits: Orbits, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residual of the orbit, and its derivatives by states and amplitude."""
    maps, amplitude = orbits.maps, place[-1]
    states = place[:-1].reshape(maps.maps, maps.width)
    forced = (maps.injections @ orbits.injection.value(states)[..., None]).ravel()
    moved = (maps.factors @ states[..., None]).ravel() + amplitude * forced
    layers = maps.factors + amplitude * maps.injections @ orbits.injection.jacobian(states)
    slopes = np.column_stack([block_diagonal(layers) - orbits.next_state, forced])
    return moved - orbits.next_state @ place[:-1], slopes
