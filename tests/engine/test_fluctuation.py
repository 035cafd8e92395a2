import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import fluctuation_l2, fluctuation_map
from engine.fluctuation import _norms_kernel, fluctuation_l2_norms, fluctuation_norms
from engine.kernel import bidirectional_uniform, causal_uniform, leaky_uniform
from engine.sectors import sector_norms
from engine.token_flow import propagate
from tests.reference_cases import case, identifiers, numbers

ROUNDOFF = 1e-11

stacks = st.builds(
    lambda seed, depth, width, scale: (
        scale * np.random.default_rng(seed).standard_normal((2, depth, width, width))
    ),
    seed=st.integers(0, 999),
    depth=st.integers(1, 7),
    width=st.sampled_from([1, 2, 3]),
    scale=st.sampled_from([0.1, 0.5, 2.0]),
)
kinds = st.sampled_from(["causal", "bidirectional"])


def dense_maps(mixing: np.ndarray, value: np.ndarray, tokens: int, kind: str) -> list[np.ndarray]:
    """The fluctuation map at depths 0..L from Kronecker products, split at the left vector of 1."""
    kernel = causal_uniform(tokens) if kind == "causal" else bidirectional_uniform(tokens)
    left = np.eye(tokens)[:1] if kind == "causal" else np.full((1, tokens), 1 / tokens)
    width = mixing.shape[-1]
    maps = [np.kron(np.eye(tokens) - np.ones((tokens, 1)) * left, np.eye(width))]
    for mix, val in zip(mixing, value, strict=True):
        layer = np.kron(np.eye(tokens), np.eye(width) + mix) + np.kron(kernel, val)
        maps.append(layer @ maps[-1])
    return maps


def row_sums(matrix: np.ndarray, tokens: int) -> np.ndarray:
    width = len(matrix) // tokens
    blocks = matrix.reshape(tokens, width, tokens, width).transpose(0, 2, 1, 3)
    return np.linalg.norm(blocks, 2, axis=(2, 3)).sum(axis=1)


def token_sup(matrix: np.ndarray, tokens: int) -> float:
    return row_sums(matrix, tokens).max()


@given(stack=stacks, tokens=st.integers(2, 8), kind=kinds)
@settings(deadline=None, max_examples=50)
def test_norms_are_those_of_the_dense_map(stack, tokens, kind):
    mixing, value = stack
    maps = dense_maps(mixing, value, tokens, kind)
    found = np.exp(fluctuation_norms(mixing, value, tokens, kind).log_absolute)
    np.testing.assert_allclose(found, [token_sup(matrix, tokens) for matrix in maps], rtol=1e-9)
    found = np.exp(fluctuation_l2_norms(mixing, value, tokens, kind))
    np.testing.assert_allclose(found, [np.linalg.norm(matrix, 2) for matrix in maps], rtol=1e-9)


@given(stack=stacks, tokens=st.integers(2, 8))
@settings(deadline=None, max_examples=50)
def test_no_row_exceeds_the_one_behind_it(stack, tokens):
    mixing, value = stack
    for matrix in dense_maps(mixing, value, tokens, "causal"):
        sums = row_sums(matrix, tokens)
        assert (np.diff(sums) >= -ROUNDOFF * sums.max()).all()


@given(stack=stacks, tokens=st.integers(2, 8))
@settings(deadline=None, max_examples=30)
def test_the_last_row_holds_the_whole_map(stack, tokens):
    mixing, value = stack
    width = mixing.shape[-1]
    last = dense_maps(mixing, value, tokens, "causal")[-1]
    blocks = last.reshape(tokens, width, tokens, width)
    rebuilt = fluctuation_map.whole_map(blocks[-1].swapaxes(0, 1))
    np.testing.assert_allclose(rebuilt, last, atol=ROUNDOFF * max(1, np.abs(last).max()))


def test_long_blocks_match_the_dense_map():
    mixing, value = 0.3 * np.random.default_rng(24).standard_normal((2, 6, 8, 8))
    maps = dense_maps(mixing, value, 24, "causal")
    found = np.exp(fluctuation_norms(mixing, value, 24, "causal").log_absolute)
    np.testing.assert_allclose(found, [token_sup(matrix, 24) for matrix in maps], rtol=1e-9)
    found = np.exp(fluctuation_l2_norms(mixing, value, 24, "causal"))
    np.testing.assert_allclose(found, [np.linalg.norm(matrix, 2) for matrix in maps], rtol=1e-9)


