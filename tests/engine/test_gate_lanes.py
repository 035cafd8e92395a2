"""Lanes of any loops, computed together, against each loop alone."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dichotomy import certified_ranks, window_spectrum
from engine.gate import boundary
from engine.gate_lanes import CHANGED, KEPT, UNDECIDED, exact_lanes, window_lanes
from engine.gate_window import window_boundary
from engine.hold import held_loop
from tests.engine.test_gate_window import turning_stack

DRAWN = 1e-4
GRID = np.linspace(-1.5, 1.5, 61)


def test_windows_of_several_lengths_ranks_and_stacks_agree_with_each_alone() -> None:
    stacks = [turning_stack(32), turning_stack(32), turning_stack(32, multipliers=(1.3, 1.2, 0.5, 0.4))]
    periods, ranks = [1, 4, 1], [1, 1, 2]
    loops = [
        held_loop(stack, 0.5 * np.eye(4), period, periodic=False)
        for stack, period in zip(stacks, periods, strict=True)
    ]
    windows = [8 // period for period in periods]
    found = window_lanes(loops, windows, ranks, GRID)
    for lane, (loop, window, rank) in enumerate(zip(loops, windows, ranks, strict=True)):
        alone = window_boundary(loop, window, rank)
        for edge, exact in ((found.negative[lane], alone.negative), (found.positive[lane], alone.positive)):
            assert math.isclose(edge, exact, rel_tol=DRAWN) or abs(exact) > GRID[-1]
        within = (alone.negative < GRID) & (alone.positive > GRID)
        assert np.all(found.region[lane, within] == KEPT)


def test_a_lane_without_a_verdict_leaves_the_others_alone() -> None:
    loop = held_loop(turning_stack(32), np.eye(4), 1, periodic=False)
    found = window_lanes([loop, loop], [8, 8], [None, 1], GRID)
    assert (found.negative[0], found.positive[0]) == (0.0, 0.0)
    assert np.all(found.region[0] == UNDECIDED)
    assert found.negative[1] < 0 < found.positive[1]


def test_exact_lanes_of_different_stacks_agree_with_each_alone() -> None:
    loops = [
        held_loop(np.diag([growth, 0.5])[None], np.eye(2), period, periodic=True)
        for growth, period in ((1.2, 1), (1.5, 2), (0.8, 3))
    ]
    found = exact_lanes(loops, GRID)
    for lane, loop in enumerate(loops):
        alone = boundary(loop)
        assert (found.negative[lane], found.positive[lane]) == (alone.negative, alone.positive)
        assert np.all(found.region[lane, (alone.negative < GRID) & (alone.positive > GRID)] == KEPT)
    assert CHANGED in found.region


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_ranks_of_many_stacks_are_those_of_their_spectra(seed: int) -> None:
    draws = np.random.default_rng(seed).standard_normal((3, 16, 3, 3))
    stacks = np.diag([2.0, 0.7, 0.3]) + 0.3 * draws
    assert certified_ranks(stacks, 4) == [window_spectrum(stack, 4).persistent_rank for stack in stacks]


def test_short_stacks_have_no_rank() -> None:
    assert certified_ranks(np.tile(2 * np.eye(2), (2, 3, 1, 1)), 2) == [None, None]
