r"""How a splitting's two branches shrink with the lag: $N_\pm[n]$, the worst norm over all starts.

$N_-[n] = \max_s \|\Phi(s+n, s) P_-(s)\|$ follows the decaying directions forward and
$N_+[n] = \max_s \|\Phi(s-n, s) P_+(s)\|$ the growing ones backward. Both are taken in
reduced coordinates, where the products are of S or of $R^{-1}$ only: a projector carried
through full layers would pick up round-off that grows.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from engine.splitting import Splitting
from engine.steps import Steps, drained

PRODUCTS_PER_STEP = 256
"""Products advanced together on a periodic stack, at least: short periods take several lags at a time."""

SCREEN = 1e-12
"""Slack of the screen that picks the starts whose norm may be the largest (natural log)."""

_Squares = Float[np.ndarray, "starts m m"]


class Branch(NamedTuple):
    r"""One branch in reduced coordinates, written so that it is followed forward and should shrink.

    **Fields:**

    - `maps`: S(0), …, S(L−1), or $R(L-1)^{-1}, …, R(0)^{-1}$.
    - `starts`: square factors of $Y(s)^T$ or $Z(s)^T$, same norm, in the order of the maps.
    - `periodic`: whether the maps repeat for ever.
    """

    maps: _Squares
    starts: _Squares
    periodic: bool


class Lags(NamedTuple):
    r"""Worst norms by lag, natural logs; −inf where the branch is absent or has died out.

    **Fields:**

    - `log_decay`: $\ln N_-[n]$ for n = 0, 1, ….
    - `log_growth`: $\ln N_+[n]$ for n = 0, 1, ….
    """

    log_decay: Float[np.ndarray, " lags"]
    log_growth: Float[np.ndarray, " lags"]


def lags(splitting: Splitting, most: int | None = None) -> Lags:
    r"""Worst norm of either branch over every lag up to `most`, over all starts.

    **Arguments:**

    - `splitting`: a splitting with status `ok`; if periodic, the arrays are taken as one period.
    - `most`: largest lag, in layers; left out, or longer than a window: the layers of the splitting.

    **Returns:** natural logs for the lags 0 … `most`.

    **Raises:** `ValueError` for a missing splitting or a negative lag.
    """
    if splitting.status != "ok":
        raise ValueError(f'splitting must have status "ok"; got "{splitting.status}".')
    depth = len(splitting.grow)
    most = depth if most is None else most
    if most < 0:
        raise ValueError(f"most must be at least 0 (layers); got {most}.")
    most = most if splitting.periodic else min(most, depth)
    return Lags(log_norms(decay_branch(splitting), most), log_norms(growth_branch(splitting), most))


def decay_branch(splitting: Splitting) -> Branch:
    r"""Decaying branch, followed forward: $\Phi(s+n, s) P_-(s) = V(s+n)\,S(s+n-1) \cdots S(s)\,Y(s)^T$."""
    return Branch(splitting.decay, _square(splitting.read_stable), splitting.periodic)


def growth_branch(splitting: Splitting) -> Branch:
    r"""Growing branch, backward: $\Phi(s-n, s) P_+(s) = U(s-n)\,R(s-n)^{-1} \cdots R(s-1)^{-1} Z(s)^T$."""
    return Branch(
        np.linalg.inv(splitting.grow)[::-1], _square(splitting.read_unstable)[::-1], splitting.periodic
    )


def log_norms(branch: Branch, most: int) -> Float[np.ndarray, " lags"]:
    """Largest norm over all starts for the lags 0 … `most`, natural logs."""
    return drained(log_norms_steps(branch, most))


def log_norms_steps(branch: Branch, most: int) -> Steps[Float[np.ndarray, " lags"]]:
    """Find what `log_norms` does, one lag of a window a step."""
    if branch.maps.shape[1] == 0:
        return np.full(most + 1, -np.inf)
    return _periodic_norms(branch, most) if branch.periodic else (yield from _window_norms(branch, most))


def scaled(matrices: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bring every matrix to Frobenius norm 1; the logs take the scale, −inf for a zero matrix."""
    size = np.sqrt(np.einsum("...ij,...ij->...", matrices, matrices))
    with np.errstate(divide="ignore"):
        return matrices / np.where(size == 0, 1.0, size)[..., None, None], logs + np.log(size)


