"""Real eigenvalues of linear and quadratic matrix pencils, with the trust each one deserves."""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from jaxtyping import Bool, Float

ROUNDOFF = float(np.finfo(np.float64).eps)

UNRELIABLE = 0.1
"""Roots with a larger relative error may be eigenvalues at infinity, split by round-off ..."""

FARTHEST_BLURRED = 100.0
"""... unless they are smaller than this: then they may be multiple roots."""

BLUR = 1e-7
"""Roots with a larger relative error are averaged with their neighbours: copies of a multiple root."""

LARGEST_BLUR = 1e-3
"""Largest relative error bar taken at its word."""

SINGULAR = 1e-13
"""Reciprocal condition number, at three amplitudes, of a pencil that is singular for all."""

TRIAL_AMPLITUDES = (0.3719, -0.8513, 1.6271)


class Roots(NamedTuple):
    """Real roots, unsorted; `blurred` ones belong to a cluster and must be checked before use."""

    value: Float[np.ndarray, " roots"]
    blurred: Bool[np.ndarray, " roots"]


def real_roots(coefficients: Float[np.ndarray, "terms n n"]) -> Roots | None:
    r"""Find every real amplitude at which a pencil $\sum_j \varrho^j C_j$ is singular.

    Rows are equilibrated and the companion pencil is solved by QZ. The condition number of each
    eigenvalue, on the projective line, gives its error: it separates real roots from near-real ones
    and finite roots from split infinite ones. A simple root ends with one two-sided Rayleigh step on
    the unlinearised pencil, a multiple one with the mean of its copies.

    **Arguments:**

    - `coefficients`: C_0, C_1 (and C_2), real, for amplitudes counted in
      `engine.pencil.amplitude_unit`. The unit is measured on the loop, not on C_2, which may
      vanish up to round-off (G of rank one).

    **Returns:** the `Roots`; None when the pencil is singular at every amplitude. Those of a pair
    pencil are candidates: reciprocal real multipliers are among them.

    Reference: Higham, Mackey & Tisseur, SIAM J. Matrix Anal. Appl. 28 (2006) 1005-1028.
    """
    size = coefficients.shape[1]
    if size == 0:
        return Roots(np.zeros(0), np.zeros(0, dtype=bool))
    rows = np.abs(coefficients).max(axis=(0, 2))
    scaled = coefficients / np.where(rows > 0, rows, 1.0)[:, None]
    if all(_nearly_singular(_evaluate(scaled, amplitude)) for amplitude in TRIAL_AMPLITUDES):
        return None
    left, right = _companion(scaled)
    solution: Any = scipy.linalg.eig(
        left, right, left=True, right=True, homogeneous_eigvals=True, check_finite=False
    )
    (alpha, beta), lefts, rights = solution
    finite = np.abs(beta) > ROUNDOFF * np.abs(alpha)
    values = alpha[finite] / beta[finite]
    lefts, rights = lefts[:, finite], rights[:, finite]
    errors = _projective_errors(left, right, lefts, rights) * (1 + np.abs(values) ** 2)
    kept = _trusted(values, errors)
    errors = errors[kept] / (1 + np.abs(values[kept]))
    corrected = _rayleigh(scaled, values[kept].real, lefts[-size:, kept], rights[:size, kept])
    blurred = errors > BLUR
    averaged = _cluster_means(values[kept].real[blurred], np.minimum(errors[blurred], LARGEST_BLUR))
    is_mean = np.arange(averaged.size + np.sum(~blurred)) >= np.sum(~blurred)
    return Roots(np.concatenate([corrected[~blurred], averaged]), is_mean)


def _trusted(values: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Select the roots that are finite and real within their errors."""
    size = np.abs(values)
    finite = (errors <= UNRELIABLE * np.maximum(size, 1.0)) | (size <= FARTHEST_BLURRED)
    known = np.minimum(errors, LARGEST_BLUR * (1 + size))
    return finite & (np.abs(np.imag(values)) <= 10 * known + 1e-12 * (1 + size))


def _cluster_means(values: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Average neighbours whose relative error bars overlap."""
    order = np.argsort(values)
    values, errors = values[order], errors[order]
    gaps = np.diff(values) / (1 + np.abs(values[1:]))
    apart = gaps > 10 * np.minimum(errors[1:], errors[:-1])
    return np.array([part.mean() for part in np.split(values, np.flatnonzero(apart) + 1) if part.size])


def _projective_errors(
    left: np.ndarray, right: np.ndarray, lefts: np.ndarray, rights: np.ndarray
) -> np.ndarray:
    """Error of each eigenvalue as an angle: backward error of QZ times its condition number."""
    backward = ROUNDOFF * left.shape[0] * np.hypot(np.linalg.norm(left), np.linalg.norm(right))
    alphas = np.sum(lefts.conj() * (left @ rights), axis=0)
    betas = np.sum(lefts.conj() * (right @ rights), axis=0)
    lengths = np.linalg.norm(lefts, axis=0) * np.linalg.norm(rights, axis=0)
    with np.errstate(divide="ignore"):
        return backward * lengths / np.hypot(np.abs(alphas), np.abs(betas))


def _rayleigh(
    coefficients: np.ndarray, values: np.ndarray, lefts: np.ndarray, rights: np.ndarray
) -> np.ndarray:
    """Correct simple roots by a Newton step between their own left and right null vectors."""
    terms = np.stack([np.sum(lefts.conj() * (c @ rights), axis=0) for c in coefficients])
    powers = np.arange(len(terms))
    value = np.sum(terms * values ** powers[:, None], axis=0)
    slope = np.sum(terms[1:] * powers[1:, None] * values ** (powers[1:, None] - 1), axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = (value / slope).real
    small = np.abs(steps) <= LARGEST_BLUR * (1 + np.abs(values))
    return np.where(small, values - steps, values)


def _nearly_singular(matrix: np.ndarray) -> bool:
    """Estimate the reciprocal condition number from an LU factorisation."""
    factorise, estimate = scipy.linalg.get_lapack_funcs(("getrf", "gecon"), (matrix,))
    factored, _, zero_pivot = factorise(matrix)
    if zero_pivot > 0:
        return True
    reciprocal, _ = estimate(factored, np.abs(matrix).sum(axis=0).max())
    return bool(reciprocal < SINGULAR)


def _companion(coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linearise: `left z = ϱ right z` with z = x, or (x, ϱx) for a quadratic pencil."""
    if len(coefficients) == 2:
        return coefficients[0], -coefficients[1]
    constant, linear, quadratic = coefficients
    identity, zero = np.eye(constant.shape[0]), np.zeros_like(constant)
    left = np.block([[zero, identity], [-constant, -linear]])
    return left, np.block([[identity, zero], [zero, quadratic]])


def _evaluate(coefficients: np.ndarray, amplitude: float) -> np.ndarray:
    return sum(c * amplitude**power for power, c in enumerate(coefficients))  # type: ignore[return-value]
