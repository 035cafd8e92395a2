r"""Certified block gaps: proof, at a resolution, that a batch of stacks has a dichotomy of rank k.

Split the triangular layers behind k directions. Over every stretch of H maps the leading
block must grow and the trailing block must decay; the coupling between them is bounded,
so every $\gamma$ with $\mathrm{up}_k < \gamma < \mathrm{lo}_k$ lies in a gap of rank k.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.batch_frames import diagonal, inverse, orthonormalised, product, scaled, transpose
from engine.device import bucket, run_all
from engine.qr_flow import random_frame

SQUARINGS = 4
"""Squarings of the Gram matrix in a norm: overestimates by at most d^(1/64) over a stretch."""

LEAST_WEIGHT = -690.0
"""Natural log of the smallest factor a row is scaled by; smaller ones count as this: never too small."""

FEW_LANES, LANES = 8, 128
"""Stacks swept together, along the last axis of every array: a few, or a tile of many."""


class BlockGap(NamedTuple):
    """Certified growth of the two blocks at the ranks asked for, natural logs per map.

    **Fields:**

    - `lower`: least growth of the k leading directions over a stretch; +inf for k = 0.
    - `upper`: largest growth of the d−k trailing directions; −inf for k = d.
    """

    lower: Float[np.ndarray, "batch ranks"]
    upper: Float[np.ndarray, "batch ranks"]


def block_gaps(
    factors: Float[np.ndarray, "batch layers d d"],
    window: int,
    ranks: Sequence[int] | None = None,
    room: int = 0,
) -> BlockGap:
    r"""Bound the growth of the leading and the trailing block over every stretch of `window` maps.

    $\mathrm{lo}_k = \min_s \sigma_{\min}(\prod R_{11})^{1/H}$ and
    $\mathrm{up}_k = \max_s \|\prod R_{22}\|^{1/H}$ over sliding stretches. The triangles come from a
    QR sweep whose frame is adapted to the whole stack, so that triangular layers cannot pose as
    diagonal. Every stretch is one suffix times one prefix of neighbouring chunks of H maps. Norms are
    overestimated by at most $d^{1/64}$ per stretch: a reported gap is never wider than the true one.

    **Arguments:**

    - `factors`: a batch of stacks, first map first.
    - `window`: maps per stretch, H; moving it never recompiles.
    - `ranks`: the ranks k to bound, each 0 … d; left out: all of them.
    - `room`: maps the kernel must have room for; stacks of several lengths then share a compiled one.

    **Returns:** log edges per map; rank k has a gap where `upper` < `lower`.

    **Raises:** `ValueError` unless 1 ≤ `window` ≤ layers and all ranks lie in 0 … d.
    """
    batch, depth, width, _ = factors.shape
    if not 1 <= window <= depth:
        raise ValueError(f"window must lie in 1..{depth} (maps); got {window}.")
    ranks = range(width + 1) if ranks is None else ranks
    if not all(0 <= rank <= width for rank in ranks):
        raise ValueError(f"ranks must lie in 0..{width} (directions); got {list(ranks)}.")
    wanted = np.array(ranks, dtype=np.int64)
    padded = np.resize(wanted, width + 1)
    jobs = [(tile, random_frame(width), depth, window, padded, len(ranks)) for tile in _tiles(factors, room)]
    parts = run_all(_gap_kernel, jobs)
    edges = (np.concatenate([part[side] for part in parts], axis=1).T for side in (0, 1))
    lower, upper = (edge[:batch, : len(ranks)] for edge in edges)
    return BlockGap(np.where(wanted == 0, np.inf, lower), np.where(wanted == width, -np.inf, upper))


def _tiles(factors: np.ndarray, room: int) -> list[np.ndarray]:
    """Pad a batch to whole tiles and a bucket of layers, so that nearby sizes share a compiled kernel."""
    batch, depth, width, _ = factors.shape
    lanes = FEW_LANES if batch <= FEW_LANES else LANES
    tiles = -(-batch // lanes)
    padded = np.broadcast_to(np.eye(width), (tiles * lanes, bucket(max(depth, room)), width, width)).copy()
    padded[:batch, :depth] = factors
    return list(padded.reshape(tiles, lanes, *padded.shape[1:]))


@jax.jit
def _gap_kernel(
    stacks: jax.Array,
    frame: jax.Array,
    depth: jax.Array,
    window: jax.Array,
    ranks: jax.Array,
    count: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Lower and upper edges of one tile at the first `count` ranks, each (ranks, lanes)."""
    layers, log_sizes = scaled(jnp.moveaxis(stacks, 0, -1))
    triangles = _triangles(layers, frame)
    stretch = diagonal(triangles)
    lost = stretch == 0
    quotients = _turned(inverse(triangles, jnp.where(lost, 1.0, stretch)))
    index = jnp.arange(len(layers))
    end = jnp.minimum(index + window - 1, len(layers) - 1)
    rows, row_logs = _over_stretches(
        jnp.concatenate([triangles, quotients], axis=-1),
        jnp.concatenate([log_sizes, -log_sizes], axis=-1),
        window,
        end,
    )
    products, quotients = jnp.split(rows, 2, axis=-1)
    product_logs, quotient_logs = jnp.split(row_logs, 2, axis=-1)
    losses = jnp.cumsum(jnp.concatenate([jnp.zeros_like(lost[:1], int), lost.astype(int)]), axis=0)
    lost_within = losses[end + 1] > losses[index]
    valid = (index + window <= depth)[:, None]

    def at_rank(position: jax.Array, edges: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        leading = jnp.arange(layers.shape[1]) < ranks[position]
        decay = _log_norm(_block(products, ~leading), _of(product_logs, ~leading))
        growth = -_log_norm(_block(quotients, leading[::-1]), _of(quotient_logs, leading[::-1]))
        growth = jnp.where((lost_within & leading[:, None]).any(axis=1), -jnp.inf, growth)
        lower = jnp.where(valid, growth, jnp.inf).min(axis=0) / window
        upper = jnp.where(valid, decay, -jnp.inf).max(axis=0) / window
        return edges[0].at[position].set(lower), edges[1].at[position].set(upper)

    unset = jnp.zeros((len(ranks), layers.shape[-1]))
    return jax.lax.fori_loop(0, count, at_rank, (unset, unset))


def _triangles(layers: jax.Array, frame: jax.Array) -> jax.Array:
    """Sweep back by the transposes for the start frame, then forward; one triangle per layer."""

    def step(frame: jax.Array, layer: jax.Array) -> tuple[jax.Array, jax.Array]:
        return orthonormalised(product(layer, frame))

    there_and_back = jnp.concatenate([transpose(layers)[::-1], layers])
    start = jnp.broadcast_to(frame[:, :, None], layers.shape[1:])
    return jax.lax.scan(step, start, there_and_back)[1][len(layers) :]


def _turned(triangle: jax.Array) -> jax.Array:
    """Transpose and reverse the directions: triangles stay upper ones, products turn around."""
    return transpose(triangle)[..., ::-1, ::-1, :]


def _over_stretches(
    maps: jax.Array, logs: jax.Array, window: jax.Array, end: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Multiply the maps of every stretch, later ones on the left; rows of largest entry 1 and their logs.

    Cut the maps into chunks of `window`: a stretch is the tail of one chunk and the head of the next.
    """
    index = jnp.arange(len(maps))
    opens, closes = index % window == 0, (index + 1) % window == 0
    maps, row_logs = _scaled_rows(maps)
    maps_logs = row_logs + logs[:, None]

    def head(state: tuple, job: tuple) -> tuple[tuple, tuple]:
        new, new_logs, start = job
        longer, longer_logs = _row_product(new, new_logs, state[0], state[1])
        state = jnp.where(start, new, longer), jnp.where(start, new_logs, longer_logs)
        return state, state

    def tail(state: tuple, job: tuple) -> tuple[tuple, tuple]:
        new, new_logs, start = job
        longer, longer_logs = _row_product(state[0], state[1], new, new_logs)
        state = jnp.where(start, new, longer), jnp.where(start, new_logs, longer_logs)
        return state, state

    empty = jnp.zeros_like(maps[0]), jnp.zeros_like(maps_logs[0])
    heads, head_logs = jax.lax.scan(head, empty, (maps, maps_logs, opens))[1]
    tails, tail_logs = jax.lax.scan(tail, empty, (maps, maps_logs, closes), reverse=True)[1]
    across, across_logs = _row_product(heads[end], head_logs[end], tails, tail_logs)
    whole = opens[:, None, None]
    return jnp.where(whole[..., None], tails, across), jnp.where(whole, tail_logs, across_logs)


def _scaled_rows(matrix: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Scale every row to largest entry 1; the rows and the logs of their scales, −inf for zero rows."""
    size = jnp.abs(matrix).max(axis=-2)
    return matrix / jnp.where(size == 0, 1.0, size)[..., None, :], jnp.log(size)


def _row_product(
    left: jax.Array, left_logs: jax.Array, right: jax.Array, right_logs: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Multiply upper triangles kept as rows and logs; no row is lost, however small beside another.

    Row i of the product needs the rows j ≥ i of the right factor: the largest of those sets its scale.
    """
    shift = _finite(jax.lax.cummax(right_logs, axis=right_logs.ndim - 2, reverse=True))
    weights = jnp.exp(jnp.clip(right_logs[..., None, :, :] - shift[..., None, :], LEAST_WEIGHT, 0.0))
    rows, growth = _scaled_rows(product(left * weights, right))
    return rows, growth + shift + left_logs


def _finite(logs: jax.Array) -> jax.Array:
    return jnp.where(jnp.isneginf(logs), 0.0, logs)


def _of(logs: jax.Array, chosen: jax.Array) -> jax.Array:
    """Keep the logs of the rows of one block, −inf elsewhere."""
    return jnp.where(chosen[:, None], logs, -jnp.inf)


def _block(matrices: jax.Array, chosen: jax.Array) -> jax.Array:
    """Keep the columns of one block, zero elsewhere."""
    return matrices * chosen[:, None]


def _log_norm(rows: jax.Array, row_logs: jax.Array) -> jax.Array:
    """Log 2-norm of diag(e^row_logs) · rows by repeated squaring of the Gram matrix; never too small."""
    shift = row_logs.max(axis=-2)
    finite = _finite(shift)
    matrices = rows * jnp.exp(row_logs - finite[..., None, :])[..., None, :]
    power = product(matrices, transpose(matrices))
    power = jax.lax.fori_loop(0, SQUARINGS, lambda _, power: product(power, power), power)
    return jnp.log((power * power).sum(axis=(-3, -2))) / 2 ** (SQUARINGS + 2) + finite
