import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.closed_projector import closed_projectors
from engine.splitting import split
from tests.engine.turning_case import MATRIX, periodic_saddle, window_saddle

ROUNDOFF = 1e-11


def test_a_shut_gate_leaves_the_open_projectors():
    for factors, splitting in (periodic_saddle(), window_saddle(20)):
        found = closed_projectors(factors, splitting)
        assert found is not None
        np.testing.assert_allclose(found, splitting.persistent, atol=ROUNDOFF)


@settings(deadline=None, max_examples=15)
@given(st.floats(-0.15, 0.15), st.booleans())
def test_projectors_commute_with_the_closed_layers_and_keep_the_ends(amplitude, periodic):
    factors, splitting = periodic_saddle() if periodic else window_saddle(20)
    closed = factors + amplitude * MATRIX
    found = closed_projectors(closed, splitting)
    assert found is not None
    np.testing.assert_allclose(found @ found, found, atol=ROUNDOFF)
    np.testing.assert_allclose(found[1:] @ closed, closed @ found[:-1], atol=ROUNDOFF)
    np.testing.assert_allclose(np.trace(found, axis1=1, axis2=2), 1, atol=ROUNDOFF)
    if not periodic:
        np.testing.assert_allclose(found[0] @ splitting.unstable[0], splitting.unstable[0], atol=ROUNDOFF)
        read = splitting.read_unstable[-1]
        np.testing.assert_allclose(read @ (np.eye(2) - found[-1]), 0, atol=ROUNDOFF)


def test_a_loop_that_lost_its_persistent_direction_has_none():
    factors, splitting = periodic_saddle()
    assert closed_projectors(0.5 * factors, splitting) is None


def test_nothing_or_everything_may_persist():
    factors, _ = periodic_saddle()
    for scale, rank, expected in ((0.4, 0, np.zeros((2, 2))), (4.0, 2, np.eye(2))):
        for periodic in (True, False):
            splitting = split(scale * factors, rank, periodic=periodic)
            found = closed_projectors(scale * factors, splitting)
            assert found is not None
            np.testing.assert_allclose(found, np.broadcast_to(expected, (7, 2, 2)), atol=ROUNDOFF)
