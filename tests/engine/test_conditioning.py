from math import comb

import numpy as np
import pytest

from engine.conditioning import log_kappa
from tests.reference_cases import case, identifiers

ROUNDOFF = 1e-12


@pytest.mark.parametrize("identifier", identifiers("tokens", "A1-kappa"))
def test_raw_condition_number_matches_the_reference(identifier):
    reference = case("tokens", identifier)
    expected = np.log(float(reference["output"]["kappa_raw"]))
    assert log_kappa(reference["input"]["P"], "causal") == pytest.approx(expected, rel=ROUNDOFF)


def test_it_is_the_condition_number_of_the_eigenvector_matrix():
    pascal = np.array([[comb(row, column) for column in range(6)] for row in range(6)], float)
    assert np.exp(log_kappa(6, "causal")) == pytest.approx(np.linalg.cond(pascal), rel=1e-9)


@pytest.mark.parametrize("block_length", [100, 256])
def test_long_blocks_follow_the_asymptotic_law(block_length):
    law = np.log(4 / 3) + _log_binomial(2 * block_length - 2, block_length - 1)
    assert log_kappa(block_length, "causal") == pytest.approx(law, abs=1 / block_length)


def _log_binomial(n: int, k: int) -> float:
    return float(np.log(np.arange(n - k + 1, n + 1) / np.arange(1, k + 1)).sum())


def test_perfect_conditioning():
    assert log_kappa(1, "causal") == 0.0
    assert log_kappa(64, "bidirectional") == 0.0


def test_misuse_is_named():
    with pytest.raises(ValueError, match=r"block_length must lie in 1..1024 \(tokens\); got 1025"):
        log_kappa(1025, "causal")
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        log_kappa(0, "causal")
