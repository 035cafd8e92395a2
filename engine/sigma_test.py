r"""σ test: how far a growth factor γ is from the spectrum, by singular values of the layer equations.

$(T_\gamma u)(\ell) = u(\ell+1) - B(\ell)\,u(\ell)/\gamma$ is invertible on the whole line exactly when γ is
not in the dichotomy spectrum. On L layers it is taken in two ways: with both ends free it must be onto,
with both ends zero it must be one to one.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.layer_equations import Triangle, banded, smallest_singular_value_steps, triangle_steps
from engine.steps import Steps, drained, stretch

SWEEP = 0.6
"""Share of the work, roughly, that goes into making the equations a triangle."""

SWEEP_BYTES = 2**25
"""Layers swept together, bytes: one copy of the stack for each growth factor."""


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
    return drained(sigma_steps(factors, gammas))


def sigma_steps(
    factors: Float[np.ndarray, "layers d d"], gammas: Float[np.ndarray, " gammas"]
) -> Steps[SigmaTest]:
    """Compute what `sigma_test` does in small steps, so that it can be stopped at any layer.

    As many growth factors share a sweep as memory allows.

    **Arguments, Returns, Raises:** as `sigma_test`.
    """
    _check(factors, gammas)
    together = max(SWEEP_BYTES // factors.nbytes, 1)
    values = np.full((2, len(gammas)), np.inf)
    for first in range(0, len(gammas), together):
        chosen = slice(first, min(first + together, len(gammas)))
        layers = factors / gammas[chosen, None, None, None]
        identity = np.broadcast_to(np.eye(factors.shape[1]), layers.shape)
        systems = [(-np.swapaxes(layers, 2, 3), identity), (identity[:, 1:], -layers[:, 1:])]
        halves = np.linspace(chosen.start, chosen.stop, 3) / len(gammas)
        for side, system in enumerate(systems[: len(factors)]):
            values[side, chosen] = yield from stretch(_smallest(*system), halves[side], halves[side + 1])
    return SigmaTest(values[0], values[1])


def _check(factors: np.ndarray, gammas: np.ndarray) -> None:
    if len(factors) == 0:
        raise ValueError("factors must hold at least one layer; got a stack of 0.")
    if not (np.isfinite(gammas).all() and (gammas > 0).all()):
        raise ValueError(f"gammas must be positive (growth factors per layer); got {gammas}.")


def _smallest(
    heads: Float[np.ndarray, "gammas blocks d d"], feet: Float[np.ndarray, "gammas blocks d d"]
) -> Steps[Float[np.ndarray, " gammas"]]:
    """Smallest singular values of several systems: one sweep for all, then one after the other."""
    found = yield from stretch(triangle_steps(heads, feet), 0.0, SWEEP)
    values = np.zeros(len(heads))
    ends = np.linspace(SWEEP, 1.0, len(heads) + 1)
    for place, one in enumerate(zip(found.diagonal, found.beside, strict=True)):
        steps = smallest_singular_value_steps(banded(Triangle(*one)))
        values[place] = yield from stretch(steps, ends[place], ends[place + 1])
    return values
