r"""Kreiss bound: how large the powers of one repeated layer must become before they can decay.

$\sup_n \|B^n\| \ge \mathcal{K}(B) = \sup_{|z|>1} (|z|-1)\,\|(z-B)^{-1}\|$. Every z gives a true lower bound,
so a search that misses the best z is never wrong, only weaker.
"""

from typing import NamedTuple

import numpy as np
import scipy.optimize
from jaxtyping import Float

from engine.dichotomy import SAME_MODULUS

RADII, ANGLES = 20, 13
"""Points tried first: distances from the unit circle, and angles in [0, π] (B is real)."""

NEAREST, FARTHEST = 0.1, 10.0
"""Distances tried: from this share of 1 − radius up to this multiple of max(‖B‖, 1)."""

SHORTEST = 1e-6
"""A radius nearer to 1 than this counts as that near when distances are chosen."""

ROUNDOFF = 8 * float(np.finfo(np.float64).eps)
"""Error allowed for in a singular value, relative to |z| + ‖B‖ and per row."""


class Kreiss(NamedTuple):
    r"""Lower bound of the largest power.

    **Fields:**

    - `value`: bound on $\sup_n \|B^n\|$, at least 1; inf when B itself grows.
    - `place`: the z that gives it; inf when no z says more than $\|B^0\| = 1$, or B grows.
    """

    value: float
    place: complex


def kreiss_bound(factor: Float[np.ndarray, "d d"]) -> Kreiss:
    r"""Bound the transient growth of a repeated layer from below.

    The largest value on a grid around the unit disc, improved by a simplex search from the best point. By
    the Kreiss matrix theorem the powers stay below $e\,d\,\mathcal{K}(B)$.

    **Arguments:**

    - `factor`: the layer map B, growth per layer.

    **Returns:** the bound, lowered by what round-off could add, and where it was found.

    Reference: Trefethen & Embree, Spectra and Pseudospectra, sections 14 and 18.
    """
    radius = float(np.abs(np.linalg.eigvals(factor)).max())
    if radius > 1 + SAME_MODULUS:
        return Kreiss(np.inf, complex(np.inf))
    reach = NEAREST * max(1 - radius, SHORTEST), FARTHEST * max(float(np.linalg.norm(factor, 2)), 1.0)
    logs = float(np.log(reach[0])), float(np.log(reach[1]))
    grid = np.stack(np.meshgrid(np.linspace(*logs, RADII), np.linspace(0, np.pi, ANGLES)), axis=-1)
    values = _bounds(factor, grid)
    found = scipy.optimize.minimize(
        lambda point: -_bounds(factor, point),
        grid.reshape(-1, 2)[np.argmax(values)],
        method="Nelder-Mead",
        bounds=[logs, (0.0, np.pi)],
    )
    if -found.fun <= 1:
        return Kreiss(1.0, complex(np.inf))
    return Kreiss(float(-found.fun), complex(_place(found.x)))


def _place(points: Float[np.ndarray, "*grid 2"]) -> np.ndarray:
    """The complex z at a log distance from the unit circle and an angle."""
    return np.asarray((1 + np.exp(points[..., 0])) * np.exp(1j * points[..., 1]))


def _bounds(factor: Float[np.ndarray, "d d"], points: Float[np.ndarray, "*grid 2"]) -> np.ndarray:
    """The bound at every z."""
    places, width = _place(points), len(factor)
    least = np.linalg.svd(places[..., None, None] * np.eye(width) - factor, compute_uv=False)[..., -1]
    error = ROUNDOFF * width * (np.abs(places) + float(np.linalg.norm(factor, 2)))
    return np.asarray(np.exp(points[..., 0]) / (least + error))
