"""Multipliers of the closed loop at given gate amplitudes."""

import math

import numpy as np
from jaxtyping import Complex, Float

from engine.dichotomy import Spectrum, spectrum_of_moduli
from engine.hold import Loop
from engine.monodromy import Multipliers, multipliers
from engine.topology import SELF, Phases, is_real, phase_loop

LOST_DIGITS = math.log(1e-13)
"""A multiplier this far below the norm of a plain product is round-off."""

NEGLIGIBLE = math.log(1e-4)
"""Round-off this small cannot move a multiplier to the circle."""


def multipliers_at(loop: Loop, amplitude: float, phases: Phases = SELF) -> Multipliers:
    r"""Multipliers of one closed period, $F_{q-1}(\varrho) \cdots F_0(\varrho)$, over all phases.

    **Arguments:**

    - `loop`: closed maps, period q.
    - `amplitude`: gate amplitude ϱ.
    - `phases`: independent loops, from `engine.topology.phases`.

    **Returns:** natural-log moduli (−inf for zero) and angles, largest first, d per block of the
    topology. Products are never formed: small multipliers are as accurate as large ones.
    """
    parts = [_of_phase(loop, amplitude, phase) for phase, _ in phases]
    log_modulus = np.concatenate([part.log_modulus for part in parts])
    angle = np.concatenate([part.phase for part in parts])
    order = np.argsort(-log_modulus, kind="stable")
    return Multipliers(log_modulus[order], angle[order])


def closed_spectrum(loop: Loop, amplitude: float, phases: Phases = SELF) -> Spectrum:
    r"""Dichotomy spectrum of the closed loop, exact: $|\mu|^{1/(\text{layers of a period})}$.

    **Arguments:** as `multipliers_at`.

    **Returns:** the spectrum per layer; multiplicities count all blocks of the topology.
    """
    layers = loop.maps * loop.layers_per_map
    modulus = np.exp(multipliers_at(loop, amplitude, phases).log_modulus / layers)
    return spectrum_of_moduli(modulus, method="exact-tied" if layers == 1 else "exact-periodic")


def multipliers_over(
    loop: Loop, amplitudes: Float[np.ndarray, " points"], phase: float = 0.0
) -> tuple[Float[np.ndarray, "points d"], Complex[np.ndarray, "points d"]]:
    """Multipliers at many amplitudes, for counting those outside the unit circle.

    Maps are multiplied with a running log; where round-off could reach the circle, the slower
    `multipliers_at` takes over. **Returns:** log moduli and unit-length directions.
    """
    if loop.layers is not None:
        parts = [_of_phase(loop, amplitude, phase) for amplitude in amplitudes]
        log_modulus = np.stack([_one_of_each(part.log_modulus, phase) for part in parts])
        return log_modulus, np.exp(1j * np.stack([_one_of_each(part.phase, phase) for part in parts]))
    log_modulus, direction, log_norm = _of_products(loop, amplitudes, phase)
    noise = log_norm + LOST_DIGITS
    doubtful = (noise > NEGLIGIBLE) & (log_modulus.min(axis=1) < noise)
    if loop.maps > 1:
        for point in np.flatnonzero(doubtful):
            part = _of_phase(loop, amplitudes[point], phase)
            log_modulus[point] = _one_of_each(part.log_modulus, phase)
            direction[point] = np.exp(1j * _one_of_each(part.phase, phase))
    return log_modulus, direction


def _of_phase(loop: Loop, amplitude: float, phase: float) -> Multipliers:
    real = phase_loop(loop, phase)
    source = real if real.layers is None else real.layers
    found = multipliers(source.factors + amplitude * source.injections)
    return Multipliers(found.log_modulus[: real.width], found.phase[: real.width])


def _one_of_each(values: np.ndarray, phase: float) -> np.ndarray:
    """Of the multipliers of φ and −φ, equal in modulus pair by pair, keep one."""
    return values if is_real(phase) else values[::2]


def _of_products(
    loop: Loop, amplitudes: np.ndarray, phase: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    turn = math.cos(phase) if is_real(phase) else np.exp(1j * phase)
    gates = (amplitudes * turn)[:, None, None]
    product = loop.factors[0] + gates * loop.injections[0]
    log_scale = np.zeros(len(amplitudes))
    for factor, injection in zip(loop.factors[1:], loop.injections[1:], strict=True):
        product = (factor + gates * injection) @ product
        sizes = np.abs(product).max(axis=(1, 2))
        sizes[sizes == 0] = 1.0
        product = product / sizes[:, None, None]
        log_scale += np.log(sizes)
    values = np.linalg.eigvals(product).astype(complex)
    with np.errstate(divide="ignore"):
        log_modulus = np.log(np.abs(values)) + log_scale[:, None]
        log_norm = np.log(np.linalg.norm(product, axis=(1, 2))) + log_scale
    return log_modulus, np.exp(1j * np.angle(values)), log_norm
