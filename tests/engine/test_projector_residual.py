import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.projector_residual import projector_residual
from engine.splitting import split
from tests.engine.test_sigma_test import doubling, equations
from tests.reference_cases import case, identifiers, numbers

ROUNDOFF = 1e-12
FAR_FROM_THE_ENDS = 1e-9
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("identifier", identifiers("cocycle", "A12"))
def test_scalar_residuals_in_closed_form(identifier):
    reference = case("cocycle", identifier)
    given_, expected = reference["inputs"], reference["outputs"]
    factors = np.full((given_["L"], 1, 1), given_["a"])
    found = projector_residual(factors, float(given_["gamma"]), np.array([given_["n0"]]))
    np.testing.assert_allclose(found.projector.ravel(), numbers(expected["P"]), rtol=ROUNDOFF)
    np.testing.assert_allclose(found.residual, numbers(expected["residual"]), rtol=ROUNDOFF)


@settings(deadline=None, max_examples=15)
@given(seeds, st.integers(1, 4))
def test_answers_are_the_least_norm_solutions(seed, width):
    factors = np.random.default_rng(seed).standard_normal((12, width, width))
    places = np.array([1, 5, 12])
    found = projector_residual(factors, 1.3, places)
    pseudoinverse = np.linalg.pinv(equations(factors, 1.3))
    for place, projector in zip(places, found.projector, strict=True):
        rows, columns = slice(place * width, (place + 1) * width), slice((place - 1) * width, place * width)
        np.testing.assert_allclose(projector, pseudoinverse[rows, columns], atol=1e-9)


def test_inside_a_gap_the_answer_is_the_projector_of_the_splitting():
    layer = np.array([[1.4, 1.0], [0.0, 0.5]])
    found = projector_residual(np.tile(layer, (160, 1, 1)), 1.0, np.array([70, 80, 90]))
    expected = split(layer[None], 1, periodic=True).decaying[0]
    np.testing.assert_allclose(found.projector, np.tile(expected, (3, 1, 1)), atol=FAR_FROM_THE_ENDS)
    assert (found.residual < FAR_FROM_THE_ENDS).all()


def test_on_the_spectrum_the_answer_is_no_projector():
    turn = np.array([[np.cos(1.0), -np.sin(1.0)], [np.sin(1.0), np.cos(1.0)]])
    found = projector_residual(np.tile(turn, (80, 1, 1)), 1.0, np.array([30, 40, 50]))
    assert (found.residual > 0.15).all()
    assert (found.residual <= 0.25 + ROUNDOFF).all()


def test_one_depth_alone_says_nothing():
    """At growth 1 the doubling blocks have no dichotomy, and most depths do not notice."""
    residual = projector_residual(doubling(2.0, 0.5, 255), 1.0, np.arange(1, 256)).residual
    assert np.median(residual) < 1e-6
    assert residual.max() > 0.15


def test_singular_layers_are_allowed():
    layer = np.diag([1.5, 0.0])
    found = projector_residual(np.tile(layer, (60, 1, 1)), 1.0, np.array([30]))
    np.testing.assert_allclose(found.projector[0], np.diag([0.0, 1.0]), atol=FAR_FROM_THE_ENDS)


def test_bad_input_is_refused():
    factors = np.ones((3, 1, 1))
    with pytest.raises(ValueError, match="gamma must be positive"):
        projector_residual(factors, 0.0, np.array([1]))
    for place in (0, 4):
        with pytest.raises(ValueError, match=r"places must lie in 1\.\.3"):
            projector_residual(factors, 1.0, np.array([place]))
