import math

import numpy as np

from engine.gate import boundary
from engine.gate_map import (
    CHANGED,
    DRAWN_TOLERANCE,
    KEPT,
    UNDECIDED,
    gate_map_exact,
    gate_map_window,
)
from engine.gate_window import window_boundary
from engine.hold import held_loop
from engine.topology import phases
from tests.engine.test_gate_window import turning_stack

EXACT = 1e-9
GRID = np.linspace(-1.5, 1.5, 61)
SWAPS = np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]])
LANES = np.array([math.cos(angle) * np.eye(4) + math.sin(angle) * SWAPS for angle in (-1.2, 0.0, 0.5, 1.5)])


def within(found):
    return (found.negative < GRID) & (found.positive > GRID)


def test_exact_map_agrees_with_every_lane_alone():
    stack = turning_stack(2)
    found = gate_map_exact(stack, LANES, 3, GRID)
    for lane, injection in enumerate(LANES):
        alone = boundary(held_loop(stack, injection, 3, periodic=True))
        np.testing.assert_allclose(
            [found.negative[lane], found.positive[lane]], [alone.negative, alone.positive]
        )
        inside = within(alone)
        assert np.all(found.region[lane, inside] == KEPT)
        just_outside = np.flatnonzero(within(alone))[[0, -1]] + [-1, 1]
        assert np.all(found.region[lane, just_outside] == CHANGED)


def test_exact_map_of_a_ring_and_of_a_loop_on_the_circle():
    factor = np.array([[[0.6, 0.5], [-0.3, 0.7]]])
    ring = phases("ring", 4)
    found = gate_map_exact(factor, np.eye(2)[None], 1, GRID, ring)
    alone = boundary(held_loop(factor, np.eye(2), 1, periodic=True), ring)
    assert (found.negative[0], found.positive[0]) == (alone.negative, alone.positive)
    at_rest = gate_map_exact(np.diag([1.0, 0.5])[None], np.eye(2)[None], 1, np.array([-0.1, 0.0, 0.1]))
    assert (at_rest.negative[0], at_rest.positive[0]) == (0.0, 0.0)
    assert at_rest.region.tolist() == [[CHANGED, UNDECIDED, CHANGED]]


def test_exact_map_survives_long_holds():
    found = gate_map_exact(np.diag([1.5, 0.5])[None], np.eye(2)[None], 200, GRID)
    assert np.array_equal(
        found.region[0],
        np.where(np.abs(np.abs(GRID) - 0.5) < EXACT, UNDECIDED, np.where(np.abs(GRID) < 0.5, KEPT, CHANGED)),
    )


def test_window_map_agrees_with_every_lane_alone():
    stack = turning_stack(32)
    found = gate_map_window(stack, LANES, 1, 8, 1, GRID)
    assert found.region.dtype == np.int8
    for lane, injection in enumerate(LANES):
        alone = window_boundary(held_loop(stack, injection, 1, periodic=False), 8, 1)
        np.testing.assert_allclose(found.negative[lane], alone.negative, rtol=DRAWN_TOLERANCE)
        np.testing.assert_allclose(found.positive[lane], alone.positive, rtol=DRAWN_TOLERANCE)
        assert np.all((found.region[lane] == KEPT)[within(alone)])


def test_window_map_knows_what_it_does_not_know():
    stack = turning_stack(32)
    far = gate_map_window(stack, 5.0 * np.eye(4)[None], 1, 8, 1, GRID)
    assert {KEPT, UNDECIDED, CHANGED} == set(far.region[0].tolist())
    assert far.region[0, -1] == CHANGED
    lost = gate_map_window(stack, LANES, 1, 8, None, GRID)
    assert np.all(lost.region == UNDECIDED)
    assert not lost.negative.any()
    assert not lost.positive.any()


def test_boundaries_beyond_the_grid_are_infinite():
    narrow = gate_map_window(turning_stack(32), LANES[1:2], 1, 8, 1, np.linspace(-1e-3, 1e-3, 5))
    assert (narrow.negative[0], narrow.positive[0]) == (-math.inf, math.inf)
    assert np.all(narrow.region == KEPT)
