import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hold import held_loop
from engine.multiplier_branches import matched, multiplier_branches
from tests.reference_cases import case

seeds = st.integers(0, 2**16)


def jump(branches):
    return float(np.abs(np.diff(branches, axis=0)).max())


def loop_of(factor, injection, refresh_period=1):
    return held_loop(
        np.asarray(factor, float)[None], np.asarray(injection, float), refresh_period, periodic=True
    )


CROSSING = loop_of(np.diag([1.5, -1.5]), np.diag([1.0, 1.0]))
"""Sorting by modulus swaps the two branches at ϱ = 0, a jump of 3."""


def test_sorting_jumps_where_assignment_does_not():
    """N54."""
    amplitudes = np.linspace(-1, 1, 40)
    branches = multiplier_branches(CROSSING, amplitudes)
    by_size = np.take_along_axis(branches, np.argsort(-np.abs(branches), axis=1), axis=1)
    assert jump(by_size) > 1
    assert jump(branches) == pytest.approx(amplitudes[1] - amplitudes[0])
    straight = np.sort(branches[0].real)[::-1][:, None] + (amplitudes + 1)
    np.testing.assert_allclose(np.flip(np.sort(np.real(branches), axis=1), axis=1).T, straight, atol=1e-12)


def test_two_branches_pass_through_each_other():
    amplitudes = np.linspace(0, 1, 20)
    branches = multiplier_branches(loop_of(np.diag([0.2, 0.8]), np.diag([1.0, -1.0])), amplitudes)
    start = np.real(branches[0])
    direction = np.where(start < 0.5, 1, -1)
    np.testing.assert_allclose(branches, start + amplitudes[:, None] * direction, atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(2, 5), st.sampled_from([1, 3]))
def test_a_finer_grid_has_smaller_jumps(seed, width, refresh_period):
    """N54."""
    random = np.random.default_rng(seed)
    loop = loop_of(
        random.standard_normal((width, width)), random.standard_normal((width, width)), refresh_period
    )
    coarse, fine = (jump(multiplier_branches(loop, np.linspace(-1, 1, points))) for points in (101, 101 * 64))
    # Where branches meet, or a multiplier is 0, they move like a root of the amplitude.
    assert fine <= 0.6 * coarse


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(1, 6))
def test_branches_are_the_same_values_in_any_order(seed, width):
    random = np.random.default_rng(seed)
    paths = np.cumsum(0.001 * random.standard_normal((30, width)), axis=0) + np.arange(width)
    paths = paths + 1j * np.roll(paths, 1)
    shuffled = np.stack([random.permutation(row) for row in paths])
    shuffled[0] = paths[0]
    np.testing.assert_array_equal(matched(shuffled), paths)


def test_moduli_are_growth_per_layer():
    reference = case("cocycle", "A3_period2_stable_factors_unstable_product")["inputs"]
    factors = np.array([reference["B0"], reference["B1"]], float)
    branches = multiplier_branches(held_loop(factors, np.eye(2), 1, periodic=True), np.zeros(1))
    expected = case("cocycle", "A3_period2_stable_factors_unstable_product")["outputs"]["sigma_dich"]
    np.testing.assert_allclose(np.sort(np.abs(branches[0]))[::-1], np.array(expected, float), rtol=1e-12)