@pytest.mark.parametrize("identifier", identifiers("tokens", "A3-hausdorff"))
def test_norms_match_exact_rationals(identifier):
    reference = case("tokens", identifier)
    given_ = reference["input"]
    mixing = np.full((given_["l"], 1, 1), numbers(given_["one_plus_m"]) - 1)
    value = np.full((given_["l"], 1, 1), numbers(given_["v"]))
    fluctuation = fluctuation_norms(mixing, value, given_["P"], "causal")
    expected = float(reference["output"]["fluct_blk_norm"])
    assert np.exp(fluctuation.log_absolute[-1]) == pytest.approx(expected, rel=ROUNDOFF)
    relative = expected / float(reference["output"]["f1"])
    assert np.exp(fluctuation.log_relative[-1]) == pytest.approx(relative, rel=ROUNDOFF)


@pytest.mark.parametrize("identifier", identifiers("tokens", "A3-hausdorff"))
def test_last_row_of_the_flow_matches_exact_rationals(identifier):
    reference = case("tokens", identifier)
    given_, expected = reference["input"], reference["output"]
    mixing = np.full((given_["l"], 1, 1), numbers(given_["one_plus_m"]) - 1)
    value = np.full((given_["l"], 1, 1), numbers(given_["v"]))
    flow = propagate(
        np.eye(given_["P"]),
        np.kron(mixing, np.eye(given_["P"])),
        np.kron(value, np.eye(given_["P"])),
        given_["P"],
        "causal",
    )
    np.testing.assert_allclose(flow[-1, :3], numbers(expected["last_row_first3"]), rtol=ROUNDOFF)
    pooled = flow.mean(axis=0)
    np.testing.assert_allclose(pooled[:3], numbers(expected["pooled_weights_first3"]), rtol=ROUNDOFF)
    assert pooled.sum() ** 2 / (pooled**2).sum() == pytest.approx(float(expected["n_eff"]), rel=ROUNDOFF)


@given(stack=stacks, tokens=st.integers(2, 8))
@settings(deadline=None, max_examples=20)
def test_diagonal_token_blocks_are_the_sector_cocycles(stack, tokens):
    mixing, value = stack
    width = mixing.shape[-1]
    last = dense_maps(mixing, value, tokens, "causal")[-1]
    blocks = last.reshape(tokens, width, tokens, width)
    diagonal = [np.linalg.norm(blocks[token, :, token, :], 2) for token in range(1, tokens)]
    sectors = np.arange(2.0, tokens + 1)
    np.testing.assert_allclose(np.exp(sector_norms(mixing, value, sectors)[:, -1]), diagonal, rtol=1e-9)


@given(
    stack=stacks,
    block_length=st.integers(2, 4),
    tokens=st.integers(8, 11),
    leak=st.sampled_from([0.0, 0.2, 1.0]),
)
@settings(deadline=None, max_examples=30)
def test_under_a_leak_differences_inside_blocks_flow_by_themselves(stack, block_length, tokens, leak):
    mixing, value = stack
    width, kernel = mixing.shape[-1], leaky_uniform(tokens, block_length, leak)
    first = np.arange(tokens) // block_length * block_length
    split = np.kron(np.eye(tokens) - np.eye(tokens)[first], np.eye(width))
    flow, sups, squares = np.eye(tokens * width), [], []
    for depth in range(len(mixing) + 1):
        sups.append(token_sup(split @ flow, tokens))
        squares.append(np.linalg.norm(split @ flow, 2))
        if depth < len(mixing):
            layer = np.kron(np.eye(tokens), np.eye(width) + mixing[depth]) + np.kron(kernel, value[depth])
            flow = layer @ flow
    scale = float(np.linalg.norm(flow, 2))
    found = fluctuation_norms(mixing, value, block_length, "leaky", leak)
    np.testing.assert_allclose(np.exp(found.log_absolute), sups, rtol=1e-8, atol=ROUNDOFF * scale)
    shared = np.exp(sector_norms(mixing, value, np.ones(1))[0])
    np.testing.assert_allclose(np.exp(found.log_relative) * shared, sups, rtol=1e-8, atol=ROUNDOFF * scale)
    found = np.exp(fluctuation_l2_norms(mixing, value, block_length, "leaky", leak))
    np.testing.assert_allclose(found, squares, rtol=1e-8, atol=ROUNDOFF * scale)


