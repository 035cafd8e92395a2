r"""Phase margin of a sampled loop: how far the injection may be turned before a multiplier meets the circle.

For an injection of rank one, $W = b c^T$, the loop is single-input, single-output with the gain
$g(z) = c^T(z - F)^{-1}b$, z per map. A multiplier is z where $\varrho\,e^{i\varphi} g(z) = 1$.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from engine.hold import Loop

RANK_ONE = 1e-10
"""Second singular value of an injection, relative to the first, up to which its rank is one."""

NEAR_CIRCLE = 1e-6
"""Distance from the unit circle within which an eigenvalue of the pencil is taken to lie on it."""

POLISHING_STEPS = 8


class PhaseMargin(NamedTuple):
    r"""Smallest turn, and where it happens.

    **Fields:**

    - `angle`: φ in radians, 0 … π; inf when the gain never reaches 1.
    - `frequency`: angle of the multiplier that then meets the circle, radians per map, 0 … π; or None.
    """

    angle: float
    frequency: float | None


def phase_margin(loop: Loop, amplitude: float) -> PhaseMargin | None:
    r"""Find the smallest |φ| for which $F + \varrho\,e^{i\varphi}W$ has a multiplier on the unit circle.

    The frequencies of unit gain are the unimodular eigenvalues of a symplectic pencil: all of them, no grid.

    **Arguments:**

    - `loop`: the closed map of a tied stack, from `engine.hold.held_loop`.
    - `amplitude`: ϱ.

    **Returns:** the `PhaseMargin`; None unless there is one map and its injection has rank one.

    Reference: Åström & Wittenmark, Computer-Controlled Systems, 3rd ed., §3.5.
    """
    if loop.maps != 1 or loop.frames is not None:
        return None
    left, sizes, right = np.linalg.svd(amplitude * loop.injections[0])
    if sizes[0] == 0:
        return PhaseMargin(np.inf, None)
    if loop.width > 1 and sizes[1] > RANK_ONE * sizes[0]:
        return None
    scale = np.sqrt(sizes[0])
    entry, reading = scale * left[:, 0], scale * right[0]
    angles = _unit_gain_angles(loop.factors[0], entry, reading)
    if angles.size == 0:
        return PhaseMargin(np.inf, None)
    turns = np.abs(np.angle(_gains(loop.factors[0], entry, reading, angles)))
    least = int(np.argmin(turns))
    return PhaseMargin(float(turns[least]), float(angles[least]))


def _unit_gain_angles(factor: np.ndarray, entry: np.ndarray, reading: np.ndarray) -> np.ndarray:
    """Frequencies in [0, π] at which the gain has modulus 1."""
    width = len(factor)
    identity, zero = np.eye(width), np.zeros((width, width))
    before = np.block([[factor, np.outer(entry, entry)], [zero, identity]])
    after = np.block([[identity, zero], [np.outer(reading, reading), factor.T]])
    solution: Any = scipy.linalg.eig(before, after, right=False, homogeneous_eigvals=True)
    alpha, beta = solution
    size = np.hypot(np.abs(alpha), np.abs(beta))
    near = np.abs(np.abs(alpha) - np.abs(beta)) <= NEAR_CIRCLE * size
    angles = np.unique(np.abs(np.angle(alpha[near] * beta[near].conj())))
    return _polished(factor, entry, reading, angles)


def _polished(factor: np.ndarray, entry: np.ndarray, reading: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Newton steps on ln|g| = 0; an angle that does not settle stays as it was found."""
    found = angles
    for _ in range(POLISHING_STEPS):
        z = np.exp(1j * found)
        inner = np.linalg.solve(z[:, None, None] * np.eye(len(factor)) - factor, entry[:, None])[..., 0]
        outer = np.linalg.solve(z[:, None, None] * np.eye(len(factor)) - factor.T, reading[:, None])[..., 0]
        gain = inner @ reading
        slope = np.real(-1j * z * (outer * inner).sum(axis=1) / gain)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.log(np.abs(gain)) / slope
        found = np.where(np.abs(step) <= NEAR_CIRCLE, found - step, found)
    return np.clip(found, 0.0, np.pi)


def _gains(factor: np.ndarray, entry: np.ndarray, reading: np.ndarray, angles: np.ndarray) -> np.ndarray:
    resolvents = np.exp(1j * angles)[:, None, None] * np.eye(len(factor)) - factor
    return np.linalg.solve(resolvents, entry[:, None])[..., 0] @ reading
