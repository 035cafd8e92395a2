"""QR steps and products for many small stacks at once: matrices (d, d, lanes), lanes last.

With the lanes last every operation runs over contiguous memory, which is what makes a map
of thousands of small stacks affordable. Sums over an index are loops that add whole
lanes: XLA's own reductions do not vectorise over the lanes on a CPU.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from engine.qr_flow import ZERO_STRETCH, random_frame

SMALL_WIDTH = 16
"""Up to this width lanes share a tile; above, each stack has its own and library routines win."""


def total(count: int, term: Callable[[jax.Array], jax.Array]) -> jax.Array:
    """Add term(0) + … + term(count − 1) in a loop."""
    start = term(jnp.asarray(0))
    return jax.lax.fori_loop(1, count, lambda index, partial: partial + term(index), start)


def product(left: jax.Array, right: jax.Array) -> jax.Array:
    """Matrix product lane by lane, (…, d, d, lanes)."""
    inner = left.shape[-2]
    if inner > SMALL_WIDTH:
        return jnp.einsum("...ikt,...kjt->...ijt", left, right)
    entry = jax.lax.dynamic_index_in_dim
    return total(inner, lambda k: entry(left, k, -2) * entry(right, k, -3))


def transpose(matrix: jax.Array) -> jax.Array:
    """Swap rows and columns of every lane."""
    return jnp.swapaxes(matrix, -3, -2)


def diagonal(matrix: jax.Array) -> jax.Array:
    """Diagonal of every lane, shape (…, d, lanes)."""
    return jnp.moveaxis(jnp.diagonal(matrix, axis1=-3, axis2=-2), -1, -2)


def scaled(matrix: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Scale every lane to largest entry 1; the matrix and the log of the scale, 0 for a zero matrix."""
    size = jnp.abs(matrix).max(axis=(-3, -2))
    size = jnp.where(size == 0, 1.0, size)
    return matrix / size[..., None, None, :], jnp.log(size)


def inverse(triangle: jax.Array, stretch: jax.Array) -> jax.Array:
    """Invert upper triangles column by column; `stretch` is the diagonal to divide by."""
    width = triangle.shape[-2]
    columns = jnp.moveaxis(triangle, -2, 0)
    identity = jnp.moveaxis(jnp.broadcast_to(jnp.eye(width)[:, :, None], triangle.shape), -2, 0)

    def column_step(index: jax.Array, found: jax.Array) -> jax.Array:
        known = total(width, lambda i: found[i] * columns[index][..., i, None, :])
        return found.at[index].set((identity[index] - known) / stretch[..., index, None, :])

    found = jax.lax.fori_loop(0, width, column_step, jnp.zeros_like(columns))
    return jnp.moveaxis(found, 0, -2)


def orthonormalised(columns: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Factor columns = frame @ triangle behind a layer of largest entry 1; exact zeros on its diagonal."""
    if columns.shape[0] > SMALL_WIDTH:
        return _by_lapack(columns)
    frame, triangle = _by_gram_schmidt(columns)
    lost = diagonal(triangle) == 0
    return jax.lax.cond(lost.any(), _completed, lambda frame, _: frame, frame, lost), triangle


def _by_gram_schmidt(columns: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Orthogonalise each column twice against the directions before it; lost columns stay zero."""
    width = columns.shape[0]

    def column_step(directions: jax.Array, job: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        index, column = job
        first, column = _without(directions, column)
        second, column = _without(directions, column)
        length = jnp.sqrt(total(width, lambda row: column[row] ** 2))
        length = jnp.where(length <= ZERO_STRETCH, 0.0, length)
        direction = jnp.where(length == 0, 0.0, column / jnp.where(length == 0, 1.0, length))
        return directions.at[index].set(direction), (first + second).at[index].set(length)

    jobs = (jnp.arange(width), columns.swapaxes(0, 1))
    directions, triangle = jax.lax.scan(column_step, jnp.zeros_like(columns), jobs)
    return directions.swapaxes(0, 1), triangle.swapaxes(0, 1)


def _without(directions: jax.Array, column: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Parts of a column along the directions found so far, and what is left of it."""
    width = column.shape[0]
    parts = total(width, lambda row: directions[:, row] * column[row])
    return parts, column - total(width, lambda index: parts[index] * directions[index])


def _completed(frame: jax.Array, lost: jax.Array) -> jax.Array:
    """Put fixed generic directions, orthogonal to all others, in the place of lost ones."""
    width = frame.shape[0]
    generic = jnp.asarray(random_frame(width))

    def fill(index: jax.Array, directions: jax.Array) -> jax.Array:
        def cleaned(_: jax.Array, filling: jax.Array) -> jax.Array:
            rest = _without(directions, filling)[1]
            return rest / jnp.sqrt(total(width, lambda row: rest[row] ** 2))

        start = jnp.broadcast_to(generic[:, index, None], directions[0].shape)
        filling = jax.lax.fori_loop(0, 3, cleaned, start)
        return directions.at[index].set(jnp.where(lost[index], filling, directions[index]))

    return jax.lax.fori_loop(0, width, fill, frame.swapaxes(0, 1)).swapaxes(0, 1)


def _by_lapack(columns: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Factor by LAPACK, with the signs and zeros that Gram-Schmidt would give."""
    frame, triangle = (jnp.moveaxis(part, 0, -1) for part in jnp.linalg.qr(jnp.moveaxis(columns, -1, 0)))
    sign = jnp.where(diagonal(triangle) < 0, -1.0, 1.0)
    triangle = triangle * sign[:, None]
    on_diagonal = jnp.eye(len(columns), dtype=bool)[:, :, None]
    return frame * sign, jnp.where(on_diagonal & (triangle <= ZERO_STRETCH), 0.0, triangle)