def _square(readings: Float[np.ndarray, "depths m d"]) -> Float[np.ndarray, "depths m m"]:
    """Square matrices with the singular values of the wide ones: the triangles of their transposes."""
    if readings.shape[1] == 0:
        return readings[:, :, :0]
    return np.swapaxes(np.linalg.qr(np.swapaxes(readings, 1, 2), mode="r"), 1, 2)


def _window_norms(branch: Branch, most: int) -> Steps[Float[np.ndarray, " lags"]]:
    """Follow all starts together, one lag at a time; starts whose window ends drop out."""
    products, logs = scaled(branch.starts, np.zeros(len(branch.starts)))
    norms = [_largest(products[None], logs[None])]
    for lag in range(1, most + 1):
        products, logs = scaled(branch.maps[lag - 1 :] @ products[:-1], logs[:-1])
        norms.append(_largest(products[None], logs[None]))
        yield lag / most * (2 - lag / most)  # later lags have fewer starts
    return np.concatenate(norms)


def _periodic_norms(branch: Branch, most: int) -> Float[np.ndarray, " lags"]:
    """Follow one period of starts over a block of lags, then advance the whole block at once."""
    period = len(branch.maps)
    block = min(max(PRODUCTS_PER_STEP // period, 1), most + 1)
    products, logs, step, step_logs = _lag_block(branch.maps, block)
    block = len(products)
    products, logs = scaled(products @ branch.starts[:period], logs)
    ends = (np.arange(period) + np.arange(block)[:, None]) % period
    norms = [_largest(products, logs)]
    for _ in range(block, most + 1, block):
        products, logs = scaled(step[ends] @ products, step_logs[ends] + logs)
        ends = (ends + block) % period
        norms.append(_largest(products, logs))
    return np.concatenate(norms)[: most + 1]


def _lag_block(maps: np.ndarray, count: int) -> tuple[np.ndarray, ...]:
    """Products over the lags 0 … n − 1 from every start, n ≥ count by doubling, and those over n layers."""
    period, width, _ = maps.shape
    starts = np.arange(period)
    products, logs = np.broadcast_to(np.eye(width), (1, period, width, width)), np.zeros((1, period))
    step, step_logs = scaled(maps, np.zeros(period))
    while len(products) < count:
        ends = (starts + np.arange(len(products))[:, None]) % period
        longer, longer_logs = scaled(step[ends] @ products, step_logs[ends] + logs)
        onward = (starts + len(products)) % period
        step, step_logs = scaled(step[onward] @ step, step_logs[onward] + step_logs)
        products, logs = np.concatenate([products, longer]), np.concatenate([logs, longer_logs])
    return products, logs, step, step_logs


def _largest(
    products: Float[np.ndarray, "lags starts m m"], logs: Float[np.ndarray, "lags starts"]
) -> Float[np.ndarray, " lags"]:
    """Log of the largest 2-norm of each row; only starts that may hold it get a singular value."""
    near = _near_largest(products, logs)
    largest = np.full(len(products), -np.inf)
    with np.errstate(divide="ignore"):
        values = np.log(np.linalg.svd(products[near], compute_uv=False)[:, 0]) + logs[near]
    np.maximum.at(largest, np.nonzero(near)[0], values)
    return largest


def _near_largest(products: np.ndarray, logs: np.ndarray) -> Bool[np.ndarray, "lags starts"]:
    r"""Mark the starts that may hold the largest 2-norm of their lag.

    Their upper bound $(\sum \sigma^8)^{1/8}$ is no less than the best lower bound
    $(\sum \sigma^8 / \sum \sigma^6)^{1/2}$; both need only the Gram matrix and its square.
    """
    gram = products @ np.swapaxes(products, -2, -1)
    square = gram @ gram
    eighth, sixth = (np.einsum("...ij,...ij->...", square, other) for other in (square, gram))
    dead = eighth == 0
    eighth, sixth = (np.log(np.where(dead, 1.0, power)) for power in (eighth, sixth))
    lower = (eighth - sixth) / 2 + logs
    return eighth / 8 + logs >= lower.max(axis=1, keepdims=True) - SCREEN