def test_differences_ignore_what_the_tokens_share():
    growing, fading = np.full((200, 1, 1), -0.5), np.full((200, 1, 1), 0.8)
    fluctuation = fluctuation_norms(growing, fading, 8, "causal")
    slopes = np.diff(fluctuation.log_absolute[-50:])
    np.testing.assert_allclose(slopes, np.log(0.9), atol=1e-6)
    slopes = np.diff(fluctuation.log_relative[-50:])
    np.testing.assert_allclose(slopes, np.log(0.9 / 1.3), atol=1e-6)


def test_one_token_has_no_fluctuation():
    mixing, value = 0.3 * np.random.default_rng(2).standard_normal((2, 5, 2, 2))
    for kind in ("causal", "bidirectional"):
        assert np.isneginf(fluctuation_norms(mixing, value, 1, kind).log_absolute).all()
        assert np.isneginf(fluctuation_norms(mixing, value, 1, kind).log_relative).all()
        assert np.isneginf(fluctuation_l2_norms(mixing, value, 1, kind)).all()


@pytest.mark.parametrize("kind", ["causal", "bidirectional"])
def test_a_layer_that_erases_everything_is_an_exact_zero(kind):
    mixing, value = np.zeros((4, 2, 2)), np.zeros((4, 2, 2))
    mixing[2] = -np.eye(2)
    fluctuation = fluctuation_norms(mixing, value, 4, kind)
    assert np.isfinite(fluctuation.log_absolute[:3]).all()
    assert np.isneginf(fluctuation.log_absolute[3:]).all()
    assert np.isneginf(fluctuation.log_relative[3:]).all()
    assert np.isneginf(fluctuation_l2_norms(mixing, value, 4, kind)[3:]).all()


def test_differences_may_outlive_what_is_shared():
    mixing, value = np.full((3, 1, 1), -0.5), np.full((3, 1, 1), -0.5)
    fluctuation = fluctuation_norms(mixing, value, 4, "causal")
    assert np.isfinite(fluctuation.log_absolute).all()
    assert np.isposinf(fluctuation.log_relative[1:]).all()


def test_four_thousand_growing_layers_do_not_overflow():
    depth = 4096
    mixing, value = np.full((depth, 1, 1), 0.3), np.zeros((depth, 1, 1))
    expected = np.log(2) + np.arange(depth + 1) * np.log(1.3)
    for kind in ("causal", "bidirectional"):
        offset = np.log(1 - 1 / 4) if kind == "bidirectional" else 0.0
        found = fluctuation_norms(mixing, value, 4, kind)
        np.testing.assert_allclose(found.log_absolute, expected + offset, rtol=1e-12)
        np.testing.assert_allclose(found.log_relative, np.log(2) + offset, atol=1e-9)


def test_l2_norms_do_not_depend_on_how_they_are_found(monkeypatch):
    mixing, value = 0.3 * np.random.default_rng(3).standard_normal((2, 6, 2, 2)) - 0.1 * np.eye(2)
    decomposed = fluctuation_l2_norms(mixing, value, 8, "causal")
    monkeypatch.setattr(fluctuation_l2, "SMALL_SIZE", 1)
    probed = fluctuation_l2_norms(mixing, value, 8, "causal")
    monkeypatch.setattr(fluctuation_l2, "MATRIX_SIZE", 1)
    flowed = fluctuation_l2_norms(mixing, value, 8, "causal")
    np.testing.assert_allclose(probed, decomposed, atol=1e-9)
    np.testing.assert_allclose(flowed, decomposed, atol=1e-9)


def test_depth_and_block_length_share_compiled_kernels():
    mixing, value = 0.2 * np.random.default_rng(4).standard_normal((2, 8, 2, 2))
    fluctuation_norms(mixing, value, 8, "causal")
    compiled = _norms_kernel._cache_size()  # type: ignore[attr-defined]
    for depth, tokens in ((8, 5), (7, 8), (5, 3)):
        fluctuation_norms(mixing[:depth], value[:depth] / 3, tokens, "causal")
    assert _norms_kernel._cache_size() == compiled  # type: ignore[attr-defined]


def test_misuse_is_named():
    stack = np.zeros((3, 2, 2))
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        fluctuation_norms(stack, stack, 0, "causal")
    with pytest.raises(ValueError, match="with at least one layer"):
        fluctuation_l2_norms(stack[:0], stack[:0], 2, "causal")
