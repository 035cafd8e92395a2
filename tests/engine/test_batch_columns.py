import jax
import numpy as np
import pytest

from engine.batch_columns import orthonormal_columns, triangular_solution
from engine.device import run

ROUNDOFF = 1e-12
LANES = 3


@pytest.mark.parametrize("count", [0, 1, 3, 18])
def test_columns_factor_into_a_basis_and_a_triangle(count):
    columns = np.random.default_rng(count).standard_normal((20, count, LANES))
    basis, triangle = run(jax.jit(orthonormal_columns), columns)
    right = np.random.default_rng(0).standard_normal((count, LANES))
    found = run(jax.jit(triangular_solution), triangle, right)
    for lane in range(LANES):
        q, r = basis[..., lane], triangle[..., lane]
        np.testing.assert_allclose(q @ r, columns[..., lane], atol=ROUNDOFF)
        np.testing.assert_allclose(q.T @ q, np.eye(count), atol=ROUNDOFF)
        np.testing.assert_allclose(np.tril(r, -1), 0, atol=ROUNDOFF)
        assert (np.diagonal(r) > 0).all()
        np.testing.assert_allclose(r @ found[:, lane], right[:, lane], atol=1e-9)


def test_a_dependent_column_leaves_zeros():
    columns = np.zeros((4, 2, LANES))
    columns[0] = 1.0
    basis, triangle = run(jax.jit(orthonormal_columns), columns)
    assert (triangle[1, 1] == 0).all()
    assert (basis[:, 1] == 0).all()
