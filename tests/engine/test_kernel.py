from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel import (
    bidirectional_uniform,
    causal_uniform,
    check_stack,
    leaky_uniform,
    mix,
    sector_coordinates,
)
from engine.token_flow import propagate
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12

KINDS = {"causal": causal_uniform, "bidirectional": bidirectional_uniform}


def block_diagonal(tokens: int, block_length: int, kind: str) -> np.ndarray:
    kernel = np.zeros((tokens, tokens))
    for start in range(0, tokens, block_length):
        size = min(block_length, tokens - start)
        kernel[start : start + size, start : start + size] = KINDS[kind](size)
    return kernel


@pytest.mark.parametrize("kind", KINDS)
def test_kernel_rows_are_averages(kind):
    kernel = KINDS[kind](7)
    np.testing.assert_allclose(kernel.sum(axis=1), 1, rtol=ROUNDOFF)


def test_causal_kernel_has_pascal_eigenvectors():
    pascal = np.array([[comb(row, column) for column in range(9)] for row in range(9)], float)
    np.testing.assert_allclose(causal_uniform(9) @ pascal, pascal / np.arange(1, 10), rtol=ROUNDOFF)


@given(
    tokens=st.sampled_from([1, 5, 12]),
    block_length=st.sampled_from([1, 4, 12]),
    kind=st.sampled_from(list(KINDS)),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=30)
def test_mix_is_the_block_diagonal_kernel(tokens, block_length, kind, seed):
    states = np.random.default_rng(seed).standard_normal((tokens, 3))
    expected = block_diagonal(tokens, block_length, kind) @ states
    np.testing.assert_allclose(mix(states, block_length, kind), expected, atol=ROUNDOFF)


@given(
    shape=st.sampled_from([(1, 1), (5, 1), (10, 4), (12, 4), (5, 20)]),
    leak=st.floats(0, 1),
)
@settings(deadline=None, max_examples=20)
def test_mix_is_the_leaky_kernel_whose_rows_are_averages(shape, leak):
    tokens, block_length = shape
    kernel = leaky_uniform(tokens, block_length, leak)
    np.testing.assert_allclose(kernel.sum(axis=1), 1, rtol=ROUNDOFF)
    assert (kernel >= 0).all()
    np.testing.assert_allclose(mix(np.eye(tokens), block_length, "leaky", leak), kernel, atol=ROUNDOFF)


def test_without_a_leak_the_blocks_do_not_meet():
    expected = block_diagonal(10, 4, "causal")
    np.testing.assert_allclose(leaky_uniform(10, 4, 0.0), expected, rtol=ROUNDOFF)


def test_a_leak_moves_the_diagonal_and_reads_all_earlier_tokens_alike():
    kernel = leaky_uniform(10, 4, 0.3)
    expected = [1, 1 / 2, 1 / 3, 1 / 4, 0.7, 0.35, 0.7 / 3, 0.175, 0.7, 0.35]
    np.testing.assert_allclose(np.diagonal(kernel), expected, rtol=ROUNDOFF)
    np.testing.assert_allclose(kernel[9, :8], 0.3 / 8, rtol=ROUNDOFF)


def test_splitting_off_the_first_token_commutes_with_the_causal_kernel():
    split = np.eye(6)
    split[:, 0] -= 1
    np.testing.assert_allclose(split @ causal_uniform(6), causal_uniform(6) @ split, atol=ROUNDOFF)


def random_stack(seed: int, depth: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    mixing, value = 0.4 * generator.standard_normal((2, depth, width, width))
    return mixing, value


@pytest.mark.parametrize("kind", KINDS)
def test_equal_tokens_stay_equal_and_follow_the_tangent_cocycle(kind):
    mixing, value = random_stack(0, 5, 3)
    state = np.array([1.0, -2.0, 0.5])
    shared = state
    for factor in np.eye(3) + mixing + value:
        shared = factor @ shared
    moved = propagate(np.tile(state, (7, 1)), mixing, value, 3, kind)
    np.testing.assert_allclose(moved, np.tile(shared, (7, 1)), rtol=1e-10)


def test_first_token_of_each_causal_block_follows_the_tangent_cocycle():
    mixing, value = random_stack(1, 6, 2)
    states = np.random.default_rng(2).standard_normal((10, 2))
    expected = states[::4]
    for factor in np.eye(2) + mixing + value:
        expected = expected @ factor.T
    np.testing.assert_allclose(propagate(states, mixing, value, 4, "causal")[::4], expected, rtol=1e-10)


def test_bidirectional_block_mean_is_exact():
    mixing, value = random_stack(3, 6, 2)
    states = np.random.default_rng(4).standard_normal((8, 2))
    expected = states.reshape(2, 4, 2).mean(axis=1)
    for factor in np.eye(2) + mixing + value:
        expected = expected @ factor.T
    moved = propagate(states, mixing, value, 4, "bidirectional")
    np.testing.assert_allclose(moved.reshape(2, 4, 2).mean(axis=1), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("identifier", "kind"), [("A2-flow-causal", "causal"), ("A2-flow-bidir", "bidirectional")]
)
def test_flow_with_ragged_last_block_matches_exact_rationals(identifier, kind):
    reference = case("tokens", identifier)
    given_, expected = reference["input"], numbers(reference["output"]["X3"])
    moved = propagate(numbers(given_["X0"]), numbers(given_["M"]), numbers(given_["V"]), given_["P"], kind)
    np.testing.assert_allclose(moved, expected, rtol=ROUNDOFF)


def test_sector_coordinates_match_the_reference():
    reference = case("tokens", "A2-newton")
    coordinates = sector_coordinates(numbers(reference["input"]["X0"]))
    np.testing.assert_array_equal(coordinates, numbers(reference["output"]["coords"]))


def test_sector_coordinates_rebuild_the_block():
    states = np.random.default_rng(5).standard_normal((8, 2))
    pascal = np.array([[comb(row, column) for column in range(8)] for row in range(8)], float)
    np.testing.assert_allclose(pascal @ sector_coordinates(states), states, atol=1e-11)


def test_misuse_is_named():
    states, stack = np.zeros((4, 2)), np.zeros((3, 2, 2))
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        mix(states, 0, "causal")
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        causal_uniform(0)
    with pytest.raises(ValueError, match=r"must both have shape .* got \(3, 2, 2\) and \(2, 2, 2\)"):
        check_stack(stack, stack[:2])
    with pytest.raises(ValueError, match=r"leak must lie in 0..1; got 1.5"):
        mix(states, 2, "leaky", 1.5)
    with pytest.raises(ValueError, match=r"leak must be 0 for the causal kernel; got 0.5"):
        mix(states, 2, "causal", 0.5)
