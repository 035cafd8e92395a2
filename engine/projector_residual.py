r"""Projector residual: how far the least-norm answer to one impulse is from a projector (exploratory).

Where the scaled layers B/γ have a dichotomy, the bounded answer at depth n to an impulse there is the
projector $P_-(n)$ onto the decaying directions. A window gives the answer of least norm instead: nearly a
projector inside a gap, and visibly not one on the spectrum. It sees the surroundings of n only, so a
small residual at one depth says nothing about another: take the largest over several, and no verdict.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from engine.layer_equations import banded, solved, triangle


class ProjectorResidual(NamedTuple):
    r"""Least-norm answers to impulses at some depths, and how far each is from a projector.

    **Fields:**

    - `projector`: $P(n) = u(n)$ for the unit impulses at depth n, one column each; inf where the
      equations are singular to working precision.
    - `residual`: $\|P(n) P(n) - P(n)\|_2$; at most 1/4 for a scalar, near that in mid-spectrum; inf likewise.
    """

    projector: Float[np.ndarray, "places d d"]
    residual: Float[np.ndarray, " places"]


def projector_residual(
    factors: Float[np.ndarray, "layers d d"], gamma: float, places: Int[np.ndarray, " places"]
) -> ProjectorResidual:
    r"""Test a growth factor at chosen depths by the projectors it would give.

    Solves $u(\ell+1) - B(\ell)\,u(\ell)/\gamma = \delta_{\ell,n-1} e_i$ with the least $\sum |u|^2$. With
    the equations as T and $T^T = QR$ it is $u = T^T R^{-1} R^{-T} e$, as accurate as T allows.

    **Arguments:**

    - `factors`: layers B(l), first layer first.
    - `gamma`: growth factor per layer, > 0.
    - `places`: depths n, each 1 … L.

    **Returns:** answers and residuals, in the order of the places.

    **Raises:** `ValueError` for a γ that is not positive or a depth outside 1 … L.

    Reference: Hüls, SIAM J. Numer. Anal. 48 (2010) 2043-2064, in the variant of theory/cocycle.md A.5.
    """
    depth = len(factors)
    if not (np.isfinite(gamma) and gamma > 0):
        raise ValueError(f"gamma must be positive (a growth factor per layer); got {gamma}.")
    if ((places < 1) | (places > depth)).any():
        raise ValueError(f"places must lie in 1..{depth} (depths); got {places}.")
    answers = _answers(-np.swapaxes(factors, 1, 2) / gamma, places)
    sound = np.isfinite(answers).all(axis=(1, 2))
    projector, residual = np.full_like(answers, np.inf), np.full(len(places), np.inf)
    projector[sound] = answers[sound]
    residual[sound] = np.linalg.norm(answers[sound] @ answers[sound] - answers[sound], 2, axis=(1, 2))
    return ProjectorResidual(projector, residual)


def _answers(turned: Float[np.ndarray, "layers d d"], places: np.ndarray) -> Float[np.ndarray, "places d d"]:
    r"""Solve $T T^T w = e$ for all impulses together; u(n) = (T^T w)(n) needs w at n − 1 and n only."""
    depth, width, _ = turned.shape
    count = np.arange(len(places))
    bands = banded(triangle(turned, np.broadcast_to(np.eye(width), turned.shape)))
    impulses = np.zeros((depth, width, len(places), width))
    impulses[places - 1, :, count] = np.eye(width)
    half = solved(bands, impulses.reshape(depth * width, -1), transposed=True)
    dual = solved(bands, half, transposed=False).reshape(impulses.shape)
    inner = places < depth
    answers = dual[places - 1, :, count]
    with np.errstate(invalid="ignore"):
        answers[inner] += turned[places[inner]] @ dual[places[inner], :, count[inner]]
    return answers
