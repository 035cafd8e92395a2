r"""The injection ψ of a gate: what the held summary adds to every layer."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class Injection(NamedTuple):
    r"""$\psi(u) = W u + b$, or $\tanh(W u + b)$ entry by entry.

    **Fields:**

    - `matrix`: W, shape (d, d).
    - `bias`: b, state units.
    - `saturating`: whether the hyperbolic tangent is taken.
    """

    matrix: Float[np.ndarray, "d d"]
    bias: Float[np.ndarray, " d"]
    saturating: bool

    @property
    def lipschitz(self) -> float:
        r"""$L_\psi = \|W\|_2$: the tangent is nowhere steeper than 1."""
        return float(np.linalg.norm(self.matrix, 2))

    def value(self, states: Float[np.ndarray, "*places d"]) -> Float[np.ndarray, "*places d"]:
        r"""Return ψ(u) at many states."""
        inside = states @ self.matrix.T + self.bias
        return np.tanh(inside) if self.saturating else inside

    def jacobian(self, states: Float[np.ndarray, "*places d"]) -> Float[np.ndarray, "*places d d"]:
        r"""Return Dψ(u) at many states."""
        if not self.saturating:
            return np.broadcast_to(self.matrix, (*states.shape, states.shape[-1]))
        return (1 - self.value(states) ** 2)[..., None] * self.matrix
