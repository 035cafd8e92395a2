from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.growth import finite_time_growth, log_norms

ROUNDOFF = 1e-12
ACCURATE = 1e-11
DIGITS = 200
seeds = st.integers(0, 2**32 - 1)


def rotation(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def precise_log_singular_values(factors: np.ndarray) -> np.ndarray:
    """One-sided Jacobi on the product formed with 200 digits."""
    with localcontext() as context:
        context.prec = DIGITS
        exact = [[[Decimal(float(x)) for x in row] for row in layer] for layer in factors]
        rows = exact[0]
        for layer in exact[1:]:
            rows = [
                [sum(a * b[j] for a, b in zip(line, rows, strict=True)) for j in range(len(rows))]
                for line in layer
            ]
        for _ in range(30):
            for i in range(len(rows)):
                for j in range(i + 1, len(rows)):
                    rows[i], rows[j] = orthogonal_pair(rows[i], rows[j])
        lengths = sorted((length_of(row) for row in rows), reverse=True)
        return np.array([float(length.ln()) for length in lengths])


def length_of(row: list) -> Decimal:
    return sum((x * x for x in row), Decimal(0)).sqrt()


def orthogonal_pair(first: list, second: list) -> tuple[list, list]:
    alpha, beta = (sum((x * x for x in row), Decimal(0)) for row in (first, second))
    gamma = sum((x * y for x, y in zip(first, second, strict=True)), Decimal(0))
    if abs(gamma) < Decimal(10) ** -150 * (alpha * beta).sqrt():
        return first, second
    zeta = (beta - alpha) / (2 * gamma)
    tangent = Decimal(1 if zeta >= 0 else -1) / (abs(zeta) + (1 + zeta * zeta).sqrt())
    cosine = 1 / (1 + tangent * tangent).sqrt()
    pairs = list(zip(first, second, strict=True))
    return (
        [cosine * (x - tangent * y) for x, y in pairs],
        [cosine * (tangent * x + y) for x, y in pairs],
    )


@pytest.mark.parametrize("depth", [60, 4096])
def test_both_factors_of_the_rotated_saddle_are_right(depth):
    layer = rotation(0.3) @ np.diag([1.5, 0.5]) @ rotation(-0.3)
    growth = finite_time_growth(np.array([layer] * depth))
    np.testing.assert_allclose(growth, [1.5, 0.5], rtol=ROUNDOFF)


@settings(deadline=None, max_examples=8)
@given(seeds)
def test_random_stacks_against_two_hundred_digits(seed):
    factors = np.random.default_rng(seed).standard_normal((24, 3, 3))
    logs = 24 * np.log(finite_time_growth(factors))
    np.testing.assert_allclose(logs, precise_log_singular_values(factors), atol=1e-10)


@settings(deadline=None, max_examples=20)
@given(seeds)
def test_known_singular_values_split_over_the_layers(seed):
    random = np.random.default_rng(seed)
    frames = np.linalg.qr(random.standard_normal((41, 4, 4)))[0]
    logs = random.standard_normal((40, 4))
    factors = frames[1:] @ (np.exp(logs)[:, :, None] * np.swapaxes(frames[:-1], 1, 2))
    expected = np.sort(np.exp(logs.mean(axis=0)))[::-1]
    np.testing.assert_allclose(finite_time_growth(factors), expected, rtol=ACCURATE)


@settings(deadline=None, max_examples=20)
@given(seeds)
def test_growth_factors_multiply_to_the_determinant_and_ignore_rotations(seed):
    random = np.random.default_rng(seed)
    factors = random.standard_normal((30, 4, 4))
    growth = finite_time_growth(factors)
    determinant = np.linalg.slogdet(factors)[1].sum()
    assert 30 * np.log(growth).sum() == pytest.approx(determinant, abs=1e-9)
    turned = factors.copy()
    turned[0] = turned[0] @ np.linalg.qr(random.standard_normal((4, 4)))[0]
    np.testing.assert_allclose(finite_time_growth(turned), growth, rtol=ACCURATE)


@settings(deadline=None, max_examples=20)
@given(seeds)
def test_log_norms_of_short_stacks_are_the_plain_norms(seed):
    factors = np.random.default_rng(seed).standard_normal((10, 4, 4))
    product, expected = np.eye(4), [0.0]
    for layer in factors:
        product = layer @ product
        expected.append(np.log(np.linalg.norm(product, 2)))
    np.testing.assert_allclose(log_norms(factors), expected, atol=ACCURATE)


def test_the_norm_of_a_transient_peaks_and_then_decays():
    norms = np.exp(log_norms(np.array([[[0.5, 100.0], [0.0, 0.5]]] * 3)))
    np.testing.assert_allclose(norms, [1.0, 100.0025, 100.0006, 75.0002], atol=1e-4)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_logs_go_where_floats_cannot(scale):
    layer = scale * rotation(0.3) @ np.diag([1.5, 0.5]) @ rotation(-0.3)
    expected = np.arange(1025) * np.log(1.5 * scale)
    np.testing.assert_allclose(log_norms(np.array([layer] * 1024)), expected, rtol=ROUNDOFF)


def test_lost_directions_are_exact_zeros():
    factors = np.random.default_rng(2).standard_normal((20, 4, 4))
    factors[7] = factors[7] @ np.diag([1.0, 1.0, 0.0, 0.0])
    growth = finite_time_growth(factors)
    assert (growth[2:] == 0).all()
    assert (growth[:2] > 0.5).all()


def test_a_zero_layer_loses_everything_and_norms_say_so():
    factors = np.array([np.eye(2), np.zeros((2, 2)), np.eye(2)])
    assert (finite_time_growth(factors) == 0).all()
    np.testing.assert_array_equal(log_norms(factors), [0.0, 0.0, -np.inf, -np.inf])


def test_an_empty_stack_is_refused():
    for function in (finite_time_growth, log_norms):
        with pytest.raises(ValueError, match="at least one layer; got a stack of 0"):
            function(np.zeros((0, 2, 2)))
