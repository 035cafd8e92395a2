import numpy as np
import pytest

from engine.fluctuation_map import whole_map
from engine.switch_error import Scaled, bidirectional_errors, causal_errors

ROUNDOFF = 1e-11


def test_the_largest_row_wins_whatever_the_units():
    random = np.random.default_rng(0)
    row, shared = random.standard_normal((5, 2, 2)), random.standard_normal((3, 5, 2, 2))
    row[0] = -row[1:].sum(axis=0)
    maps = whole_map(row).reshape(5, 2, 5, 2).swapaxes(1, 2)
    expected = np.linalg.norm(maps - shared[:, None], 2, axis=(3, 4)).sum(axis=2).max(axis=1)
    for log_unit in (0.0, -900.0, 900.0):
        units = np.full(3, log_unit)
        found = causal_errors(Scaled(row, units[0]), Scaled(shared, units))
        np.testing.assert_allclose(found - log_unit, np.log(expected), atol=ROUNDOFF)


def test_sizes_far_apart_leave_the_larger_one():
    row, shared = np.ones((1, 1, 1)) * [[[-1.0]], [[1.0]]], np.ones((2, 2, 1, 1))
    found = causal_errors(Scaled(row, np.array(0.0)), Scaled(shared, np.array([-1000.0, 1000.0])))
    np.testing.assert_allclose(found, [np.log(2), 1000 + np.log(2)], atol=ROUNDOFF)


def test_no_fluctuation_is_no_error():
    nothing = np.array(-np.inf)
    found = causal_errors(
        Scaled(np.zeros((3, 2, 2)), nothing), Scaled(np.zeros((2, 3, 2, 2)), np.full(2, nothing))
    )
    assert np.isneginf(found).all()
    single = bidirectional_errors(
        Scaled(np.eye(2), np.array(0.0)), Scaled(np.eye(2)[None], np.zeros(1)), np.ones(1)
    )
    assert np.isneginf(single).all()


def test_the_bidirectional_mean_leaves_the_fluctuation():
    transverse = np.diag([0.5, 0.2])
    found = bidirectional_errors(
        Scaled(transverse, np.array(3.0)), Scaled(np.eye(2)[None], np.array([7.0])), np.full(4, 0.25)
    )
    assert found[0] == pytest.approx(np.log(2 * 0.75 * 0.5) + 3)
