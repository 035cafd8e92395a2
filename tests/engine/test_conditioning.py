from math import comb

import numpy as np
import pytest
from scipy.optimize import minimize

from engine.conditioning import log_kappa, scaled_log_kappa
from tests.reference_cases import case, identifiers

ROUNDOFF = 1e-12
EIGHT_DIGITS = 1e-8


@pytest.mark.parametrize("identifier", identifiers("tokens", "A1-kappa"))
def test_raw_condition_number_matches_the_reference(identifier):
    reference = case("tokens", identifier)
    expected = np.log(float(reference["output"]["kappa_raw"]))
    assert log_kappa(reference["input"]["P"], "causal") == pytest.approx(expected, rel=ROUNDOFF)


@pytest.mark.parametrize("identifier", identifiers("tokens", "A1-kappa"))
def test_scaled_condition_numbers_match_the_reference(identifier):
    reference = case("tokens", identifier)
    found, expected = scaled_log_kappa(reference["input"]["P"], "causal"), reference["output"]
    column_normalised = np.log(float(expected["kappa_colnorm"]))
    assert found.column_normalised == pytest.approx(column_normalised, rel=ROUNDOFF)
    assert found.frobenius == pytest.approx(np.log(float(expected["frobenius_min_cond"])), rel=ROUNDOFF)
    assert found.floor == pytest.approx(np.log(float(expected["max_eigenvalue_cond"])), rel=ROUNDOFF)
    if "kappa_best_diag" in expected:
        assert found.best == pytest.approx(np.log(float(expected["kappa_best_diag"])), abs=EIGHT_DIGITS)


@pytest.mark.parametrize("block_length", [2, 9, 40, 100])
def test_no_scaling_beats_the_best_or_the_floor(block_length):
    found = scaled_log_kappa(block_length, "causal")
    assert found.floor <= found.best <= found.frobenius
    assert found.best <= found.column_normalised + ROUNDOFF
    assert found.column_normalised <= log_kappa(block_length, "causal") + ROUNDOFF


def test_the_best_scaling_follows_the_law_of_the_theory():
    law = np.log(0.275) + 100 * np.log(3) - np.log(100) / 4
    assert scaled_log_kappa(100, "causal").best == pytest.approx(law, abs=0.01)


def test_best_scaling_of_four_tokens_is_that_of_a_search():
    pascal = np.array([[comb(row, column) for column in range(4)] for row in range(4)], float)

    def condition(logs: np.ndarray) -> float:
        return float(np.log(np.linalg.cond(pascal * np.exp(np.append(logs, 0.0)))))

    found = minimize(condition, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    assert scaled_log_kappa(4, "causal").best == pytest.approx(found.fun, abs=EIGHT_DIGITS)


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
    assert scaled_log_kappa(1, "causal") == (0.0, 0.0, 0.0, 0.0)
    assert scaled_log_kappa(64, "bidirectional")[:2] == (0.0, 0.0)


def test_misuse_is_named():
    with pytest.raises(ValueError, match=r"block_length must lie in 1..1024 \(tokens\); got 1025"):
        log_kappa(1025, "causal")
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        log_kappa(0, "causal")
    with pytest.raises(ValueError, match=r"block_length must lie in 1..1024 \(tokens\); got 1025"):
        scaled_log_kappa(1025, "causal")
