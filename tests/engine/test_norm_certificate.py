from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.conditioning import log_kappa
from engine.fluctuation import fluctuation_norms
from engine.norm_certificate import norm_certificate
from engine.saturation import paper_bound, saturation_depth
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-11
TABLE = case("tokens", "A4-tau-table")


@given(
    seed=st.integers(0, 9999),
    width=st.integers(1, 3),
    block_length=st.integers(1, 8),
    kernel=st.sampled_from([("causal", 0.0), ("bidirectional", 0.0), ("leaky", 0.3)]),
    scale=st.sampled_from([0.1, 0.5, 2.0]),
)
@settings(deadline=None, max_examples=150)
def test_never_below_the_measured_curve(seed, width, block_length, kernel, scale):
    mixing, value = scale * np.random.default_rng(seed).standard_normal((2, 7, width, width))
    mixing -= 0.5 * np.eye(width) * (seed % 2)
    measured = fluctuation_norms(mixing, value, block_length, *kernel).log_absolute
    certified = norm_certificate(mixing, value, block_length, *kernel)
    assert (certified >= measured - ROUNDOFF).all()


@pytest.mark.parametrize("row", TABLE["output"]["rows"], ids=lambda row: f"{row['v']}-P{row['P']}")
def test_depths_of_the_table_are_those_of_the_reference(row):
    depth, tokens, tolerance = 130, row["P"], float(TABLE["input"]["tol"])
    own, shared = numbers(row["one_plus_m"]), numbers(row["v"])
    mixing, value = np.full((depth, 1, 1), own - 1), np.full((depth, 1, 1), shared)
    measured = fluctuation_norms(mixing, value, tokens, "causal")
    assert saturation_depth(measured.log_absolute, tolerance).depth == row["tau_abs"]
    assert saturation_depth(measured.log_relative, tolerance).depth == row["tau_rel"]
    certified = norm_certificate(mixing, value, tokens, "causal")
    assert saturation_depth(certified, tolerance).depth == ceil(float(row["poly_bound"]))
    rate = float(own + shared / 2)
    found = paper_bound(log_kappa(tokens, "causal"), 1.0, rate, tolerance)
    assert found == ceil(float(row["paper_bound_raw"]))


def test_exact_for_two_tokens_and_for_bidirectional_scalars():
    mixing, value = np.full((20, 1, 1), -0.5), np.full((20, 1, 1), 0.6)
    measured = fluctuation_norms(mixing, value, 2, "causal").log_absolute
    np.testing.assert_allclose(norm_certificate(mixing, value, 2, "causal"), measured, atol=ROUNDOFF)
    measured = fluctuation_norms(mixing, value, 7, "bidirectional").log_absolute
    np.testing.assert_allclose(norm_certificate(mixing, value, 7, "bidirectional"), measured, atol=ROUNDOFF)


def test_one_token_and_erased_layers_are_exact_zeros():
    mixing, value = np.zeros((4, 2, 2)), np.zeros((4, 2, 2))
    assert np.isneginf(norm_certificate(mixing, value, 1, "causal")).all()
    mixing[1] = -np.eye(2)
    np.testing.assert_array_equal(np.isneginf(norm_certificate(mixing, value, 4, "causal")), [0, 0, 1, 1, 1])


def test_four_thousand_growing_layers_do_not_overflow():
    certified = norm_certificate(np.full((4096, 1, 1), 0.3), np.full((4096, 1, 1), 0.2), 8, "causal")
    assert certified[-1] == pytest.approx(np.log(14) + 4096 * np.log(1.4))


def test_misuse_is_named():
    stack = np.zeros((3, 2, 2))
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        norm_certificate(stack, stack, 0, "causal")
    with pytest.raises(ValueError, match="with at least one layer"):
        norm_certificate(stack[:0], stack[:0], 2, "causal")
