import numpy as np
import pytest

from engine.injection import Injection
from engine.layer_injection import respecting, shifted, with_cross_term
from tests.engine.turning_case import BIAS, MATRIX, SATURATING, periodic_saddle

ROUNDOFF = 1e-13
STEP = 1e-6
FACTORS, SPLITTING = periodic_saddle()
STATES = np.random.default_rng(0).standard_normal((len(FACTORS), 2))
CENTRE = np.random.default_rng(1).standard_normal((len(FACTORS), 2))
ALIGNED = respecting(SPLITTING, MATRIX, BIAS)


@pytest.mark.parametrize(
    "injection",
    [
        ALIGNED,
        with_cross_term(ALIGNED, SPLITTING, CENTRE, 0.7),
        with_cross_term(SATURATING, SPLITTING, CENTRE, 0.7),
        shifted(SATURATING, np.array([0.3, -0.2])),
    ],
)
def test_jacobians_are_the_derivatives_of_the_values(injection):
    found = injection.jacobian(STATES)
    for column, direction in enumerate(np.eye(2)):
        difference = injection.value(STATES + STEP * direction) - injection.value(STATES - STEP * direction)
        np.testing.assert_allclose(found[:, :, column], difference / (2 * STEP), atol=1e-9)


def test_a_respecting_injection_intertwines_the_projectors():
    plus, jacobian = SPLITTING.persistent, ALIGNED.jacobian(STATES)
    np.testing.assert_allclose(plus[1:] @ jacobian, jacobian @ plus[:-1], atol=ROUNDOFF)
    plain = Injection(MATRIX, BIAS, saturating=False).jacobian(STATES)
    assert np.abs(plus[1:] @ plain - plain @ plus[:-1]).max() > 0.05


def test_the_cross_term_shows_in_no_first_derivative_at_its_centre():
    mixed = with_cross_term(ALIGNED, SPLITTING, CENTRE, 0.7)
    np.testing.assert_allclose(mixed.value(CENTRE), ALIGNED.value(CENTRE), atol=ROUNDOFF)
    np.testing.assert_allclose(mixed.jacobian(CENTRE), ALIGNED.jacobian(CENTRE), atol=ROUNDOFF)
    moved = CENTRE + (SPLITTING.stable[:-1, :, 0])
    added = mixed.value(moved) - ALIGNED.value(moved)
    np.testing.assert_allclose(added, 0.7 * SPLITTING.unstable[1:, :, 0], atol=ROUNDOFF)
