r"""Gate limit of a tied stack whose summary is refreshed ever more rarely, $L_r \to \infty$.

With $K = -\varrho A^{-1}W$ the hold map is $\Phi + (I-\Phi)K$. As $\Phi P_- \to 0$ and $\Phi P_+ \to \infty$,
the multipliers that stay finite obey $\det(K - P_+ - \mu P_-) = 0$. On the unit circle
$(P_+ + \mu P_-)^{-1} = P_+ + \bar\mu P_-$, so $1/\varrho$ is a real eigenvalue of $S_+ + \bar\mu S_-$,
$S_\pm$ of the size of the rank of W.
"""

import math

import numpy as np
import scipy.linalg
from jaxtyping import Float

from engine.crossing import Boundary, Crossing, Kind, summarised
from engine.dichotomy import SAME_MODULUS
from engine.projector import persistent_projector
from engine.real_roots import real_roots
from engine.topology import SELF, Phases, is_real

NEGLIGIBLE = 1e-13
"""Relative size below which a singular value of W counts as zero."""

ON_CIRCLE = 1e-6
"""Accepted distance of a multiplier's modulus from 1."""

SAME_ANGLE = 1e-6

FARTHEST = 1e-7
"""Smallest 1/|ϱ| that counts as a crossing, relative to the largest there could be."""

LARGEST_PAIRS = 50
"""Largest pair pencil; wider injections of a saddle are left open."""


def static_limit(
    factor: Float[np.ndarray, "d d"], injection: Float[np.ndarray, "d d"], phases: Phases = SELF
) -> Boundary | None:
    r"""Find the limit of both signs as $L_r \to \infty$.

    Without growth it is the static gain, $|\varrho|\,\mathrm{spr}(A^{-1}W) = 1$, on both sides. With
    growth, the multipliers that leave for infinity count as outside.

    **Arguments:**

    - `factor`: the one layer map B = I + A.
    - `injection`: W = Dψ.
    - `phases`: independent loops, from `engine.topology.phases`.

    **Returns:** the `Boundary`, complete; None when the open loop has a multiplier on the circle (every
    limit is 0), or when some but not all directions grow and W is too wide to tell.

    Reference: theory/cocycle.md E.
    """
    moduli = np.abs(np.linalg.eigvals(factor))
    if np.abs(moduli - 1).min() <= SAME_MODULUS:
        return None
    left, sizes, right = np.linalg.svd(injection)
    rank = int((sizes > NEGLIGIBLE * sizes[0]).sum()) if sizes[0] > 0 else 0
    if rank == 0:
        return summarised([], None, None)
    reach = -np.linalg.solve(factor - np.eye(len(factor)), left[:, :rank] * sizes[:rank])
    projector = persistent_projector(factor)
    growing = right[:rank] @ projector @ reach
    decaying = right[:rank] @ reach - growing
    unit = float(np.linalg.norm(growing) + np.linalg.norm(decaying))
    if unit == 0:
        return summarised([], None, None)
    pencils = [_lifted(growing / unit, decaying / unit, phase) for phase, _ in phases]
    persistent = int((moduli > 1).sum())
    crossings: list[Crossing] = []
    for (phase, _), (grow, decay) in zip(phases, pencils, strict=True):
        if persistent == 0:
            crossings += _of_gain(decay)
        elif persistent == len(factor):
            crossings += _signed(grow, decay, 1.0) if is_real(phase) else []
        else:
            found = _of_saddle(grow, decay, real=is_real(phase))
            if found is None:
                return None
            crossings += found
    near = [crossing for crossing in crossings if abs(crossing.value) <= 1 / FARTHEST]
    return summarised([Crossing(each.value / unit, each.kind) for each in near], None, None)


def _lifted(grow: np.ndarray, decay: np.ndarray, phase: float) -> tuple[np.ndarray, np.ndarray]:
    """Multiply both parts by e^{iφ}, in real numbers."""
    if is_real(phase):
        return math.cos(phase) * grow, math.cos(phase) * decay
    turn = np.array([[math.cos(phase), -math.sin(phase)], [math.sin(phase), math.cos(phase)]])
    return np.kron(turn, grow), np.kron(turn, decay)


def _of_gain(decay: np.ndarray) -> list[Crossing]:
    """Multipliers are ϱ times eigenvalues: each meets the circle at plus and minus one over its modulus."""
    values = np.linalg.eigvals(decay)
    values = values[np.abs(values) > FARTHEST]
    return [
        Crossing(float(sign / abs(value)), _kind(complex(sign * value / abs(value))))
        for value in values
        for sign in (-1.0, 1.0)
    ]


def _of_saddle(grow: np.ndarray, decay: np.ndarray, *, real: bool) -> list[Crossing] | None:
    size = len(grow)
    if size * (size - 1) // 2 > LARGEST_PAIRS:
        return None
    signed = [*_signed(grow, decay, 1.0), *_signed(grow, decay, -1.0)] if real else []
    return signed + (_paired(grow, decay) if size > 1 else [])


def _signed(grow: np.ndarray, decay: np.ndarray, sign: float) -> list[Crossing]:
    """Crossings at which a multiplier is ±1."""
    kind: Kind = "+1" if sign > 0 else "-1"
    return [Crossing(1 / root, kind) for root in _roots([grow + sign * decay, -np.eye(len(grow))])]


def _paired(grow: np.ndarray, decay: np.ndarray) -> list[Crossing]:
    """Crossings at which two multipliers lie on the circle, conjugate to each other."""
    basis = _antisymmetric_basis(len(grow))

    def acting(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        image = left @ basis @ right.T
        return image.reshape(len(basis), -1) @ basis.reshape(len(basis), -1).T

    constant = acting(grow, grow) - acting(decay, decay)
    linear = -acting(grow, np.eye(len(grow))) - acting(np.eye(len(grow)), grow)
    found = []
    for root in _roots([constant.T, linear.T, np.eye(len(basis))]):
        values = scipy.linalg.eigvals(decay, root * np.eye(len(grow)) - grow)
        nearest = values[np.argmin(np.abs(np.abs(values) - 1))]
        if abs(abs(nearest) - 1) <= ON_CIRCLE:
            found.append(Crossing(1 / root, _kind(complex(nearest))))
    return found


def _roots(coefficients: list[np.ndarray]) -> list[float]:
    """Real 1/ϱ at which a pencil is singular, away from 0."""
    roots = real_roots(np.stack(coefficients))
    return [] if roots is None else [float(root) for root in roots.value if abs(root) > FARTHEST]


def _antisymmetric_basis(width: int) -> np.ndarray:
    rows, columns = np.triu_indices(width, 1)
    basis = np.zeros((len(rows), width, width))
    basis[np.arange(len(rows)), rows, columns] = math.sqrt(0.5)
    return basis - np.swapaxes(basis, 1, 2)


def _kind(multiplier: complex) -> Kind:
    if abs(multiplier - 1) <= SAME_ANGLE:
        return "+1"
    return "-1" if abs(multiplier + 1) <= SAME_ANGLE else "complex"
