r"""Bounds of the row sums of block norms, $\sum_{u \le t} \|s F_{tu} - X_u\|_2$, for many X at once.

The costly part of the duality surface: every block of every row for every depth of
compression. Tiles of blocks are laid out with the blocks last, so that a product of small
matrices is plain arithmetic on long vectors.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import bucket, run
from engine.top_singular import WIDEST, power_limits

COLUMNS = 4
"""Tokens u of one tile."""

SWITCHES = 8
"""Depths of compression of one tile."""

LANES = 80
"""Depths of compression with room in a compiled kernel; more of them compile a larger one."""

SQUARINGS = 4
"""Squarings of the Gram matrices: the upper bounds are at most 3 % off at d = 8, mostly far less."""


def row_sum_bounds(
    maps: Float[np.ndarray, "tokens tokens d d"],
    scale: Float[np.ndarray, " switches"],
    shared: Float[np.ndarray, "switches tokens d d"],
) -> tuple[Float[np.ndarray, "tokens switches"], Float[np.ndarray, "tokens switches"]]:
    r"""Lower and upper bounds of $\sum_{u \le t} \|s F_{tu} - X_u\|_2$ for every row t and every X.

    **Arguments:**

    - `maps`: F, block lower triangular; entries at most of size one or so.
    - `scale`: s, one per X.
    - `shared`: the X, likewise.

    **Returns:** lower and upper bounds: by squared Gram matrices (see `engine.top_singular`), or by
    Frobenius norms for d above 16.
    """
    tokens, switches = len(maps), len(scale)
    if maps.shape[-1] > WIDEST:
        return _frobenius_bounds(maps, scale, shared)
    slots, lanes = bucket(tokens) - tokens, max(LANES, switches + -switches % SWITCHES) - switches
    rows = np.pad(maps.transpose(0, 2, 3, 1), ((0, slots), (0, 0), (0, 0), (0, slots)))
    blocks = np.pad(shared.transpose(2, 3, 1, 0), ((0, 0), (0, 0), (0, slots), (0, lanes)))
    lower, upper = run(_bounds_kernel, rows, np.pad(scale, (0, lanes)), blocks, tokens, switches)
    return lower[:tokens, :switches], upper[:tokens, :switches]


def _frobenius_bounds(
    maps: np.ndarray, scale: np.ndarray, shared: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    upper = np.zeros((len(maps), len(scale)))
    for row, blocks in enumerate(maps):
        seen = scale[:, None, None, None] * blocks[: row + 1] - shared[:, : row + 1]
        upper[row] = np.linalg.norm(seen, axis=(2, 3)).sum(axis=1)
    return upper / np.sqrt(maps.shape[-1]), upper


@jax.jit
def _bounds_kernel(
    maps: jax.Array, scale: jax.Array, shared: jax.Array, tokens: jax.Array, switches: jax.Array
) -> tuple[jax.Array, jax.Array]:
    slots, width = maps.shape[:2]

    def tile(row: jax.Array, column: jax.Array, switch: jax.Array, sums: jax.Array) -> jax.Array:
        corner = (0, 0, column * COLUMNS, switch * SWITCHES)
        common = jax.lax.dynamic_slice(shared, corner, (width, width, COLUMNS, SWITCHES))
        own = jax.lax.dynamic_slice_in_dim(maps[row], column * COLUMNS, COLUMNS, axis=2)
        factors = jax.lax.dynamic_slice_in_dim(scale, switch * SWITCHES, SWITCHES)
        blocks = (own[..., None] * factors - common).reshape(width, width, -1)
        bounds = jnp.stack(_norm_bounds(blocks)).reshape(2, COLUMNS, SWITCHES)
        seen = column * COLUMNS + jnp.arange(COLUMNS) <= row
        found = jnp.sum(bounds * seen[:, None], axis=1, keepdims=True)
        place = (0, row, switch * SWITCHES)
        before = jax.lax.dynamic_slice(sums, place, found.shape)
        return jax.lax.dynamic_update_slice(sums, before + found, place)

    def at_row(row: jax.Array, sums: jax.Array) -> jax.Array:
        def at_column(column: jax.Array, sums: jax.Array) -> jax.Array:
            tiles = -(-switches // SWITCHES)
            return jax.lax.fori_loop(0, tiles, lambda switch, sums: tile(row, column, switch, sums), sums)

        return jax.lax.fori_loop(0, row // COLUMNS + 1, at_column, sums)

    return tuple(jax.lax.fori_loop(0, tokens, at_row, jnp.zeros((2, slots, len(scale)))))  # type: ignore[return-value]


def _norm_bounds(matrices: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Bounds of the 2-norms of matrices stored with the batch last."""
    grams = _product(matrices.swapaxes(0, 1), matrices)
    sizes = jnp.trace(grams)
    grams = grams / jnp.where(sizes > 0, sizes, 1.0)

    def squared(_: jax.Array, carried: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return _product(carried[0], carried[0]), jnp.sum(carried[0] ** 2, axis=(0, 1))

    powers, total = jax.lax.fori_loop(0, SQUARINGS, squared, (grams, jnp.ones_like(sizes)))
    ratio = jnp.sum(powers**2, axis=(0, 1)) / jnp.where(total > 0, total, 1.0) ** 2
    root = 1 / 2**SQUARINGS
    lower, upper = ((total * limit) ** root for limit in power_limits(ratio, len(matrices)))
    return jnp.sqrt(sizes * lower), jnp.sqrt(sizes * upper)


def _product(left: jax.Array, right: jax.Array) -> jax.Array:
    """Multiply matrices stored with the batch last."""
    products = [left[:, inner][:, None] * right[inner][None] for inner in range(len(left))]
    return sum(products[1:], products[0])
