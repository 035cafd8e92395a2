import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compressions import first_weights, mean_weights
from engine.effective_tokens import _pooled_kernel, effective_tokens, gaussian_information, pooled_weights
from engine.growth import log_norms
from engine.kernel import bidirectional_uniform, causal_uniform
from tests.reference_cases import case, identifiers, numbers

ROUNDOFF = 1e-10
TWO_DIGITS = 0.05
THREE_DIGITS = 5e-4


def scalars(own: float, shared: float, depth: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full((depth, 1, 1), own - 1), np.full((depth, 1, 1), shared)


@given(seed=st.integers(0, 999), tokens=st.integers(1, 7), kind=st.sampled_from(["causal", "bidirectional"]))
@settings(deadline=None, max_examples=30)
def test_pooled_weights_are_those_of_the_dense_flow(seed, tokens, kind):
    random = np.random.default_rng(seed)
    mixing, value = 0.5 * random.standard_normal((2, 5, 2, 2))
    weights = random.dirichlet(np.ones(tokens))
    kernel = causal_uniform(tokens) if kind == "causal" else bidirectional_uniform(tokens)
    flow = np.eye(2 * tokens)
    for own, shared in zip(np.eye(2) + mixing, value, strict=True):
        flow = (np.kron(np.eye(tokens), own) + np.kron(kernel, shared)) @ flow
    expected = (np.kron(weights, np.eye(2)) @ flow).reshape(2, tokens, 2).swapaxes(0, 1)
    found = pooled_weights(mixing, value, weights, kind)
    np.testing.assert_allclose(found.weights * np.exp(found.log_scale), expected, atol=ROUNDOFF)
    shared_norm = np.linalg.norm(expected.sum(axis=0), 2)
    assert np.log(shared_norm) == pytest.approx(log_norms(np.eye(2) + mixing + value)[-1], abs=1e-9)
    ratio = (expected.sum(axis=0) ** 2).sum() / (expected**2).sum()
    assert effective_tokens(mixing, value, weights, kind)[-1] == pytest.approx(ratio, rel=1e-9)


@pytest.mark.parametrize("identifier", identifiers("tokens", "A3-hausdorff"))
def test_pooled_weights_match_exact_rationals(identifier):
    reference = case("tokens", identifier)
    given_, expected = reference["input"], reference["output"]
    mixing, value = scalars(float(numbers(given_["one_plus_m"])), float(numbers(given_["v"])), given_["l"])
    weights = mean_weights(given_["P"])
    found = pooled_weights(mixing, value, weights, "causal")
    first = found.weights[:3, 0, 0] * np.exp(found.log_scale)
    np.testing.assert_allclose(first, numbers(expected["pooled_weights_first3"]), rtol=ROUNDOFF)
    counts = effective_tokens(mixing, value, weights, "causal")
    assert counts[-1] == pytest.approx(float(expected["n_eff"]), rel=ROUNDOFF)


def test_effective_tokens_and_information_of_the_theory():
    counts = effective_tokens(*scalars(0.2, 0.9, 16), mean_weights(32), "causal")
    np.testing.assert_allclose(counts[[0, 1, 2, 3, 5]], [32, 20.2, 10.0, 5.4, 2.3], atol=TWO_DIGITS)
    assert counts[10] == pytest.approx(1.11, abs=0.005)
    counts = effective_tokens(*scalars(0.2, 0.9, 16), mean_weights(16), "causal")
    found = gaussian_information(counts, 4.0)[[0, 1, 2, 4, 8, 16]]
    np.testing.assert_allclose(found, [0.805, 0.643, 0.440, 0.228, 0.128, 0.112], atol=THREE_DIGITS)
    assert gaussian_information(np.ones(1), 4.0)[0] == pytest.approx(0.1116, abs=5e-5)


def test_the_bidirectional_mean_hears_every_token_at_every_depth():
    mixing, value = 0.4 * np.random.default_rng(1).standard_normal((2, 12, 3, 3))
    counts = effective_tokens(mixing, value, mean_weights(9), "bidirectional")
    np.testing.assert_allclose(counts, 9, rtol=ROUNDOFF)


def test_the_first_token_of_a_causal_block_hears_itself():
    mixing, value = 0.4 * np.random.default_rng(2).standard_normal((2, 12, 3, 3))
    np.testing.assert_allclose(effective_tokens(mixing, value, first_weights(9), "causal"), 1, rtol=ROUNDOFF)
    np.testing.assert_allclose(effective_tokens(mixing, value, mean_weights(1), "causal"), 1, rtol=ROUNDOFF)


def test_deep_stacks_neither_overflow_nor_vanish():
    for own in (0.1, 1.5):
        counts = effective_tokens(*scalars(own, 0.3, 4096), mean_weights(8), "causal")
        assert counts[-1] == pytest.approx(1)
    found = pooled_weights(*scalars(1.5, 0.3, 4096), mean_weights(8), "causal")
    assert found.log_scale == pytest.approx(4096 * np.log(1.8))


def test_nothing_arrives_behind_a_layer_that_erases_everything():
    mixing, value = np.zeros((3, 2, 2)), np.zeros((3, 2, 2))
    mixing[1] = -np.eye(2)
    counts = effective_tokens(mixing, value, mean_weights(4), "causal")
    np.testing.assert_allclose(counts, [4, 4, 0, 0])
    np.testing.assert_array_equal(gaussian_information(counts, 1.0)[2:], 0)
    assert pooled_weights(mixing, value, mean_weights(4), "causal").log_scale == -np.inf


def test_depth_and_block_length_share_compiled_kernels():
    effective_tokens(*scalars(0.2, 0.9, 8), mean_weights(8), "causal")
    compiled = _pooled_kernel._cache_size()  # type: ignore[attr-defined]
    effective_tokens(*scalars(0.4, 0.9, 5), first_weights(3), "causal")
    assert _pooled_kernel._cache_size() == compiled  # type: ignore[attr-defined]


def test_misuse_is_named():
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        effective_tokens(*scalars(0.2, 0.9, 2), np.zeros(0), "causal")
    with pytest.raises(ValueError, match="with at least one layer"):
        pooled_weights(*scalars(0.2, 0.9, 0), mean_weights(2), "causal")
    with pytest.raises(ValueError, match=r"noise_variance must be positive; got 0"):
        gaussian_information(np.ones(2), 0.0)
