import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kreiss import kreiss_bound

FOUND = 1e-6
"""Relative loss accepted against the supremum: any z gives a true bound, the best one a better one."""

seeds = st.integers(0, 2**32 - 1)


def largest_power(factor: np.ndarray, most: int = 200) -> float:
    powers = [np.eye(len(factor))]
    for _ in range(most):
        powers.append(factor @ powers[-1])
    return float(np.linalg.norm(powers, 2, axis=(1, 2)).max())


@settings(deadline=None, max_examples=15)
@given(seeds, st.integers(1, 6), st.floats(0.3, 0.9), st.floats(0.0, 2.0))
def test_the_bound_lies_between_one_and_the_peak_and_below_the_matrix_theorem(seed, width, radius, shear):
    factor = np.random.default_rng(seed).standard_normal((width, width)) + shear * np.eye(width, k=1)
    factor *= radius / np.abs(np.linalg.eigvals(factor)).max()
    found, peak = kreiss_bound(factor), largest_power(factor)
    assert 1 <= found.value <= peak * (1 + 1e-12)
    assert peak <= np.e * width * found.value * (1 + 1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_sheared_layer_of_radius_one_half(sign):
    """N60. Its powers have the norms 100.0025, 100.0006, 75.0002, …; the bound is found on the real axis."""
    found = kreiss_bound(np.array([[sign * 0.5, 100.0], [0.0, sign * 0.5]]))
    assert found.value == pytest.approx(50.005, rel=FOUND)
    assert found.place == pytest.approx(sign * 1.5001, abs=1e-3)


def test_the_place_gives_the_value():
    factor = np.array([[0.9, 3.0], [0.0, 0.5]])
    found = kreiss_bound(factor)
    resolvent = np.linalg.norm(np.linalg.inv(found.place * np.eye(2) - factor), 2)
    assert found.value == pytest.approx((abs(found.place) - 1) * resolvent, rel=1e-9)
    assert found.value > 2.9


@pytest.mark.parametrize("factor", [np.diag([0.9, -0.3]), np.zeros((2, 2)), -np.eye(1), np.eye(3)])
def test_normal_layers_promise_no_overshoot(factor):
    assert kreiss_bound(factor).value == pytest.approx(1.0, abs=1e-8)


def test_a_growing_layer_has_no_bound():
    assert kreiss_bound(np.array([[1.01]])).value == np.inf


def test_a_defective_layer_on_the_circle_overshoots_by_any_amount():
    assert kreiss_bound(np.array([[1.0, 1.0], [0.0, 1.0]])).value > 1e5
