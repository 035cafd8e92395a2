r"""ℓ² radius: the smallest perturbation, complex and free to vary, that destroys the dichotomy."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse
from jaxtyping import Float
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from engine.cyclic_chain import Chain, collapsed
from engine.monodromy import multipliers
from engine.topology import cyclic_lift

GRID, NEAREST = 32, 4
"""Frequencies tried first, and multipliers whose frequencies are."""

MARGIN = 1e-12
"""The level proved free of singular values lies this far (relative) below the smallest one found."""

BACKWARD_ERROR = 32 * float(np.finfo(np.float64).eps)
"""Error of the level test, relative to 1 + ‖B‖ and per row of the lift."""

NEAR_CIRCLE = 1e-4
"""Eigenvalues this close to the circle count as on it; too many cost time, never correctness."""

LARGEST_DENSE = 96
"""Singular values of larger lifts come from a sparse factorisation and Lanczos."""


class ResolventRadius(NamedTuple):
    """Radius and the frequency that attains it.

    - `value`: lower bound of the radius, sharp to about 1e-12; 0 when the stack has no dichotomy.
    - `angle`: worst frequency θ, radians per layer, in [0, π/period].
    """

    value: float
    angle: float


def resolvent_radius(factors: Float[np.ndarray, "period d d"]) -> ResolventRadius:
    r"""Compute $1/\sup_\theta \|(e^{i\theta} - B)^{-1}\|$, the inverse ℓ² norm of the Green operator.

    The smallest singular value of $e^{i\theta} - B$ is minimised over θ: a level γ below the best
    value found is tested at *all* frequencies at once, because γ is a singular value at θ exactly
    when a symplectic pencil has the eigenvalue $e^{i\theta}$; the search goes on between those
    frequencies until a level has none. A periodic stack is treated by its cyclic lift, and its
    pencil is collapsed to twice the width. Never too large, up to the error of that test.

    **Arguments:**

    - `factors`: layers B of one period; one layer means a tied stack.

    **Returns:** the `ResolventRadius`. Cost grows like (period · d)³.

    **Raises:** `ValueError` for an empty period.

    Reference: Bruinsma & Steinbuch, Syst. Control Lett. 14 (1990) 287-293; Byers, SIAM J. Sci. Stat.
    Comput. 9 (1988) 875-881.
    """
    period = factors.shape[0]
    if period == 0:
        raise ValueError("factors must hold at least one layer; got a period of 0.")
    last = np.pi / period
    largest = float(np.linalg.norm(factors, 2, axis=(1, 2)).max())
    error = BACKWARD_ERROR * period * factors.shape[1] * (1 + largest)
    best, where = _smallest(factors, _first_angles(factors))
    while (level := best * (1 - MARGIN) - error) > 0:
        crossed = _angles_at_level(factors, level)
        ends = np.unique(np.concatenate([[0.0], crossed, [last]]))
        found, at = _smallest(factors, np.concatenate([crossed, (ends[1:] + ends[:-1]) / 2]))
        if found >= level:
            return ResolventRadius(level, where)
        best, where = found, at
    return ResolventRadius(0.0, where)


def _first_angles(factors: np.ndarray) -> np.ndarray:
    """Frequencies tried first: a grid, and those of the multipliers nearest to the circle."""
    period = len(factors)
    found = multipliers(factors)
    nearest = np.argsort(np.abs(found.log_modulus))[:NEAREST]
    grid = np.linspace(0.0, np.pi / period, max(GRID // period, 1) + 1)
    return np.concatenate([grid, np.abs(found.phase[nearest]) / period])


def _smallest(factors: np.ndarray, angles: np.ndarray) -> tuple[float, float]:
    """Least singular value of e^{iθ} − B over some frequencies, and where."""
    period, width, _ = factors.shape
    if period * width <= LARGEST_DENSE:
        lift = cyclic_lift(factors)
        values = [_least_dense(np.exp(1j * angle) * np.eye(len(lift)) - lift) for angle in angles]
    else:
        sparse = _sparse_lift(factors)
        identity = scipy.sparse.eye_array(period * width, format="csc")
        values = [_least_sparse(np.exp(1j * angle) * identity - sparse) for angle in angles]
    return min(values), float(angles[np.argmin(values)])


def _sparse_lift(factors: np.ndarray) -> scipy.sparse.csc_array:
    period, width, _ = factors.shape
    block, row, column = np.indices(factors.shape)
    places = ((block + 1) % period * width + row).ravel(), (block * width + column).ravel()
    return scipy.sparse.csc_array((factors.ravel(), places), shape=(period * width, period * width))


def _least_dense(matrix: np.ndarray) -> float:
    return float(np.linalg.svd(matrix, compute_uv=False)[-1])


def _least_sparse(matrix: Any) -> float:
    """Least singular value by Lanczos on the inverse; 0 for a singular matrix."""
    size = matrix.shape[0]
    try:
        factored = splu(matrix)
    except RuntimeError:
        return 0.0
    inverse: Any = _Inverse(factored.solve, size)
    start = np.random.default_rng(size).standard_normal(size).astype(complex)
    largest: Any = eigsh(inverse, k=1, v0=start, return_eigenvectors=False)
    return float(1 / np.sqrt(np.abs(largest[0])))


class _Inverse(LinearOperator):
    """The inverse of T T*, from a factorisation of T."""

    def __init__(self, solve: Callable[..., np.ndarray], size: int):
        self.solve = solve
        super().__init__(np.complex128, (size, size))

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self.solve(self.solve(x), "H")


def _angles_at_level(factors: np.ndarray, level: float) -> np.ndarray:
    r"""Frequencies at which the level is a singular value of the lift.

    With $e^{i\theta}v_{l+1} - B_l v_l = \gamma u_l$ and its adjoint, the pair $(v_l, u_{l-1})$ is
    carried by $[I, -\gamma; 0, B^T]$ against $[B, 0; -\gamma, I]$ and turns by $e^{ip\theta}$ in a period.
    """
    period, width, _ = factors.shape
    identity, zero = np.broadcast_to(np.eye(width), factors.shape), np.zeros_like(factors)
    after = np.block([[identity, -level * identity], [zero, np.swapaxes(factors, 1, 2)]])
    before = np.block([[factors, zero], [-level * identity, identity]])
    chain = collapsed(Chain(after, before, np.zeros((period, 2 * width))))
    solution: Any = scipy.linalg.eig(chain.before[0], chain.after[0], right=False, homogeneous_eigvals=True)
    alpha, beta = solution
    size = np.hypot(np.abs(alpha), np.abs(beta))
    near = np.abs(np.abs(alpha) - np.abs(beta)) <= NEAR_CIRCLE * size
    return np.abs(np.angle(alpha[near] * beta[near].conj())) / period
