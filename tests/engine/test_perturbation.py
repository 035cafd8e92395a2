import numpy as np
import pytest

from engine.bounded_solution import GatedStack
from engine.perturbation import changed, check_change, drawn_directions
from tests.engine.turning_case import FORCING, periodic_saddle

ROUNDOFF = 1e-13
FACTORS, SPLITTING = periodic_saddle()
STACK = GatedStack(FACTORS, SPLITTING, FORCING, 0.3, np.full(4, 0.25))
DIRECTIONS = drawn_directions(6, 2, 4, seed=0)


@pytest.mark.parametrize(
    ("change", "hidden", "depths"),
    [
        ("slow", SPLITTING.decaying, slice(1, None)),
        ("fast", SPLITTING.persistent, slice(1, None)),
        ("fast-same-index", SPLITTING.persistent, slice(None, -1)),
    ],
)
def test_classes_write_where_they_may(change, hidden, depths):
    moved = changed(STACK, change, 0.1, DIRECTIONS, SPLITTING.persistent)
    written = moved.factors - STACK.factors
    np.testing.assert_allclose(hidden[depths] @ written, 0, atol=ROUNDOFF)
    assert np.abs(written).max() > 1e-2
    half = changed(STACK, change, 0.05, DIRECTIONS, SPLITTING.persistent).factors - STACK.factors
    np.testing.assert_allclose(2 * half, written, atol=ROUNDOFF)


def test_slow_and_fast_add_up_to_the_whole_change():
    parts = [
        changed(STACK, change, 1.0, DIRECTIONS, SPLITTING.persistent).factors - STACK.factors
        for change in ("slow", "fast")
    ]
    np.testing.assert_allclose(sum(parts), DIRECTIONS.generators, atol=ROUNDOFF)


def test_the_other_parts_move_alone():
    gate = changed(STACK, "gate", 0.5, DIRECTIONS, SPLITTING.persistent)
    assert gate == STACK._replace(amplitude=pytest.approx(0.45))
    states = np.zeros((6, 2))
    injection = changed(STACK, "injection", 0.5, DIRECTIONS, SPLITTING.persistent).injection
    np.testing.assert_allclose(
        injection.value(states) - FORCING.value(states), 0.5 * DIRECTIONS.shift[None] + states
    )
    weights = changed(STACK, "compression", 0.5, DIRECTIONS, SPLITTING.persistent).compression
    assert weights.sum() == pytest.approx(1.0)
    assert np.abs(weights - STACK.compression).sum() == pytest.approx(0.5)


def test_directions_have_size_one():
    np.testing.assert_allclose(np.linalg.norm(DIRECTIONS.generators, 2, axis=(1, 2)), 1)
    assert np.linalg.norm(DIRECTIONS.shift) == pytest.approx(1)
    assert np.abs(DIRECTIONS.weights).sum() == pytest.approx(1)
    assert not drawn_directions(2, 2, 1, seed=0).weights.any()


def test_misuse_is_named():
    with pytest.raises(ValueError, match=r"change must be one of slow, fast, .*; got 'other'"):
        check_change("other")
    with pytest.raises(ValueError, match=r"directions must have shape \(6, 2, 2\); got \(5, 2, 2\)"):
        changed(STACK, "slow", 0.1, drawn_directions(5, 2, 4, seed=0), SPLITTING.persistent)
