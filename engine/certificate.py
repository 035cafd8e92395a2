r"""Certified block gaps: proof, at a resolution, that a batch of stacks has a dichotomy of rank k.

Split the triangular layers behind k directions. The leading block must grow and the
trailing block must decay over every block of H maps; the coupling between them is
bounded, so every $\gamma$ with $\mathrm{up}_k < \gamma < \mathrm{lo}_k$ then lies in a
gap of rank k. Blocks of H maps side by side suffice: a dichotomy of the H-step system
is one of the stack, with a larger constant.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.batch_frames import SMALL_WIDTH, diagonal, orthonormalised, product, total
from engine.device import CONCURRENT_KERNELS, bucket, run
from engine.qr_flow import random_frame

SQUARINGS = 4
"""Squarings of the Gram matrix in a norm: overestimates by at most d^(1/64)."""

PLAIN_PRODUCTS = 8
"""Triangles multiplied in plain floats before rows and columns get logs of their own."""

TILE_BYTES = 128 * 1024
"""Memory of one d×d layer of a tile of stacks; a tile this size stays in the fast cache."""


class BlockGap(NamedTuple):
    """Certified growth of the two blocks at every rank, natural logs per map.

    **Fields:** (k = 0 … d along the last axis)

    - `lower`: least growth of the k leading directions over a block; +inf for k = 0.
    - `upper`: largest growth of the d−k trailing directions; −inf for k = d.
    """

    lower: Float[np.ndarray, "batch ranks"]
    upper: Float[np.ndarray, "batch ranks"]


def block_gaps(factors: Float[np.ndarray, "batch layers d d"], window: int) -> BlockGap:
    r"""Bound, for every rank, the growth of the leading and the trailing block over `window` maps.

    $\mathrm{lo}_k = \min \sigma_{\min}(\prod R_{11})^{1/H}$ and
    $\mathrm{up}_k = \max \|\prod R_{22}\|^{1/H}$ over blocks of $H$ maps side by side, the
    last one longer when H does not divide the depth. Norms are overestimated by at most
    $d^{1/64}$ per block, so a reported gap is never wider than the true one. The frame
    starts adapted to the whole stack, so that triangular layers cannot pose as diagonal.

    **Arguments:**

    - `factors`: a batch of stacks, first map first.
    - `window`: maps per block, H; moving it never recompiles.

    **Returns:** log edges per map for ranks 0 … d; rank k has a gap where `upper` < `lower`.

    **Raises:** `ValueError` unless 1 ≤ `window` ≤ layers.
    """
    batch, depth, width, _ = factors.shape
    if not 1 <= window <= depth:
        raise ValueError(f"window must lie in 1..{depth} (maps); got {window}.")
    frame = random_frame(width)
    with ThreadPoolExecutor(CONCURRENT_KERNELS) as pool:
        edges = list(pool.map(lambda tile: run(_gap_kernel, tile, frame, depth, window), _tiled(factors)))
    lower, upper = (np.hstack(edge)[:, :batch].T for edge in zip(*edges, strict=True))
    border = np.full((batch, 1), np.inf)
    return BlockGap(np.hstack([border, lower]), np.hstack([upper, -border]))


def _tiled(factors: Float[np.ndarray, "batch layers d d"]) -> Float[np.ndarray, "tiles lanes bucket d d"]:
    """Cut a batch into cache-sized tiles; the first stack and empty layers fill what is left over."""
    batch, depth, width, _ = factors.shape
    largest = TILE_BYTES // (8 * width * width) if width <= SMALL_WIDTH else 1
    lanes = min(bucket(batch), largest)
    tiles = -(-batch // lanes)
    layers = np.zeros((tiles * lanes, bucket(depth), width, width))
    layers[:batch, :depth] = factors
    layers[batch:, :depth] = factors[0]
    return layers.reshape(tiles, lanes, *layers.shape[1:])


class _Block(NamedTuple):
    """Products since the last block end: plain ones of the newest maps, scaled ones of those before."""

    newest: jax.Array
    newest_inverse: jax.Array
    rows: jax.Array
    row_logs: jax.Array
    columns: jax.Array
    column_logs: jax.Array
    lost: jax.Array
    log_size: jax.Array
    length: jax.Array


@jax.jit
def _gap_kernel(
    stacks: jax.Array, frame: jax.Array, depth: jax.Array, window: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Sweep a tile backward for its start frame, then forward, closing a block every `window` maps.

    Gives the lower edges of ranks 1 … d and the upper edges of ranks 0 … d−1, (d, lanes).
    """
    layers = jnp.moveaxis(stacks, 0, -1)
    size = jnp.abs(layers).max(axis=(1, 2))
    size = jnp.where(size == 0, 1.0, size)
    layers, log_sizes = layers / size[:, None, None], jnp.log(size)
    _, width, _, lanes = layers.shape
    empty = _empty_block(width, lanes)

    def backward(step: jax.Array, frame: jax.Array) -> jax.Array:
        return orthonormalised(product(layers[depth - 1 - step].swapaxes(0, 1), frame))[0]

    def forward(step: jax.Array, state: tuple) -> tuple:
        frame, block, edges = state
        frame, triangle = orthonormalised(product(layers[step], frame))
        block = _extended(block, triangle, log_sizes[step])
        behind = step + 1
        ends = (behind % window == 0) & (depth - behind >= window) | (behind == depth)
        gathers = ends | (block.length % PLAIN_PRODUCTS == 0)
        block = jax.lax.cond(gathers, _gathered, lambda block: block, block)
        return frame, *jax.lax.cond(ends, _closed, lambda block, edges: (block, edges), block, edges)

    start = jnp.broadcast_to(frame[:, :, None], (width, width, lanes))
    start = jax.lax.fori_loop(0, depth, backward, start)
    unbounded = jnp.full((width, lanes), jnp.inf)
    return jax.lax.fori_loop(0, depth, forward, (start, empty, (unbounded, -unbounded)))[2]


