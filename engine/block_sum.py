r"""Row sums $\sum_s \|G(\ell, s)\|$ of the Green operator, on a window or on the whole line."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from engine.lags import Branch, decay_branch, growth_branch
from engine.splitting import Splitting

NEGLIGIBLE = 1e-15
"""Lags are summed until all further ones together are at most this share of the sum ..."""

TOLERABLE = 1e-3
"""... or this share, once many norms have been taken. What is left out is added as a bound."""

MANY_NORMS = 2**18

LONGEST_LAG = 2**16
"""Lags summed on a repeated stack before the bound on the rest is taken as it is."""

MOST_TOGETHER = 2**13
"""Products of a repeated stack advanced together."""


def block_sums(splitting: Splitting) -> Float[np.ndarray, " depths"]:
    r"""Sum the block norms of every row of the Green operator.

    The largest sum bounds the operator in the norm sup over layers of the 2-norm. On a window the
    sum runs over its own layers; on a repeated stack over all of ℤ. With $b_n$ the largest norm at
    lag n, all lags from N on add at most $b_N/(1-b_N)\sum_{n<N} b_n$ (norms are submultiplicative):
    the sum stops once that is negligible, and the bound is added.

    **Arguments:**

    - `splitting`: from `engine.splitting.split`; if periodic, over whole periods.

    **Returns:** one sum per depth, layers; inf where a repeated stack decays too slowly to tell.

    **Raises:** `ValueError` for a missing splitting.
    """
    if splitting.status != "ok":
        raise ValueError(f'splitting must have status "ok"; got "{splitting.status}".')
    past, future = decay_branch(splitting), growth_branch(splitting)
    if splitting.periodic:
        # Position i of the growing branch is depth p − i.
        sums = _repeated_sums(past, 0) + np.roll(_repeated_sums(future, 1)[::-1], 1)
        return np.append(sums, sums[0])
    # A source at layer s acts first at depth s + 1: nothing decays from depth 0.
    from_past = _window_sums(past._replace(maps=past.maps[1:], starts=past.starts[1:]), 0)
    return np.append(0.0, from_past) + _window_sums(future, 1)[::-1]


def _window_sums(branch: Branch, first_lag: int) -> Float[np.ndarray, " ends"]:
    """Sum over the lags at the position where each product ends; starts whose window ends drop out."""
    products, sums = branch.starts, np.zeros(len(branch.starts))
    seen, taken = 0.0, 0
    if branch.maps.shape[1] == 0:
        return sums
    for lag in range(len(sums)):
        norms = _norms(products)
        largest = float(norms.max())
        rest = _rest(largest, seen)
        if lag > first_lag and rest <= _share(taken) * seen:
            return sums + rest
        if lag >= first_lag:
            sums[lag:] += norms
        seen, taken = seen + largest, taken + len(norms)
        products = branch.maps[lag:] @ products[:-1]
    return sums


def _repeated_sums(branch: Branch, first_lag: int) -> Float[np.ndarray, " period"]:
    """The same over all lags of a repeated stack, in blocks of lags."""
    period = len(branch.maps)
    sums, seen, taken = np.zeros(period), 0.0, 0
    if branch.maps.shape[1] == 0:
        return sums
    for lag, products in _lag_blocks(branch):
        norms = _norms(products.reshape(-1, *products.shape[2:])).reshape(len(products), period)
        ends = (np.arange(period) + lag + np.arange(len(products))[:, None]) % period
        largest = norms.max(axis=1)
        norms[: max(first_lag - lag, 0)] = 0.0
        # The last lag of a block stands for all later ones where the sum may stop.
        before, taken = seen + largest[:-1].sum(), taken + norms.size
        rest = _rest(largest[-1], before)
        if lag > first_lag and (rest <= _share(taken) * before or lag > LONGEST_LAG):
            np.add.at(sums, ends[:-1], norms[:-1])
            return sums + rest
        np.add.at(sums, ends, norms)
        seen = before + largest[-1]
    return sums


def _lag_blocks(branch: Branch) -> Iterator[tuple[int, Float[np.ndarray, "lags period m m"]]]:
    """Products over lags 0, 1, 2–3, 4–7, … from every start, later in blocks of equal length, without end."""
    starts = np.arange(len(branch.maps))
    source, stride = branch.starts[None, : len(starts)], branch.maps
    base, lag = 0, 1
    yield 0, source
    while True:
        ends = (starts + base + np.arange(len(source))[:, None]) % len(starts)
        block = stride[ends] @ source
        yield lag, block
        lag += len(block)
        if base == 0 and 2 * source[..., 0, 0].size <= MOST_TOGETHER:
            stride = stride[(starts + len(source)) % len(starts)] @ stride
            source = np.concatenate([source, block])
        else:
            source, base = block, lag - len(block)


def _rest(largest: float, seen: float) -> float:
    """Bound on all lags from the one on whose largest norm is given, after those seen."""
    return largest / (1 - largest) * seen if largest < 1 else np.inf


def _share(taken: int) -> float:
    return NEGLIGIBLE if taken < MANY_NORMS else TOLERABLE


def _norms(matrices: Float[np.ndarray, "starts m m"]) -> Float[np.ndarray, " starts"]:
    """2-norms: closed form up to 2×2, above from the Gram matrices."""
    if matrices.shape[1] == 1:
        return np.abs(matrices[:, 0, 0])
    if matrices.shape[1] == 2:
        (a, b), (c, d) = matrices.transpose(1, 2, 0)
        return (np.hypot(a + d, c - b) + np.hypot(a - d, b + c)) / 2
    gram = matrices @ np.swapaxes(matrices, 1, 2)
    return np.sqrt(np.maximum(np.linalg.eigvalsh(gram)[:, -1], 0.0))
