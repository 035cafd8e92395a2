import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import disc_certificate as certificate
from engine.disc_certificate import disc, disc_certificate
from engine.fluctuation import fluctuation_l2_norms
from engine.kernel import causal_uniform
from engine.saturation import saturation_depth

ROUNDOFF = 1e-11
THREE_DIGITS = 1e-3


@pytest.mark.parametrize(("exponent", "real_part"), [(2.0, 1.351), (3.0, 1.595)])
def test_discs_of_long_blocks_are_those_of_the_theory(exponent, real_part):
    assert 1 / (2 * disc(200, exponent).radius) == pytest.approx(real_part, abs=THREE_DIGITS)


@pytest.mark.parametrize("exponent", certificate.WEIGHT_EXPONENTS)
@pytest.mark.parametrize("tokens", [2, 3, 9, 40])
def test_the_weighted_kernel_has_its_numerical_range_in_the_disc(tokens, exponent):
    found = disc(tokens, exponent)
    position = np.arange(2.0, tokens + 1)
    roots = position ** (-exponent / 2)
    weighted = roots[:, None] * causal_uniform(tokens)[1:, 1:] / roots
    centred = weighted - found.radius * np.eye(tokens - 1)
    assert np.linalg.norm(centred, 2) <= found.radius * (1 + ROUNDOFF)
    split = roots[:, None] * (np.eye(tokens) - np.eye(tokens)[0])[1:]
    factor = tokens ** (exponent / 2) * np.linalg.norm(split, 2)
    assert found.log_factor == pytest.approx(np.log(factor), abs=ROUNDOFF)
    crude = np.log(tokens) / 2 + exponent / 2 * np.log(tokens / 2)
    assert found.log_factor <= crude + ROUNDOFF


@given(
    seed=st.integers(0, 9999),
    width=st.integers(1, 3),
    block_length=st.integers(1, 8),
    kernel=st.sampled_from([("causal", 0.0), ("causal", 0.0), ("bidirectional", 0.0), ("leaky", 0.3)]),
    scale=st.sampled_from([0.1, 0.5, 2.0]),
)
@settings(deadline=None, max_examples=150)
def test_never_below_the_measured_l2_curve(seed, width, block_length, kernel, scale):
    mixing, value = scale * np.random.default_rng(seed).standard_normal((2, 5, width, width))
    mixing -= 0.5 * np.eye(width) * (seed % 2)
    value += 0.4 * np.eye(width) * (seed % 3)
    measured = fluctuation_l2_norms(mixing, value, block_length, *kernel)
    certified = disc_certificate(mixing, value, block_length, *kernel)
    np.testing.assert_array_equal(np.isneginf(certified), np.isneginf(measured))
    alive = np.isfinite(measured)
    assert (certified[alive] >= measured[alive] - ROUNDOFF).all()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("oversampling", [2, 4])
def test_the_circle_hides_nothing_between_the_points(monkeypatch, seed, oversampling):
    mixing, value = np.random.default_rng(seed).standard_normal((2, 5, 2, 2))
    discs = [disc(6, exponent) for exponent in certificate.WEIGHT_EXPONENTS]
    edges = np.array([found.radius for found in discs])[:, None] * (1 + np.exp(1j * np.linspace(0, 7, 3000)))
    products = np.eye(2)
    for own, shared in zip(np.eye(2) + mixing, value, strict=True):
        products = (own + edges[..., None, None] * shared) @ products
    largest = np.log(np.linalg.norm(products, 2, axis=(2, 3)).max(axis=1))
    monkeypatch.setattr(certificate, "OVERSAMPLING", oversampling)
    found = disc_certificate(mixing, value, 6, "causal")[-1]
    expected = min(factor + peak for (_, factor), peak in zip(discs, largest, strict=True))
    assert expected <= found <= expected + np.log(2) / 2 + ROUNDOFF


def test_two_tokens_show_the_l2_norm_and_not_the_token_sup():
    value = np.ones((12, 1, 1))
    certified = disc_certificate(-value, value, 2, "causal")
    expected = np.log(np.sqrt(2)) - np.arange(13) * np.log(2)
    np.testing.assert_allclose(certified, expected, atol=0.08)
    assert (certified >= expected).all()


@pytest.mark.parametrize("tokens", [4, 12])
def test_random_matrices_saturate_within_reach_of_the_certificate(tokens):
    random = np.random.default_rng(tokens)
    mixing = -0.7 * np.eye(4) + 0.15 * random.standard_normal((40, 4, 4))
    value = 0.4 * np.eye(4) + 0.15 * random.standard_normal((40, 4, 4))
    measured = saturation_depth(fluctuation_l2_norms(mixing, value, tokens, "causal"), 1e-3).depth
    certified = saturation_depth(disc_certificate(mixing, value, tokens, "causal"), 1e-3).depth
    assert measured is not None
    assert certified is not None
    assert measured <= certified <= 2 * measured


def test_segments_of_a_deep_stack_multiply(monkeypatch):
    mixing, value = 0.3 * np.random.default_rng(7).standard_normal((2, 40, 2, 2)) - 0.4 * np.eye(2)
    whole = disc_certificate(mixing, value, 6, "causal")
    monkeypatch.setattr(certificate, "LONGEST_SEGMENT", 16)
    cut = disc_certificate(mixing, value, 6, "causal")
    measured = fluctuation_l2_norms(mixing, value, 6, "causal")
    assert (cut >= measured - ROUNDOFF).all()
    np.testing.assert_allclose(cut[:9], whole[:9], atol=0.02)
    assert cut[-1] - whole[-1] < 3


def test_growth_beyond_floats():
    certified = disc_certificate(np.full((800, 1, 1), 1.2), np.full((800, 1, 1), 0.3), 4, "causal")
    assert 800 * np.log(2.35) < certified[-1] < 800 * np.log(2.5)


def test_a_layer_that_erases_everything_is_an_exact_zero():
    mixing, value = np.zeros((4, 2, 2)), np.zeros((4, 2, 2))
    mixing[2] = -np.eye(2)
    certified = disc_certificate(mixing, value, 3, "causal")
    np.testing.assert_array_equal(np.isneginf(certified), [0, 0, 0, 1, 1])


def test_misuse_is_named():
    stack = np.zeros((3, 2, 2))
    with pytest.raises(ValueError, match="block_length must be at least 2 tokens and exponent at least 0"):
        disc(1, 0.0)
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        disc_certificate(stack, stack, 0, "causal")
    with pytest.raises(ValueError, match="with at least one layer"):
        disc_certificate(stack[:0], stack[:0], 2, "causal")
