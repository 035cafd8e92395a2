r"""The ladder of gate limits: bounds on |ϱ| below which the dichotomy of the loop is certain to survive.

With g the norm of the Green operator and $L_\psi$ the Lipschitz constant of ψ, every loop with
$|\varrho|\,L_\psi\,g < 1$ keeps the dichotomy and its rank. The rungs differ in what they know of g.
"""

import math
from typing import Literal, NamedTuple

from engine.constants import Dichotomy, SharedRate
from engine.roughness import roughness_radius

Name = Literal["green_bound", "green_bound_split", "roughness_bound", "green_norm_bound", "radius_bound"]

CERTIFIED: tuple[Name, ...] = ("green_bound", "green_bound_split", "roughness_bound", "green_norm_bound")
"""Rungs that every dichotomy has."""


class Certificate(NamedTuple):
    """The largest certified limit and the rung it comes from."""

    value: float
    name: Name


class Ladder(NamedTuple):
    r"""Limits on |ϱ|; inf when ψ does not react, 0 without a dichotomy.

    **Fields:**

    - `paper_estimate`: $\min(m_-, m_+)/(C L_\psi)$, an estimate: certain when $D\psi$ respects the
      splitting, when C = 1, or when halved.
    - `green_bound`: $1/(L_\psi C(1/m_- + 1/m_+))$.
    - `green_bound_split`: $1/(L_\psi(C_-/m_- + C_+/m_+))$.
    - `roughness_bound`: $\tanh(a/2)/(K L_\psi)$.
    - `green_norm_bound`: $1/(L_\psi g)$, g the block sum with its tail.
    - `radius_bound`: ℓ² radius over $L_\psi$; None where it proves nothing (a window, a summary held for
      more than one layer).
    - `best`: the largest of the certified ones.
    """

    paper_estimate: float
    green_bound: float
    green_bound_split: float
    roughness_bound: float
    green_norm_bound: float
    radius_bound: float | None
    best: Certificate


def ladder(
    dichotomy: Dichotomy, shared: SharedRate, green_norm: float, radius: float | None, lipschitz: float
) -> Ladder:
    r"""Assemble the ladder from what is known of the open loop.

    All rungs but the last hold for every refresh period and topology: holding a summary, or reading
    another block's, does not increase the sup norm. The ℓ² norm can grow when a summary is held.

    **Arguments:**

    - `dichotomy`: rates, margins and constants, from `engine.constants.dichotomy_constants`.
    - `shared`: one rate for both branches, from `engine.constants.shared_rate`.
    - `green_norm`: g, layers, from `engine.green.green_norm`.
    - `radius`: from `engine.resolvent_radius`; None unless the stack repeats and L_r = 1.
    - `lipschitz`: $L_\psi$.

    **Returns:** the `Ladder`.

    **Raises:** `ValueError` for a negative `lipschitz`.

    Reference: theory/cocycle.md D; Coppel, Dichotomies in Stability Theory, lecture 4.
    """
    if not lipschitz >= 0:
        raise ValueError(f"lipschitz must be at least 0; got {lipschitz}.")
    radii: dict[Name, float] = dict.fromkeys(CERTIFIED, 0.0)
    if dichotomy.status == "ok":
        radii |= _radii(dichotomy, shared, green_norm)
    if radius is not None:
        radii["radius_bound"] = radius
    limits: dict[Name, float] = {name: _limit(value, lipschitz) for name, value in radii.items()}
    best: Name = max(limits, key=lambda name: limits[name])
    return Ladder(
        paper_estimate=_limit(_estimate(dichotomy), lipschitz),
        green_bound=limits["green_bound"],
        green_bound_split=limits["green_bound_split"],
        roughness_bound=limits["roughness_bound"],
        green_norm_bound=limits["green_norm_bound"],
        radius_bound=limits.get("radius_bound"),
        best=Certificate(limits[best], best),
    )


def _radii(dichotomy: Dichotomy, shared: SharedRate, green_norm: float) -> dict[Name, float]:
    """Changes of a layer, in norm, that each rung allows."""
    past, future = 1 / dichotomy.decay_margin, 1 / dichotomy.growth_margin
    return {
        "green_bound": 1 / (dichotomy.constant * (past + future)),
        "green_bound_split": 1 / (dichotomy.constant_decay * past + dichotomy.constant_growth * future),
        "roughness_bound": roughness_radius(shared.constant, shared.exponent),
        "green_norm_bound": 1 / green_norm,
    }


def _estimate(dichotomy: Dichotomy) -> float:
    return min(dichotomy.decay_margin, dichotomy.growth_margin) / dichotomy.constant


def _limit(radius: float, lipschitz: float) -> float:
    """Divide by the Lipschitz constant: an injection that does not react is allowed any amplitude."""
    if radius == 0:
        return 0.0
    return math.inf if lipschitz == 0 else radius / lipschitz
