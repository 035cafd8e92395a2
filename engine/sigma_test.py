r"""σ test: how far a growth factor γ is from the spectrum, by singular values of the layer equations.

$(T_\gamma u)(\ell) = u(\ell+1) - B(\ell)\,u(\ell)/\gamma$ is invertible on the whole line exactly when γ is
not in the dichotomy spectrum. On L layers it is taken in two ways: with both ends free it must be onto,
with both ends zero it must be one to one.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.layer_equations import Triangle, banded, smallest_singular_value, triangle


class SigmaTest(NamedTuple):
    r"""Smallest singular values of $T_\gamma$, one per γ.

    **Fields:**

    - `wide`: u(0), …, u(L) free; small where decaying turns into growing, so that T is hardly onto.
    - `tall`: u(0) = u(L) = 0; small where growing turns into decaying, so that T is hardly one to one.
      inf for a single layer, which leaves nothing to test.
    """

    wide: Float[np.ndarray, " gammas"]
    tall: Float[np.ndarray, " gammas"]

    @property
    def value(self) -> Float[np.ndarray, " gammas"]:
        """The smaller of the two."""
        return np.minimum(self.wide, self.tall)


def sigma_test(factors: Float[np.ndarray, "layers d d"], gammas: Float[np.ndarray, " gammas"]) -> SigmaTest:
    r"""Smallest singular values of the wide and of the tall $T_\gamma$ on a window.

    Neither is below $\sigma_{\min}$ on the whole line, whatever stack the window belongs to: a small
    value σ proves that the Green operator at γ has an ℓ² norm of at least 1/σ there, if it exists at all.
    A large value on a short window proves nothing. A scalar equal to γ gives $2\sin\frac{\pi}{2(L+1)}$
    and $2\sin\frac{\pi}{2L}$, so the resolution is about π/L.

    **Arguments:**

    - `factors`: layers B(l), first layer first.
    - `gammas`: growth factors per layer, each > 0; one sweep serves all of them.

    **Returns:** both values for every γ; 0 below round-off of the equations.

    **Raises:** `ValueError` for an empty stack or a γ that is not positive.

    Reference: Coffman & Schäffer, Math. Ann. 172 (1967) 139-166; theory/cocycle.md A.5.
    """
    if len(factors) == 0:
        raise ValueError("factors must hold at least one layer; got a stack of 0.")
    if not (np.isfinite(gammas).all() and (gammas > 0).all()):
        raise ValueError(f"gammas must be positive (growth factors per layer); got {gammas}.")
    layers = factors / gammas[:, None, None, None]
    identity = np.broadcast_to(np.eye(factors.shape[1]), layers.shape)
    wide = _smallest(triangle(-np.swapaxes(layers, 2, 3), identity))
    if len(factors) == 1:
        return SigmaTest(wide, np.full(len(gammas), np.inf))
    return SigmaTest(wide, _smallest(triangle(identity[:, 1:], -layers[:, 1:])))


def _smallest(triangles: Triangle) -> Float[np.ndarray, " gammas"]:
    each = zip(triangles.diagonal, triangles.beside, strict=True)
    return np.array([smallest_singular_value(banded(Triangle(*one))) for one in each])
