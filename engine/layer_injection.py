r"""Injections $\psi_\ell(u)$ that differ from layer to layer, as the theory of visibility needs them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.injection import Injection
from engine.splitting import Splitting

_States = Float[np.ndarray, "layers d"]
_Maps = Float[np.ndarray, "layers d d"]


class LayerInjection(NamedTuple):
    r"""An injection that differs from layer to layer.

    **Fields:**

    - `value`: $\psi_\ell(u(\ell))$ for the states before every layer, (layers, d) to (layers, d).
    - `jacobian`: $D\psi_\ell(u(\ell))$ there, (layers, d) to (layers, d, d).
    """

    value: Callable[[_States], _States]
    jacobian: Callable[[_States], _Maps]


AnyInjection = Injection | LayerInjection


def respecting(
    splitting: Splitting, matrix: Float[np.ndarray, "d d"], bias: Float[np.ndarray, " d"]
) -> LayerInjection:
    r"""Affine injection that keeps persistent and decaying parts apart although the bundles move.

    $\psi_\ell(u) = (P_+(\ell+1) W P_+(\ell) + P_-(\ell+1) W P_-(\ell))\,u + b$, so that
    $P_+(\ell+1) D\psi_\ell = D\psi_\ell P_+(\ell)$: the intertwining (A7) needs.

    **Arguments:**

    - `splitting`: of the open loop.
    - `matrix`, `bias`: W and b.

    **Returns:** the injection.
    """
    plus, minus = splitting.persistent, splitting.decaying
    maps = plus[1:] @ matrix @ plus[:-1] + minus[1:] @ matrix @ minus[:-1]
    return LayerInjection(value=lambda states: _applied(maps, states) + bias, jacobian=lambda _: maps)


def with_cross_term(
    injection: AnyInjection, splitting: Splitting, centre: _States, strength: float
) -> LayerInjection:
    r"""Let the square of the decaying part leak into the persistent one, without a first derivative.

    Adds $c\,|P_-(\ell)(u - u^*(\ell))|^2\,e(\ell+1)$ with e the first persistent direction:
    at the centre value and Jacobian are unchanged, only $D^2\psi$ mixes.

    **Arguments:**

    - `injection`: the injection to extend.
    - `splitting`: of the open loop, rank at least 1.
    - `centre`: $u^*$ before every layer.
    - `strength`: c, per state unit.

    **Returns:** the injection with the cross term.
    """
    minus, direction = splitting.decaying[:-1], strength * splitting.unstable[1:, :, 0]

    def value(states: _States) -> _States:
        away = _applied(minus, states - centre)
        return injection.value(states) + (away**2).sum(axis=1, keepdims=True) * direction

    def jacobian(states: _States) -> _Maps:
        away = _applied(minus, states - centre)
        slope = 2 * (away[:, None, :] @ minus)
        return injection.jacobian(states) + direction[:, :, None] * slope

    return LayerInjection(value, jacobian)


def shifted(injection: AnyInjection, shift: Float[np.ndarray, " d"]) -> LayerInjection:
    r"""Add a constant, $\psi(u) + s$.

    **Arguments:**

    - `injection`: $\psi$.
    - `shift`: s, state units.

    **Returns:** the injection.
    """
    return LayerInjection(lambda states: injection.value(states) + shift, injection.jacobian)


def _applied(maps: Float[np.ndarray, "*layers d d"], states: _States) -> _States:
    return (maps @ states[:, :, None])[:, :, 0]
