import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel import leaky_uniform, mix
from engine.qr_flow import padded
from engine.token_flow import _adjoint_kernel, _flow_kernel, propagate, propagate_adjoint

ROUNDOFF = 1e-11
LARGEST_SHARE = 5
"""Working memory of a long run, in copies of its state."""

KERNELS = [("causal", 0.0), ("bidirectional", 0.0), ("leaky", 0.3)]


def random_stack(seed: int, depth: int, width: int) -> np.ndarray:
    return 0.4 * np.random.default_rng(seed).standard_normal((2, depth, width, width))


flows = given(
    seed=st.integers(0, 999),
    shape=st.sampled_from([(5, 1), (10, 4), (5, 20)]),
    kernel=st.sampled_from(KERNELS),
)


@flows
@settings(deadline=None, max_examples=30)
def test_the_adjoint_is_the_adjoint(seed, shape, kernel):
    tokens, block_length = shape
    mixing, value = random_stack(seed, 4, 2)
    states, covector = np.random.default_rng(seed).standard_normal((2, tokens, 2))
    forward = np.vdot(covector, propagate(states, mixing, value, block_length, *kernel))
    backward = np.vdot(propagate_adjoint(covector, mixing, value, block_length, *kernel), states)
    assert backward == pytest.approx(forward, rel=ROUNDOFF, abs=ROUNDOFF)


@flows
@settings(deadline=None, max_examples=30)
def test_layers_are_applied_one_after_the_other(seed, shape, kernel):
    tokens, block_length = shape
    mixing, value = random_stack(seed, 3, 2)
    states = np.random.default_rng(seed).standard_normal((tokens, 2))
    expected = states
    for own, shared in zip(np.eye(2) + mixing, value, strict=True):
        expected = expected @ own.T + mix(expected, block_length, *kernel) @ shared.T
    found = propagate(states, mixing, value, block_length, *kernel)
    np.testing.assert_allclose(found, expected, atol=ROUNDOFF)


def test_single_token_blocks_all_follow_the_tangent_cocycle():
    mixing, value = random_stack(1, 5, 3)
    states = np.random.default_rng(1).standard_normal((6, 3))
    expected = states
    for factor in np.eye(3) + mixing + value:
        expected = expected @ factor.T
    for kind in ("causal", "bidirectional"):
        np.testing.assert_allclose(propagate(states, mixing, value, 1, kind), expected, atol=ROUNDOFF)


def test_a_ragged_block_is_the_beginning_of_a_full_one_under_a_causal_kernel():
    mixing, value = random_stack(2, 5, 2)
    states = np.random.default_rng(2).standard_normal((8, 2))
    for leak in (0.0, 0.4):
        whole = propagate(states, mixing, value, 4, "leaky", leak)
        np.testing.assert_allclose(propagate(states[:7], mixing, value, 4, "leaky", leak), whole[:7])
    shorter = propagate(states[:3], mixing, value, 4, "bidirectional")
    np.testing.assert_allclose(shorter, propagate(states[:3], mixing, value, 3, "bidirectional"))


def test_a_leak_keeps_equal_tokens_equal_and_the_first_token_alone():
    mixing, value = random_stack(3, 5, 2)
    states = np.random.default_rng(3).standard_normal((9, 2))
    tangent = np.eye(2)
    for factor in np.eye(2) + mixing + value:
        tangent = factor @ tangent
    found = propagate(np.tile(states[0], (9, 1)), mixing, value, 3, "leaky", 0.2)
    np.testing.assert_allclose(found, np.tile(tangent @ states[0], (9, 1)), rtol=1e-10)
    moved = propagate(states, mixing, value, 3, "leaky", 0.2)
    np.testing.assert_allclose(moved[0], tangent @ states[0], rtol=1e-10)


def test_the_leaky_kernel_is_defective():
    kernel = leaky_uniform(8, 2, 0.25)
    shifted = kernel - 0.75 * np.eye(8)
    assert np.linalg.matrix_rank(shifted) == 7
    assert np.linalg.matrix_rank(np.linalg.matrix_power(shifted, 3), tol=1e-12) == 5


def test_a_million_tokens_need_memory_in_proportion_and_little_time():
    mixing, value = random_stack(4, 3, 4)
    states = np.random.default_rng(4).standard_normal((1_000_000, 4))
    found = propagate(states, mixing, value, 16, "causal")
    np.testing.assert_allclose(found[-16:], propagate(states[-16:], mixing, value, 16, "causal"))
    shapes = [padded(mixing), padded(value), 3, 0.0]
    for kernel in (_flow_kernel, _adjoint_kernel):
        for tokens in (100_000, 1_000_000):
            lowered = kernel.lower(np.zeros((tokens, 4)), *shapes, block_length=16, kind="causal")
            memory = lowered.compile().memory_analysis()
            assert memory is not None
            assert memory.temp_size_in_bytes <= LARGEST_SHARE * states.itemsize * 4 * tokens


def test_leaks_and_depths_share_compiled_kernels():
    mixing, value = random_stack(5, 8, 2)
    states = np.zeros((10, 2))
    propagate(states, mixing, value, 5, "leaky", 0.1)
    compiled = _flow_kernel._cache_size()  # type: ignore[attr-defined]
    propagate(states, mixing[:5], value[:5], 5, "leaky", 0.7)
    assert _flow_kernel._cache_size() == compiled  # type: ignore[attr-defined]


def test_misuse_is_named():
    states, stack = np.zeros((4, 2)), np.zeros((3, 2, 2))
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        propagate(states, stack, stack, 0, "causal")
    with pytest.raises(ValueError, match=r"leak must lie in 0..1; got -0.1"):
        propagate_adjoint(states, stack, stack, 2, "leaky", -0.1)
    with pytest.raises(ValueError, match="with at least one layer"):
        propagate(states, stack[:0], stack[:0], 2, "causal")
