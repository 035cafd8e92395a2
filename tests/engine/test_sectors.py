import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import sector_constant
from engine.qr_flow import log_stretches
from engine.sectors import (
    fluctuation_constant,
    fluctuation_rate,
    sector_factors,
    sector_norms,
    transverse_sectors,
)
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-11

stacks = st.builds(
    lambda seed, depth, width: 0.5 * np.random.default_rng(seed).standard_normal((2, depth, width, width)),
    seed=st.integers(0, 999),
    depth=st.integers(1, 7),
    width=st.sampled_from([1, 2, 3]),
)


def products(factors: np.ndarray, start: int, length: int) -> np.ndarray:
    product = np.eye(factors.shape[-1])
    for layer in range(start, start + length):
        product = factors[layer % len(factors)] @ product
    return product


def test_transverse_sectors_of_both_kernels():
    np.testing.assert_array_equal(transverse_sectors(4, "causal"), [2, 3, 4])
    np.testing.assert_array_equal(transverse_sectors(4, "bidirectional"), [np.inf])
    assert not len(transverse_sectors(1, "causal"))
    assert not len(transverse_sectors(1, "bidirectional"))


def test_first_and_last_sector_are_tangent_cocycle_and_mixing_alone():
    mixing, value = np.random.default_rng(0).standard_normal((2, 4, 3, 3))
    first, last = sector_factors(mixing, value, np.array([1.0, np.inf]))
    np.testing.assert_allclose(first, np.eye(3) + mixing + value, rtol=ROUNDOFF)
    np.testing.assert_array_equal(last, np.eye(3) + mixing)


def test_sectors_match_exact_rationals():
    reference = case("tokens", "A2-flow-causal")
    mixing, value = (numbers(reference["input"][key]) for key in ("M", "V"))
    sectors = np.arange(1.0, 5)
    norms = sector_norms(mixing, value, sectors)[:, -1]
    for sector, log_norm, factors in zip(sectors, norms, sector_factors(mixing, value, sectors), strict=True):
        expected = numbers(reference["output"]["Phi"][str(int(sector))])
        np.testing.assert_allclose(products(factors, 0, 3), expected, rtol=ROUNDOFF)
        assert np.exp(log_norm) == pytest.approx(np.linalg.norm(expected, 2), rel=ROUNDOFF)


@given(stack=stacks)
@settings(deadline=None, max_examples=30)
def test_norms_are_those_of_the_products(stack):
    mixing, value = stack
    sectors = np.array([1.0, 2.5, np.inf])
    found = np.exp(sector_norms(mixing, value, sectors))
    for row, factors in zip(found, sector_factors(mixing, value, sectors), strict=True):
        lengths = range(len(mixing) + 1)
        expected = [np.linalg.norm(products(factors, 0, length), 2) for length in lengths]
        np.testing.assert_allclose(row, expected, rtol=ROUNDOFF)


def test_norms_neither_overflow_nor_underflow():
    depth = 4096
    mixing, value = np.full((depth, 1, 1), 0.3), np.full((depth, 1, 1), -1.2)
    found = sector_norms(mixing, value, np.array([1.0, np.inf]))[:, -1]
    np.testing.assert_allclose(found, depth * np.log([0.1, 1.3]), rtol=1e-12)


def test_lost_sectors_are_exact_zeros():
    mixing, value = np.zeros((3, 2, 2)), np.zeros((3, 2, 2))
    value[1] = -2 * np.eye(2)
    found = sector_norms(mixing, value, np.array([1.0, 2.0, 3.0]))
    assert np.isneginf(found[1, 2:]).all()
    assert np.isfinite(found[[0, 2]]).all()


def test_tied_rate_is_the_largest_sector_modulus():
    mixing, value = 0.5 * np.random.default_rng(1).standard_normal((2, 1, 3, 3))
    expected = max(np.abs(np.linalg.eigvals(np.eye(3) + mixing[0] + value[0] / j)).max() for j in range(2, 7))
    found = fluctuation_rate(mixing, value, 6, "causal", period_class="tied", window=8)
    assert found == pytest.approx(expected, rel=ROUNDOFF)


