import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.coarse_kernel import coarse_kernel, coarse_propagate
from engine.token_flow import propagate
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12


def test_the_coarse_kernel_and_five_steps_of_pure_attention_match_the_reference():
    reference = case("tokens", "A6-leaky-coarse")
    blocks, leak = reference["input"]["K"], reference["input"]["leak"]
    kernel = coarse_kernel(blocks, leak)
    np.testing.assert_allclose(kernel, numbers(reference["output"]["beta"]), atol=ROUNDOFF)
    attention = np.full((5, 1, 1), 1.0)
    moved = coarse_propagate(np.arange(4.0)[:, None], -attention, attention, leak)
    np.testing.assert_allclose(moved[:, 0], numbers(reference["output"]["y5"]), atol=ROUNDOFF)


def test_forty_layers_of_pure_attention_lose_the_blocks():
    attention = np.full((40, 1, 1), 1.0)
    moved = coarse_propagate(np.arange(4.0)[:, None], -attention, attention, 0.1)
    np.testing.assert_allclose(moved[:, 0], [0, 0.015, 0.062, 0.134], atol=5e-4)


@given(
    seed=st.integers(0, 999),
    shape=st.sampled_from([(1, 4, 4), (3, 1, 3), (4, 3, 10)]),
    leak=st.floats(0, 1),
)
@settings(deadline=None, max_examples=25)
def test_states_constant_on_blocks_stay_so_and_follow_the_coarse_kernel(seed, shape, leak):
    blocks, block_length, tokens = shape
    random = np.random.default_rng(seed)
    mixing, value = 0.4 * random.standard_normal((2, 4, 2, 2))
    common = random.standard_normal((blocks, 2))
    states = np.repeat(common, block_length, axis=0)[:tokens]
    moved = propagate(states, mixing, value, block_length, "leaky", leak)
    expected = np.repeat(coarse_propagate(common, mixing, value, leak), block_length, axis=0)[:tokens]
    np.testing.assert_allclose(moved, expected, atol=1e-10)


def test_three_blocks_make_the_kernel_defective_and_two_do_not():
    ranks = [
        np.linalg.matrix_rank(coarse_kernel(blocks, 0.25) - 0.75 * np.eye(blocks)) for blocks in (2, 3, 5)
    ]
    assert ranks == [1, 2, 4]


def test_misuse_is_named():
    with pytest.raises(ValueError, match="blocks must be at least 1; got 0"):
        coarse_kernel(0, 0.1)
    with pytest.raises(ValueError, match=r"leak must lie in 0..1; got 2"):
        coarse_kernel(3, 2.0)
