"""A few orthonormal columns in many lanes: arrays (rows, columns, lanes), lanes last."""

import jax
import jax.numpy as jnp

from engine.batch_frames import SMALL_WIDTH, diagonal, total


def coefficients(basis: jax.Array, vector: jax.Array) -> jax.Array:
    """Scalar products of every column with a vector, (columns, lanes)."""
    return total(basis.shape[0], lambda row: basis[row] * vector[row])


def combination(basis: jax.Array, weights: jax.Array) -> jax.Array:
    """Sum of the columns with weights (columns, lanes): a vector, (rows, lanes)."""
    if basis.shape[1] == 0:
        return jnp.zeros((basis.shape[0], basis.shape[2]))
    return total(basis.shape[1], lambda column: basis[:, column] * weights[column])


def orthonormal_columns(columns: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Factor columns = basis @ triangle: Gram-Schmidt twice, or LAPACK where there are many columns.

    **Returns:** the basis and the upper triangle; a column that depends on those before it
    becomes zero and leaves a zero on the diagonal, which is never negative.
    """
    count = columns.shape[1]
    if count > SMALL_WIDTH:
        return _by_lapack(columns)
    if count == 0:
        return columns, jnp.zeros((0, 0, columns.shape[2]))

    def column_step(directions: jax.Array, job: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        index, column = job
        first, column = _without(directions, column)
        second, column = _without(directions, column)
        length = jnp.sqrt(total(column.shape[0], lambda row: column[row] ** 2))
        direction = column / jnp.where(length == 0, 1.0, length)
        return directions.at[index].set(direction), (first + second).at[index].set(length)

    turned = jnp.swapaxes(columns, 0, 1)
    directions, triangle = jax.lax.scan(column_step, jnp.zeros_like(turned), (jnp.arange(count), turned))
    return jnp.swapaxes(directions, 0, 1), jnp.swapaxes(triangle, 0, 1)


def _by_lapack(columns: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Factor by LAPACK, with the signs that Gram-Schmidt would give."""
    basis, triangle = (jnp.moveaxis(part, 0, -1) for part in jnp.linalg.qr(jnp.moveaxis(columns, -1, 0)))
    sign = jnp.where(diagonal(triangle) < 0, -1.0, 1.0)
    return basis * sign, triangle * sign[:, None]


def triangular_solution(triangle: jax.Array, vector: jax.Array) -> jax.Array:
    """Solve upper triangles lane by lane; a zero on the diagonal gives what is not finite."""

    def solve_row(index: jax.Array, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        known, found = state
        row = count - 1 - index
        value = known[row] / triangle[row, row]
        return known - triangle[:, row] * value, found.at[row].set(value)

    count = triangle.shape[0]
    if count == 0:
        return vector
    return jax.lax.fori_loop(0, count, solve_row, (vector, jnp.zeros_like(vector)))[1]


def _without(directions: jax.Array, column: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Parts of a column along the directions found so far, and what is left of it."""
    parts = total(column.shape[0], lambda row: directions[:, row] * column[row])
    return parts, column - total(directions.shape[0], lambda index: parts[index] * directions[index])