def test_periodic_rate_is_the_largest_multiplier_per_layer():
    mixing, value = 0.5 * np.random.default_rng(2).standard_normal((2, 3, 3, 3))
    stack = sector_factors(mixing, value, np.arange(2.0, 6))
    radii = [np.abs(np.linalg.eigvals(products(factors, 0, 3))).max() for factors in stack]
    found = fluctuation_rate(mixing, value, 5, "causal", period_class="periodic", window=8)
    assert found == pytest.approx(max(radii) ** (1 / 3), rel=ROUNDOFF)


def test_bidirectional_rate_is_that_of_mixing_alone():
    mixing, value = 0.5 * np.random.default_rng(3).standard_normal((2, 1, 3, 3))
    expected = np.abs(np.linalg.eigvals(np.eye(3) + mixing[0])).max()
    found = fluctuation_rate(mixing, value, 6, "bidirectional", period_class="tied", window=8)
    assert found == pytest.approx(expected, rel=ROUNDOFF)


@pytest.mark.parametrize("window", [1, 5, 12, 99])
def test_window_rate_is_the_top_edge_of_the_sectors_qr_stretches(window):
    mixing, value = 0.4 * np.random.default_rng(4).standard_normal((2, 12, 3, 3))
    used = min(window, 12)
    edges = []
    for factors in sector_factors(mixing, value, np.arange(2.0, 5)):
        leading = log_stretches(factors)[:, 0]
        edges.append(max(leading[start : start + used].mean() for start in range(13 - used)))
    found = fluctuation_rate(mixing, value, 4, "causal", period_class="window", window=window)
    assert np.log(found) == pytest.approx(max(edges), abs=1e-10)


def test_window_rate_of_triangular_layers_is_not_fooled_by_their_diagonal():
    mixing = np.tile(np.array([[-0.5, 1.0], [0.0, -0.1]]), (40, 1, 1))
    found = fluctuation_rate(mixing, np.zeros((40, 2, 2)), 3, "causal", period_class="window", window=20)
    eigenvectors = np.linalg.eig(np.eye(2) + mixing[0])[1]
    assert abs(np.log(found / 0.9)) <= np.log(np.linalg.cond(eigenvectors)) / 20


def test_window_rate_survives_a_layer_that_erases_everything():
    mixing = np.full((9, 2, 2), 0.0)
    mixing[4] = -np.eye(2)
    value = np.zeros((9, 2, 2))
    alive = fluctuation_rate(mixing, value, 3, "causal", period_class="window", window=4)
    assert alive == pytest.approx(1.0, rel=ROUNDOFF)
    assert fluctuation_rate(mixing, value, 3, "causal", period_class="window", window=9) == 0.0


def brute_constant(factors: np.ndarray, rate: float, pairs: list[tuple[int, int]]) -> float:
    return max(
        float(np.linalg.norm(products(stack, start, length), 2)) / rate**length
        for stack in factors
        for start, length in pairs
    )


@given(stack=stacks, rate=st.sampled_from([0.6, 1.0, 1.7]), tokens=st.integers(2, 5))
@settings(deadline=None, max_examples=30)
def test_window_constant_is_the_largest_of_all_pairs(stack, rate, tokens):
    mixing, value = stack
    depth = len(mixing)
    pairs = [(start, length) for start in range(depth) for length in range(depth - start + 1)]
    factors = sector_factors(mixing, value, np.arange(2.0, tokens + 1))
    found = fluctuation_constant(mixing, value, tokens, "causal", rate, period_class="window", depth=depth)
    assert found == pytest.approx(brute_constant(factors, rate, pairs), rel=1e-9)


