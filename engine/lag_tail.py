r"""Norms beyond the last lag computed, on a stack that repeats for ever: a bound, not a sample.

For $n \ge N$ the product is a power of the period map applied to a product already known.
Its slowest multipliers shrink like $\rho^n$ exactly; everything else is bounded and tiny.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Inexact

from engine.dichotomy import SAME_MODULUS
from engine.lags import Branch, scaled

MOST_POWERS = 256
"""Powers of the faster part tried before giving up on a bound for all of them."""


class Tail(NamedTuple):
    r"""Bound on the worst norms $N[n]$ for every lag n ≥ N, natural logs.

    $\ln N[n] \le$ `log_norm` + (n − N) · `log_rate`.

    **Fields:**

    - `log_rate`: largest modulus of the multipliers, per layer; −inf when nothing is left.
    - `log_norm`: bound at lag N itself; +inf when no bound was found.
    """

    log_rate: float
    log_norm: float


class Slowest(NamedTuple):
    r"""Part X D Y of largest modulus of the period maps, one per start.

    **Fields:**

    - `modulus`: $|\mu|$, relative to the scale of the period map.
    - `vectors`, `duals`: X and Y, zero where other starts have more.
    - `others`: bound $\kappa$ on all powers of the rest over $|\mu|$; inf when none was found.
    - `reach`: $\|X\|$.
    """

    modulus: Float[np.ndarray, " starts"]
    vectors: Inexact[np.ndarray, "starts m parts"]
    duals: Inexact[np.ndarray, "starts parts m"]
    others: Float[np.ndarray, " starts"]
    reach: Float[np.ndarray, " starts"]


def tail(branch: Branch, count: int) -> Tail:
    r"""Bound the norms at all lags n ≥ N of a branch, sharp when its slowest multiplier is simple.

    With M the period map at the end of a product G, and X D Y its part of largest modulus
    $|\mu|$: $\|M^q G\| \le |\mu|^q (\|X\| \|Y G\| + \kappa \|G - X Y G\|)$, where $\kappa$ bounds
    all powers of the rest of $M / |\mu|$. For a simple real multiplier the first term is the
    norm itself; for a simple complex pair it is the supremum over its angles.

    **Arguments:**

    - `branch`: a branch in reduced coordinates; on a window nothing lies beyond its layers, and
      up to them there is no bound.
    - `count`: the lag N, in layers.

    **Returns:** rate and bound; `log_norm` = +inf for a defective slowest multiplier.
    """
    period, width = branch.maps.shape[:2]
    if width == 0 or (not branch.periodic and count > period):
        return Tail(-np.inf, -np.inf)
    if not branch.periodic:
        return Tail(-np.inf, np.inf)
    turns, turn_logs = _period_maps(branch.maps)
    slowest = _slowest(turns)
    if slowest is None:
        return Tail(-np.inf, -np.inf if count >= width * period else np.inf)
    log_rate = float((np.log(slowest.modulus) + turn_logs).max() / period)
    if not np.isfinite(slowest.others).all():
        return Tail(log_rate, np.inf)
    periods = count // period
    products, logs = _power(turns, turn_logs, periods)
    products, logs = scaled(products @ branch.starts[:period], logs)
    log_norm = -np.inf
    for step in range(period):
        ends = (np.arange(period) + step) % period
        shift = logs - (periods * period + step - count) * log_rate
        log_norm = _raised(log_norm, products, shift, Slowest(*(part[ends] for part in slowest)))
        products, logs = scaled(branch.maps[ends] @ products, logs)
    return Tail(log_rate, log_norm)


def _slowest(turns: Float[np.ndarray, "period m m"]) -> Slowest | None:
    """Part of largest modulus of each period map; None when everything dies, `others` inf when defective."""
    values, vectors = np.linalg.eig(turns)
    order = np.argsort(-np.abs(values), axis=1, kind="stable")
    values, vectors = np.take_along_axis(values, order, 1), np.take_along_axis(vectors, order[:, None], 2)
    modulus = np.abs(values[:, 0])
    if not modulus.all():
        return None
    kept = np.abs(values) >= modulus[:, None] * (1 - SAME_MODULUS) ** len(turns)
    try:
        duals = np.linalg.inv(vectors)
    except np.linalg.LinAlgError:
        duals = np.full_like(vectors, np.inf)
    if not np.isfinite(duals).all():
        return Slowest(modulus, vectors, duals, np.full(len(turns), np.inf), modulus)
    most = int(kept.sum(axis=1).max())
    vectors, duals = (vectors * kept[:, None])[:, :, :most], (duals * kept[:, :, None])[:, :most]
    rest = turns - (vectors * values[:, None, :most]) @ duals
    return Slowest(modulus, vectors, duals, _power_bound(rest / modulus[:, None, None]), _norm(vectors))


def _raised(
    least: float,
    products: Float[np.ndarray, "starts m m"],
    logs: Float[np.ndarray, " starts"],
    slowest: Slowest,
) -> float:
    """Raise a log bound to the largest over these products; Frobenius norms spare most singular values."""
    seen = slowest.duals @ products
    left = slowest.others * np.linalg.norm(products - slowest.vectors @ seen, axis=(1, 2))
    with np.errstate(divide="ignore"):
        near = np.log(slowest.reach * np.linalg.norm(seen, axis=(1, 2)) + left) + logs > least
        if not near.any():
            return least
        size = slowest.reach[near] * _norm(seen[near]) + left[near]
        return max(least, float((np.log(size) + logs[near]).max()))


def _period_maps(maps: Float[np.ndarray, "period m m"]) -> tuple[np.ndarray, np.ndarray]:
    """Product over one period from every start, with the logs of their scales."""
    turns, logs = scaled(maps, np.zeros(len(maps)))
    for step in range(1, len(maps)):
        turns, logs = scaled(np.roll(maps, -step, axis=0) @ turns, logs)
    return turns, logs


def _power(matrices: np.ndarray, logs: np.ndarray, exponent: int) -> tuple[np.ndarray, np.ndarray]:
    """Power of every matrix by repeated squaring, rescaled each time."""
    power, power_logs = np.broadcast_to(np.eye(matrices.shape[1]), matrices.shape), np.zeros_like(logs)
    while exponent:
        if exponent % 2:
            power, power_logs = scaled(matrices @ power, power_logs + logs)
        matrices, logs = scaled(matrices @ matrices, 2 * logs)
        exponent //= 2
    return power, power_logs


def _power_bound(matrices: np.ndarray) -> Float[np.ndarray, " starts"]:
    """Largest norm among all powers 0, 1, 2, … of each matrix; inf unless one of the first has norm ≤ 1."""
    power, worst = matrices, np.ones(len(matrices))
    for _ in range(MOST_POWERS):
        norm = _norm(power)
        if (norm <= 1).all():
            return worst
        worst, power = np.maximum(worst, norm), matrices @ power
    return np.full(len(matrices), np.inf)


def _norm(matrices: np.ndarray) -> np.ndarray:
    return np.linalg.norm(matrices, 2, axis=(1, 2))
