import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.top_singular import power_limits, top_singular_values

ROUNDOFF = 1e-12


@given(seed=st.integers(0, 9999), width=st.sampled_from([1, 2, 3, 8, 16, 17]))
@settings(deadline=None, max_examples=60)
def test_values_are_the_two_norms(seed, width):
    random = np.random.default_rng(seed)
    matrices = random.standard_normal((5, 4, width, width)) * 10.0 ** random.integers(-8, 1, (5, 4, 1, 1))
    expected = np.linalg.norm(matrices, 2, axis=(2, 3))
    np.testing.assert_allclose(top_singular_values(matrices), expected, rtol=ROUNDOFF)


@pytest.mark.parametrize("width", [1, 2, 3, 8, 20])
def test_zeros_rotations_and_near_ties(width):
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((width, width)))[0]
    tied = np.ones(width)
    tied[1:2] -= 1e-6
    matrices = np.array([0 * rotation, 0.3 * rotation, rotation * tied])
    np.testing.assert_allclose(top_singular_values(matrices), [0, 0.3, 1], rtol=ROUNDOFF)


@given(numbers=st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda found: sum(found) > 1e-3))
@settings(deadline=None, max_examples=100)
def test_limits_hold_the_largest_of_numbers_that_add_up_to_one(numbers):
    shares = np.array(numbers) / sum(numbers)
    lower, upper = power_limits(np.array([(shares**2).sum()]), len(shares))
    assert lower[0] - 1e-9 <= shares.max() <= upper[0] + 1e-7


def test_the_upper_limit_is_exact_for_one_number_two_numbers_and_equal_numbers():
    for shares in ([1.0], [0.7, 0.3], [0.25] * 4, [1.0, 0.0, 0.0]):
        upper = power_limits(np.array([np.square(shares).sum()]), len(shares))[1]
        assert upper[0] == pytest.approx(max(shares), rel=ROUNDOFF)
