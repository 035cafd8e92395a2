"""Floquet multipliers of a periodic stack, without ever multiplying its layers together."""

from itertools import pairwise
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float

from engine.device import run
from engine.qr_flow import ZERO_STRETCH, forward_sweep, padded, random_frame

COUPLING = 1e-13
"""A split of the frame is converged when one period turns it by less than this."""

SWEEPS_PER_SPLIT = 8
"""Sweeps granted to each split of an unresolved block; neighbours in it then differ little in modulus."""

SWEPT_LAYERS = 8192
"""Layers swept in all before unresolved splits are accepted (never fewer than eight periods)."""


class Multipliers(NamedTuple):
    """Multipliers of one period: eigenvalues of the product of its layers, in polar form.

    **Fields:**

    - `log_modulus`: natural log of |mu| for the whole period, largest first; −inf for zero.
    - `phase`: angle of mu in (−pi, pi], radians; 0 for zero.
    """

    log_modulus: Float[np.ndarray, " d"]
    phase: Float[np.ndarray, " d"]


def multipliers(factors: Float[np.ndarray, "period d d"]) -> Multipliers:
    r"""Eigenvalues of the period map $B(p-1) \cdots B(0)$, small ones as accurate as large ones.

    Sweep the period by QR from a fixed random frame until the frame returns to itself
    up to block rotations; the period map is then block triangular in that frame, and
    each block holds multipliers of nearly equal modulus. A block's multipliers are the
    eigenvalues of its own product, kept with a running log. One layer: its eigenvalues.

    **Arguments:**

    - `factors`: layers B(0), …, B(p−1) of one period.

    **Returns:** log moduli of one whole period and phases, largest modulus first.

    **Raises:** `ValueError` for an empty period.

    Reference: Dieci, Jolly and Van Vleck, J. Comput. Nonlinear Dyn. 6 (2011) 011003.
    """
    period, width, _ = factors.shape
    if period == 0:
        raise ValueError("factors must hold at least one layer; got a period of 0.")
    if period == 1:
        return _polar(np.zeros(()), _layer_eigenvalues(factors[0]))
    limit = max(SWEEPS_PER_SPLIT, SWEPT_LAYERS // period)
    turn, triangles, splits = run(_sweep_kernel, padded(factors), random_frame(width), limit)
    edges = [0, *(np.flatnonzero(~splits) + 1), width]
    blocks = [slice(start, stop) for start, stop in pairwise(edges)]
    parts = [_block_multipliers(turn[block, block], triangles[:, block, block]) for block in blocks]
    log_modulus = np.concatenate([part.log_modulus for part in parts])
    order = np.argsort(-log_modulus, kind="stable")
    return Multipliers(log_modulus[order], np.concatenate([part.phase for part in parts])[order])


@jax.jit
def _sweep_kernel(layers: jax.Array, frame: jax.Array, limit: jax.Array) -> tuple[jax.Array, ...]:
    """Sweep until the frame returns to itself; give its turn, the triangles and the open splits."""

    def unresolved(state: tuple[jax.Array, ...]) -> jax.Array:
        *_, triangles, splits, sweeps = state
        least = jnp.where(_lost(triangles).any(), splits.size + 2, 2)
        closed_so_far = jax.lax.cummax(jnp.where(splits, 0, jnp.cumsum(splits)))
        longest = (jnp.cumsum(splits) - closed_so_far).max(initial=0)
        return (sweeps < least) | (sweeps < jnp.minimum(limit, SWEEPS_PER_SPLIT * longest))

    def sweep(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        start, *_, sweeps = state
        end, triangles = forward_sweep(layers, start)
        turn = start.T @ end
        return end, turn, triangles, _open_splits(turn, triangles), sweeps + 1

    width = frame.shape[0]
    blank = (frame, frame, jnp.zeros_like(layers), jnp.ones(width - 1, bool), jnp.asarray(0))
    return jax.lax.while_loop(unresolved, sweep, blank)[1:4]


def _open_splits(turn: jax.Array, triangles: jax.Array) -> jax.Array:
    """Mark each split whose leading directions leave their own span; a lost direction stands alone."""
    below = jax.lax.cummax(jnp.abs(turn), axis=0, reverse=True)
    leaving = jnp.diagonal(jax.lax.cummax(below, axis=1), offset=-1)
    lost = _lost(triangles)
    return (leaving > COUPLING) & ~lost[1:] & ~lost[:-1]


def _lost(triangles: jax.Array) -> jax.Array:
    """Mark directions some layer sends to zero; one sweep per width sorts them behind all others."""
    return (jnp.diagonal(triangles, axis1=1, axis2=2) == 0).any(axis=0)


def _block_multipliers(
    turn: Float[np.ndarray, "m m"], triangles: Float[np.ndarray, "layers m m"]
) -> Multipliers:
    """Multipliers of one diagonal block: its product, halved pairwise with a running log."""
    if turn.shape[0] == 1:
        with np.errstate(divide="ignore"):
            log_modulus = np.log(triangles[:, 0, 0]).sum() + np.log(np.abs(turn[0, 0]))
        return _polar(np.asarray(log_modulus), np.sign(turn[0]).astype(complex))
    log_scale = 0.0
    while len(triangles) > 1:
        triangles = triangles[1::2] @ triangles[::2]
        sizes = np.abs(triangles).max(axis=(1, 2))
        log_scale += np.log(sizes).sum()
        triangles = triangles / sizes[:, None, None]
    return _polar(np.asarray(log_scale), np.linalg.eigvals(turn @ triangles[0]).astype(complex))


def _layer_eigenvalues(layer: Float[np.ndarray, "d d"]) -> Complex[np.ndarray, " d"]:
    """Eigenvalues of a single layer, round-off set to an exact zero unless it is triangular."""
    if not np.tril(layer, -1).any() or not np.triu(layer, 1).any():
        return np.diagonal(layer).astype(complex)
    values = np.linalg.eigvals(layer).astype(complex)
    return np.where(np.abs(values) <= ZERO_STRETCH * np.abs(layer).max(), 0.0, values)


def _polar(log_scale: Float[np.ndarray, ""], values: Complex[np.ndarray, " m"]) -> Multipliers:
    """Polar form of values · e^log_scale, largest first."""
    with np.errstate(divide="ignore"):
        log_modulus = np.log(np.abs(values)) + log_scale
    phase = np.where(np.isneginf(log_modulus), 0.0, np.angle(values))
    phase[phase == -np.pi] = np.pi
    order = np.argsort(-log_modulus, kind="stable")
    return Multipliers(log_modulus[order], phase[order])
