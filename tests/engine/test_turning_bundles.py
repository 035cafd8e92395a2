import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.splitting import split
from engine.turning_bundles import turning_bundles
from tests.engine.turning_case import CONSTANT, saddle
from tests.reference_cases import numbers

ROUNDOFF = 1e-13


def test_reference_projectors_are_those_of_the_frames():
    _, frames = saddle()
    projectors = frames @ np.diag([1.0, 0.0]) @ np.linalg.inv(frames)
    expected = numbers(CONSTANT["output"]["P_plus"])
    np.testing.assert_allclose(projectors[:-1], expected, rtol=0, atol=ROUNDOFF)


@given(st.integers(1, 9), st.floats(1.01, 3.0), st.floats(0.0, 0.95), st.floats(-1, 1), st.floats(-1, 1))
def test_the_columns_of_the_frames_are_carried_along(period, growth, decay, swing, lean):
    factors, frames = turning_bundles(period, growth, decay, (swing, lean))
    assert factors.shape == (period, 2, 2)
    np.testing.assert_array_equal(frames[0], frames[-1])
    np.testing.assert_allclose(factors @ frames[:-1], frames[1:] * [growth, decay], atol=1e-12)


def test_splitting_finds_the_same_directions():
    factors, frames = saddle()
    found = split(factors, 1, periodic=True).persistent
    expected = frames @ np.diag([1.0, 0.0]) @ np.linalg.inv(frames)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("period", "growth", "decay"), [(0, 1.2, 0.5), (3, 1.0, 0.5), (3, 1.2, 1.0), (3, 1.2, -0.1)]
)
def test_what_is_no_saddle_is_refused(period, growth, decay):
    with pytest.raises(ValueError, match=r"0 <= decay < 1 < growth; got period="):
        turning_bundles(period, growth, decay, (0.1, 0.1))