def _empty_block(width: int, lanes: int) -> _Block:
    identity = jnp.broadcast_to(jnp.eye(width)[:, :, None], (width, width, lanes))
    zeros = jnp.zeros((width, lanes))
    lost = jnp.zeros((width, lanes), bool)
    return _Block(
        identity, identity, identity, zeros, identity, zeros, lost, jnp.zeros(lanes), jnp.asarray(0)
    )


def _extended(block: _Block, triangle: jax.Array, log_size: jax.Array) -> _Block:
    """Multiply one more triangle on; a lost direction is remembered and left out of the inverse."""
    stretch = diagonal(triangle)
    return block._replace(
        newest=product(triangle, block.newest),
        newest_inverse=_divided(block.newest_inverse, triangle, jnp.where(stretch == 0, 1.0, stretch)),
        lost=block.lost | (stretch == 0),
        log_size=block.log_size + log_size,
        length=block.length + 1,
    )


def _divided(numerator: jax.Array, triangle: jax.Array, stretch: jax.Array) -> jax.Array:
    """Solve quotient @ triangle = numerator column by column; `stretch` is the diagonal to divide by."""
    width = triangle.shape[0]

    def column_step(index: jax.Array, columns: jax.Array) -> jax.Array:
        known = total(width, lambda i: columns[i] * triangle[i, index])
        return columns.at[index].set((numerator[:, index] - known) / stretch[index])

    return jax.lax.fori_loop(0, width, column_step, jnp.zeros_like(numerator)).swapaxes(0, 1)


def _gathered(block: _Block) -> _Block:
    """Move the plain products into the scaled ones, every row (column) with a log of its own."""
    rows, row_logs = _scaled_product(block.newest, block.rows, block.row_logs)
    columns, column_logs = _scaled_product(
        block.newest_inverse.swapaxes(0, 1), block.columns.swapaxes(0, 1), block.column_logs
    )
    empty = _empty_block(*row_logs.shape)
    return block._replace(
        newest=empty.newest,
        newest_inverse=empty.newest_inverse,
        rows=rows,
        row_logs=row_logs,
        columns=columns.swapaxes(0, 1),
        column_logs=column_logs,
    )


def _scaled_product(factor: jax.Array, rows: jax.Array, row_logs: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Multiply factor · diag(e^row_logs) · rows and scale each row of the result to largest entry 1."""
    logs = jnp.log(jnp.abs(factor)) + row_logs
    shift = logs.max(axis=1)
    shift = jnp.where(jnp.isneginf(shift), 0.0, shift)
    rows = product(jnp.sign(factor) * jnp.exp(logs - shift[:, None]), rows)
    size = jnp.abs(rows).max(axis=1)
    return rows / jnp.where(size == 0, 1.0, size)[:, None], jnp.log(size) + shift


def _closed(block: _Block, edges: tuple) -> tuple[_Block, tuple]:
    """Tighten the edges by the norms of a finished block at every rank, and start the next block."""
    width, lanes = block.row_logs.shape
    index = jnp.arange(width)
    lost_before = jnp.cumsum(block.lost, axis=0) > 0

    def at_rank(_: None, rank: jax.Array) -> tuple[None, tuple[jax.Array, jax.Array]]:
        trailing = jnp.where(index[:, None] >= rank, block.row_logs, -jnp.inf)
        leading = jnp.where(index[:, None] <= rank, block.column_logs, -jnp.inf)
        decay = _log_norm(block.rows, trailing)
        growth = -_log_norm(block.columns.swapaxes(0, 1), leading)
        return None, (growth, decay)

    _, (growth, decay) = jax.lax.scan(at_rank, None, index)
    growth = jnp.where(lost_before, -jnp.inf, (growth + block.log_size) / block.length)
    decay = (decay + block.log_size) / block.length
    return _empty_block(width, lanes), (jnp.minimum(edges[0], growth), jnp.maximum(edges[1], decay))


def _log_norm(rows: jax.Array, row_logs: jax.Array) -> jax.Array:
    """Log 2-norm of diag(e^row_logs) · rows by repeated squaring of the Gram matrix; never too small."""
    shift = row_logs.max(axis=0)
    finite = jnp.where(jnp.isneginf(shift), 0.0, shift)
    scaled = rows * jnp.exp(row_logs - finite)[:, None]
    power = product(scaled, scaled.swapaxes(0, 1))
    power = jax.lax.fori_loop(0, SQUARINGS, lambda _, power: product(power, power), power)
    return jnp.log((power * power).sum(axis=(0, 1))) / 2 ** (SQUARINGS + 2) + finite
