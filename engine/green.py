r"""Green operator: the bounded response of a stack to forcing at every layer, and its size.

$u(\ell) = \sum_{s<\ell} \Phi(\ell, t) P_-(t) h(s) - \sum_{s\ge\ell} \Phi(\ell, t) P_+(t) h(s)$, t = s + 1,
solves $u(\ell+1) = B(\ell) u(\ell) + h(\ell)$: decaying parts are summed from the past, growing
ones from the future, each in reduced coordinates, so nothing is ever iterated against its growth.
"""

import numpy as np
from jaxtyping import Float

from engine.block_sum import block_sums
from engine.constants import Dichotomy
from engine.cyclic_chain import Chain, closed
from engine.splitting import Splitting
from engine.window_ends import boundary_affected, reach_of_future, reach_of_past


def response(
    splitting: Splitting, forcing: Float[np.ndarray, "*batch layers d"]
) -> Float[np.ndarray, "*batch depths d"]:
    r"""Apply the Green operator: the bounded solution of $u(\ell+1) = B(\ell)u(\ell) + h(\ell)$.

    With $u = V y_- + U y_+$: $y_-(\ell+1) = S y_-(\ell) + Y(\ell+1)^T h(\ell)$ forwards and
    $y_+(\ell) = R^{-1}(y_+(\ell+1) - Z(\ell+1)^T h(\ell))$ backwards. On a window $y_-(0) = 0$ and
    $y_+(L) = 0$: nothing comes in from outside. A repeated stack gets the periodic solution.

    **Arguments:**

    - `splitting`: from `engine.splitting.split`, over the layers that are forced; a periodic one is
      repeated over as many whole periods.
    - `forcing`: h, state units.

    **Returns:** u at the depths 0 … L, state units.

    **Raises:** `ValueError` for a missing splitting, or another number of layers.

    Reference: Ascher, Mattheij & Russell, Numerical Solution of Boundary Value Problems, §6.2 (decoupling).
    """
    layers, covered = len(splitting.decay), forcing.shape[-2]
    if splitting.status != "ok" or (covered % layers if splitting.periodic else covered != layers):
        raise ValueError(
            f"forcing must cover the {layers} layers of a splitting; got {covered} ({splitting.status})."
        )
    here, depths = np.arange(covered) % layers, np.arange(covered + 1)
    depths = depths % layers if splitting.periodic else depths
    into_stable = _applied(splitting.read_stable[depths[1:]], forcing)
    into_unstable = _applied(splitting.read_unstable[depths[1:]], forcing)
    if splitting.periodic:
        decaying = _around(splitting.decay[here], into_stable)
        growing = _around(splitting.grow[here], into_unstable)
    else:
        decaying = _from_the_past(splitting.decay, into_stable)
        growing = _from_the_future(splitting.grow, into_unstable)
    return _applied(splitting.stable[depths], decaying) + _applied(splitting.unstable[depths], growing)


def green_norm(splitting: Splitting, dichotomy: Dichotomy) -> float:
    r"""Bound the Green operator by its largest block sum, with what lies beyond a window added.

    On a window the layers outside are taken to obey its dichotomy: every depth not affected by an end
    gets $C_- r_-^{\ell}/m_- + C_+ r_+^{-(L-\ell)}/m_+$ added. Never above $C_-/m_- + C_+/m_+$.

    **Arguments:**

    - `splitting`: from `engine.splitting.split`.
    - `dichotomy`: rates and constants of the same stack.

    **Returns:** g, layers: $\|u\|_\infty \le g\,\|h\|_\infty$ in the sup over layers of the 2-norm; inf
    without a dichotomy.
    """
    if splitting.status != "ok" or dichotomy.status != "ok":
        return np.inf
    rows = block_sums(splitting)
    largest = float(rows.max())
    past = dichotomy.constant_decay / dichotomy.decay_margin
    future = dichotomy.constant_growth / dichotomy.growth_margin
    if not splitting.periodic:
        depth = len(splitting.decay)
        outside = past * reach_of_past(depth, dichotomy) + future * reach_of_future(depth, dichotomy)
        inner = ~boundary_affected(depth, dichotomy)
        largest = max(largest, float((rows + outside)[inner].max(initial=0.0)))
    return min(largest, past + future)


def window_energy_norm(splitting: Splitting) -> float:
    r"""Norm of the Green operator of a window from ℓ² to ℓ²: the largest singular value, written out.

    Always below the norm on the whole line, and only slowly approaching it: never a certificate (use
    `engine.resolvent_radius`). Cost grows like (L d)³.

    **Arguments:**

    - `splitting`: of a window.

    **Returns:** the norm, layers.

    **Raises:** `ValueError` for a missing splitting or a repeated stack.
    """
    if splitting.periodic:
        raise ValueError("splitting must be that of a window; got a repeated stack.")
    layers, width = len(splitting.decay), splitting.unstable.shape[1]
    impulses = np.eye(layers * width).reshape(-1, layers, width)
    columns = response(splitting, impulses).reshape(layers * width, -1)
    return float(np.linalg.norm(columns, 2))


def _from_the_past(
    maps: Float[np.ndarray, "layers m m"], forcing: Float[np.ndarray, "*batch layers m"]
) -> Float[np.ndarray, "*batch depths m"]:
    layers = len(maps)
    states = np.zeros((*forcing.shape[:-2], layers + 1, forcing.shape[-1]))
    for layer in range(layers):
        states[..., layer + 1, :] = states[..., layer, :] @ maps[layer].T + forcing[..., layer, :]
    return states


def _from_the_future(
    maps: Float[np.ndarray, "layers m m"], forcing: Float[np.ndarray, "*batch layers m"]
) -> Float[np.ndarray, "*batch depths m"]:
    inverses = np.linalg.inv(maps)
    return _from_the_past(inverses[::-1], -_applied(inverses, forcing)[..., ::-1, :])[..., ::-1, :]


def _around(
    maps: Float[np.ndarray, "layers m m"], forcing: Float[np.ndarray, "*batch layers m"]
) -> Float[np.ndarray, "*batch depths m"]:
    shape = (*forcing.shape, forcing.shape[-1])
    identity = np.broadcast_to(np.eye(forcing.shape[-1]), shape)
    states = closed(Chain(identity, np.broadcast_to(maps, shape), forcing)).states
    return np.concatenate([states, states[..., :1, :]], axis=-2)


def _applied(
    matrices: Float[np.ndarray, "places rows columns"], vectors: Float[np.ndarray, "*batch places columns"]
) -> Float[np.ndarray, "*batch places rows"]:
    return (matrices @ vectors[..., None])[..., 0]