@given(stack=stacks, rate=st.sampled_from([0.6, 1.0, 1.7]))
@settings(deadline=None, max_examples=20)
def test_periodic_constant_runs_past_the_end_of_the_period(stack, rate):
    mixing, value = stack
    pairs = [(start, length) for start in range(len(mixing)) for length in range(16)]
    factors = sector_factors(mixing, value, np.arange(2.0, 5))
    found = fluctuation_constant(mixing, value, 4, "causal", rate, period_class="periodic", depth=15)
    assert found == pytest.approx(brute_constant(factors, rate, pairs), rel=1e-9)


def test_many_sectors_are_taken_in_turns(monkeypatch):
    mixing, value = 0.4 * np.random.default_rng(5).standard_normal((2, 8, 2, 2))
    arguments = (mixing, value, 12, "causal", 0.9)
    whole = fluctuation_constant(*arguments, period_class="window", depth=8)
    monkeypatch.setattr(sector_constant, "ENTRIES_PER_CALL", 3 * 8 * 4)
    assert fluctuation_constant(*arguments, period_class="window", depth=8) == pytest.approx(
        whole, rel=ROUNDOFF
    )


def test_bidirectional_constant_is_that_of_mixing_alone():
    mixing = np.array([[[-0.5, 3.0], [0.0, -0.5]]])
    found = fluctuation_constant(
        mixing, np.eye(2)[None], 6, "bidirectional", 0.5, period_class="tied", depth=10
    )
    expected = np.linalg.norm(np.array([[1.0, 60.0], [0.0, 1.0]]), 2)
    assert found == pytest.approx(expected, rel=ROUNDOFF)


def test_contracting_layers_need_no_constant():
    mixing, value = np.full((1, 2, 2), 0.0) - 0.5 * np.eye(2), np.zeros((1, 2, 2))
    rate = fluctuation_rate(mixing, value, 8, "causal", period_class="tied", window=4)
    assert rate == pytest.approx(0.5, rel=ROUNDOFF)
    found = fluctuation_constant(mixing, value, 8, "causal", rate, period_class="tied", depth=64)
    assert found == pytest.approx(1.0, rel=ROUNDOFF)


def test_vanishing_rate_has_a_constant_only_when_every_layer_erases():
    nilpotent = np.array([[[-1.0, 1.0], [0.0, -1.0]]])
    none = np.zeros((1, 2, 2))
    assert fluctuation_rate(nilpotent, none, 4, "causal", period_class="tied", window=4) == 0.0
    arguments = {"period_class": "tied", "depth": 8}
    assert fluctuation_constant(nilpotent, none, 4, "causal", 0.0, **arguments) == np.inf
    assert fluctuation_constant(-np.eye(2)[None], none, 4, "causal", 0.0, **arguments) == 1.0


def test_one_token_has_no_transverse_sector():
    mixing, value = np.random.default_rng(6).standard_normal((2, 3, 2, 2))
    for kind in ("causal", "bidirectional"):
        assert fluctuation_rate(mixing, value, 1, kind, period_class="window", window=2) == 0.0
        assert fluctuation_constant(mixing, value, 1, kind, 0.0, period_class="window", depth=3) == 0.0


def test_misuse_is_named():
    stack = np.zeros((3, 2, 2))
    with pytest.raises(ValueError, match="sectors must be at least 1"):
        sector_norms(stack, stack, np.array([0.5]))
    with pytest.raises(ValueError, match="with at least one layer"):
        sector_factors(stack[:0], stack[:0], np.ones(1))
    with pytest.raises(ValueError, match="window must be at least 1 layer; got 0"):
        fluctuation_rate(stack, stack, 4, "causal", period_class="window", window=0)
    with pytest.raises(
        ValueError, match=r"rate must be at least 0 and depth at least 1 layer; got -1\.0 and 3"
    ):
        fluctuation_constant(stack, stack, 4, "causal", -1.0, period_class="window", depth=3)
