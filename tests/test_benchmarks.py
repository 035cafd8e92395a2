"""The benchmarks compare equal things; how fast they are is never a test."""

import numpy as np
import pytest

from benchmarks import plain_tokens
from benchmarks.ratio import Row, compared
from benchmarks.token_kernels import stack
from engine.duality import duality_surface
from engine.fluctuation import fluctuation_norms


def test_two_ways_that_disagree_are_not_compared():
    with pytest.raises(AssertionError, match="a kernel"):
        compared("a kernel", "", lambda: 1.0, lambda: 1.1)


def test_a_ratio_is_the_plain_time_over_ours():
    assert Row("", "", ours=2.0, plain=20.0, target=None).ratio == 10


def test_the_plain_kernels_of_tokens_are_right():
    mixing, value = stack(5, 2)
    weights = np.array([0.2, 0.3, 0.5])
    surface = duality_surface(mixing, value, weights, "causal", np.arange(6))
    np.testing.assert_allclose(
        plain_tokens.switch_errors(mixing, value, weights), np.exp(surface.log_absolute), rtol=1e-9
    )
    norms = fluctuation_norms(mixing, value, 3, "causal").log_absolute
    np.testing.assert_allclose(plain_tokens.fluctuations(mixing, value, 3), np.exp(norms), rtol=1e-9)
