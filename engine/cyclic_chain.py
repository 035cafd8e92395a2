r"""Chains of maps around a period, collapsed by orthogonal elimination.

A chain is $N_i x_{i+1} = A_i x_i + g_i$. Neighbouring links are merged by a QR factorisation that
eliminates the state between them, all pairs of a level at once, until one link is left. No map is
inverted and no product is formed, so growth and decay of any size survive.
"""

from typing import NamedTuple

import numpy as np


class Chain(NamedTuple):
    r"""Links $N_i x_{i+1} = A_i x_i + g_i$; leading axes are independent chains.

    - `after`: N, shape (…, n, m, m).
    - `before`: A, shape (…, n, m, m).
    - `forcing`: g, shape (…, n, m).
    """

    after: np.ndarray
    before: np.ndarray
    forcing: np.ndarray


class _Merger(NamedTuple):
    """How a level recovers its eliminated states: triangle · x = forcing + early x₋ − late x₊."""

    triangle: np.ndarray
    early: np.ndarray
    late: np.ndarray
    forcing: np.ndarray
    orientation: np.ndarray


def collapsed(chain: Chain) -> Chain:
    """Merge all links of a chain into one, from its first state to its last.

    **Arguments:**

    - `chain`: at least one link.

    **Returns:** a chain of one link with the same first and last state.

    Reference: Wright, SIAM J. Sci. Stat. Comput. 13 (1992) 742-764 (structured orthogonal factorisation).
    """
    while chain.after.shape[-3] > 1:
        chain, _ = _merge_pairs(chain)
    return chain


class Closed(NamedTuple):
    """Solution of a chain that closes on itself.

    - `states`: x_0, …, x_{n−1}, shape (…, n, m).
    - `orientation`: sign of the determinant of the closed chain, up to a sign that depends on n and m only.
    """

    states: np.ndarray
    orientation: np.ndarray


def closed(chain: Chain) -> Closed:
    """Solve a chain that closes on itself, $x_n = x_0$.

    **Arguments:**

    - `chain`: at least one link.

    **Returns:** the states and the sign of the determinant.

    **Raises:** `numpy.linalg.LinAlgError` when the closed chain is singular.
    """
    mergers: list[_Merger] = []
    while chain.after.shape[-3] > 1:
        chain, merger = _merge_pairs(chain)
        mergers.append(merger)
    closing = chain.after - chain.before
    states, orientation = _solved(closing, chain.forcing), _signs(closing)
    for merger in reversed(mergers):
        states = _with_eliminated(states, merger)
        orientation = orientation * merger.orientation
    return Closed(states, orientation)


def _merge_pairs(chain: Chain) -> tuple[Chain, _Merger]:
    """Merge links 0 and 1, 2 and 3, …; an odd last link stays."""
    size = chain.after.shape[-1]
    paired = chain.after.shape[-3] // 2 * 2
    first, second = (
        Chain(*(part[..., start:paired:2, :, :] for part in _columns(chain))) for start in (0, 1)
    )
    turn, triangle = np.linalg.qr(np.concatenate([first.after, -second.before], axis=-2), mode="complete")
    turn = np.swapaxes(turn.conj(), -1, -2)
    above, below = turn[..., :size, :], turn[..., size:, :]
    both = np.concatenate([first.forcing, second.forcing], axis=-2)
    merged = Chain(below[..., size:] @ second.after, below[..., :size] @ first.before, (below @ both)[..., 0])
    merger = _Merger(
        triangle[..., :size, :],
        above[..., :size] @ first.before,
        above[..., size:] @ second.after,
        (above @ both)[..., 0],
        _signs(turn) * _signs(triangle[..., :size, :]),
    )
    if paired == chain.after.shape[-3]:
        return merged, merger
    last = (chain.after[..., -1:, :, :], chain.before[..., -1:, :, :], chain.forcing[..., -1:, :])
    axes = (-3, -3, -2)
    joined = [np.concatenate(parts, axis=axis) for *parts, axis in zip(merged, last, axes, strict=True)]
    return Chain(*joined), merger


def _with_eliminated(states: np.ndarray, merger: _Merger) -> np.ndarray:
    """Insert the states that a level had eliminated between their neighbours."""
    pairs, kept = merger.triangle.shape[-3], states.shape[-2]
    following = np.roll(states, -1, axis=-2)[..., :pairs, :]
    known = merger.forcing + _applied(merger.early, states[..., :pairs, :]) - _applied(merger.late, following)
    found = np.empty((*states.shape[:-2], kept + pairs, states.shape[-1]), dtype=states.dtype)
    found[..., 0 : 2 * pairs : 2, :] = states[..., :pairs, :]
    found[..., 1 : 2 * pairs : 2, :] = _solved(merger.triangle, known)
    found[..., 2 * pairs :, :] = states[..., pairs:, :]
    return found


def _signs(matrices: np.ndarray) -> np.ndarray:
    """Product of the signs of the determinants along the chain."""
    return np.asarray(np.linalg.slogdet(matrices)[0].prod(axis=-1))


def _columns(chain: Chain) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return chain.after, chain.before, chain.forcing[..., None]


def _applied(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return (matrices @ vectors[..., None])[..., 0]


def _solved(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.linalg.solve(matrices, vectors[..., None])[..., 0]
