"""The gate amplitudes of both signs at which the closed loop first loses its dichotomy: exact classes."""

from typing import NamedTuple

import numpy as np

from engine.closed_loop import closed_spectrum as closed_spectrum
from engine.closed_loop import multipliers_at as multipliers_at
from engine.closed_loop import multipliers_over
from engine.crossing import Boundary as Boundary
from engine.crossing import Crossing as Crossing
from engine.crossing import Kind, summarised
from engine.crossing import margins as margins
from engine.dichotomy import SAME_MODULUS
from engine.gate_search import SEARCHED_TO, search
from engine.hold import Loop
from engine.pencil import amplitude_unit, pair_pencil, pair_size, sign_pencil
from engine.real_roots import Roots, real_roots
from engine.topology import SELF, Phases, is_real

LARGEST_PAIR_PENCIL = 50
LARGEST_SIGN_PENCIL = 100

ON_CIRCLE = 1e-7
"""Accepted log modulus of a multiplier; it is 1e-9 or better unless multipliers nearly coincide."""

ON_BLURRED_CIRCLE = 1e-2
"""The same at a multiple root, where multipliers may be defective."""

SAME_ANGLE = 1e-6

SIGNS: tuple[tuple[float, Kind], ...] = ((1.0, "+1"), (-1.0, "-1"))


class _Found(NamedTuple):
    crossings: list[Crossing]
    searched: bool
    always_on_circle: bool


def boundary(loop: Loop, phases: Phases = SELF) -> Boundary:
    r"""Find the amplitudes at which $|\mu| = 1$ for a multiplier of $\prod_i (F_i + \varrho\,G_i)$.

    Real eigenvalues of matrix pencils (`engine.pencil`) give all crossings; a loop too wide or too
    long for the pair pencil, or with a singular one, is scanned for complex crossings instead.

    **Arguments:**

    - `loop`: closed maps of a tied or periodic stack, from `engine.hold.held_loop`.
    - `phases`: independent loops, from `engine.topology.phases`.

    **Returns:** the `Boundary`. An open loop with a multiplier on the circle (within 1e-8 per
    layer) has no dichotomy: both sides are 0, and later crossings are still listed.

    Reference: Hinrichsen & Pritchard, Mathematical Systems Theory I, §5 (stability radii).
    """
    at_rest = _open_crossing(loop)
    if not np.any(loop.injections):
        return summarised([] if at_rest is None else [at_rest], None, at_rest)
    unit = amplitude_unit(loop)
    found = [_crossings_of(_in_units(loop, unit), phase) for phase, _ in phases]
    if any(part.always_on_circle for part in found) and at_rest is not None:
        return summarised([at_rest], None, at_rest)
    searched = any(part.searched for part in found)
    crossings = [
        Crossing(unit * crossing.value, crossing.kind) for part in found for crossing in part.crossings
    ]
    return summarised(crossings, unit * SEARCHED_TO if searched else None, at_rest)


def _open_crossing(loop: Loop) -> Crossing | None:
    found = multipliers_at(loop, 0.0)
    per_layer = np.abs(np.expm1(found.log_modulus / (loop.maps * loop.layers_per_map)))
    nearest = int(np.argmin(per_layer))
    if per_layer[nearest] > SAME_MODULUS:
        return None
    return Crossing(0.0, _kind(np.exp(1j * found.phase[nearest])))


def _in_units(loop: Loop, unit: float) -> Loop:
    """Count the amplitude in `unit`."""
    layers = None if loop.layers is None else _in_units(loop.layers, unit)
    return loop._replace(injections=unit * loop.injections, layers=layers)


def _crossings_of(loop: Loop, phase: float) -> _Found:
    crossings: list[Crossing] = []
    real = is_real(phase)
    small = loop.maps * loop.width <= LARGEST_SIGN_PENCIL
    for sign, kind in SIGNS if real and small else ():
        roots = real_roots(sign_pencil(loop, sign, phase))
        if roots is None:
            return _Found([], False, True)
        sure = ~roots.blurred
        if not sure.all():
            sure |= _on_circle(loop, phase, roots)[0]
        crossings += [Crossing(root, kind) for root in roots.value[sure].tolist()]
    pairs = None
    if pair_size(loop, phase) <= LARGEST_PAIR_PENCIL:
        pairs = real_roots(pair_pencil(loop, phase))
    if pairs is None:
        found = search(loop, phase)
        return _Found(
            crossings + _labelled(loop, phase, Roots(found, np.zeros(found.size, bool))), True, False
        )
    return _Found(crossings + _labelled(loop, phase, pairs), False, False)


def _labelled(loop: Loop, phase: float, roots: Roots) -> list[Crossing]:
    """Keep the candidates with a multiplier on the circle and say which."""
    if roots.value.size == 0:
        return []
    kept, direction = _on_circle(loop, phase, roots)
    return [
        Crossing(float(root), _kind(where))
        for root, where in zip(roots.value[kept], direction[kept], strict=True)
    ]


def _on_circle(loop: Loop, phase: float, roots: Roots) -> tuple[np.ndarray, np.ndarray]:
    log_modulus, direction = multipliers_over(loop, roots.value, phase)
    distance = np.abs(log_modulus)
    nearest = np.argmin(distance, axis=1)[:, None]
    limit = np.where(roots.blurred, ON_BLURRED_CIRCLE, ON_CIRCLE)
    return distance.min(axis=1) <= limit, np.take_along_axis(direction, nearest, axis=1)[:, 0]


def _kind(direction: complex) -> Kind:
    if abs(direction - 1) <= SAME_ANGLE:
        return "+1"
    return "-1" if abs(direction + 1) <= SAME_ANGLE else "complex"
