import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bounded_solution import GatedStack, bounded_response, bounded_solution
from engine.injection import Injection
from engine.layer_injection import LayerInjection
from engine.splitting import split
from tests.engine.turning_case import CONSTANT, FORCING, SATURATING, TANH, periodic_saddle, window_saddle
from tests.reference_cases import numbers

ROUNDOFF = 1e-12
FAR_FROM_THE_ENDS = 1e-2


def solved(stack: GatedStack) -> np.ndarray:
    found = bounded_solution(stack)
    assert found is not None
    return found


def test_reference_case_constant_forcing():
    factors, splitting = periodic_saddle()
    found = solved(GatedStack(factors, splitting, FORCING, 1.0))
    np.testing.assert_allclose(found[:-1], numbers(CONSTANT["output"]["u"]), rtol=0, atol=ROUNDOFF)
    persistent = (splitting.persistent @ found[:, :, None])[:-1, :, 0]
    np.testing.assert_allclose(persistent, numbers(CONSTANT["output"]["d_plus"]), rtol=0, atol=ROUNDOFF)


def test_reference_case_tanh():
    factors, splitting = periodic_saddle()
    found = solved(GatedStack(factors, splitting, SATURATING, TANH["input"]["rho"]))
    np.testing.assert_allclose(found[:-1], numbers(TANH["output"]["u"]), rtol=0, atol=ROUNDOFF)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 999), st.booleans(), st.integers(0, 2))
def test_it_solves_every_layer_and_closes_at_the_ends(seed, periodic, rank):
    random = np.random.default_rng(seed)
    frames = np.eye(2) + 0.2 * random.standard_normal((9, 2, 2))
    frames[-1] = frames[0]
    growth = np.where(np.arange(2) < rank, 1.5, 0.5)
    factors = frames[1:] @ (growth[:, None] * np.linalg.inv(frames[:-1]))
    splitting = split(factors, rank, periodic=periodic)
    stack = GatedStack(factors, splitting, Injection(frames[1], frames[2, 0], saturating=True), 0.05)
    found = solved(stack)
    np.testing.assert_allclose(stack.forced(found), found[1:], atol=ROUNDOFF)
    if periodic:
        np.testing.assert_allclose(found[0], found[-1], atol=ROUNDOFF)
    else:
        np.testing.assert_allclose(splitting.read_stable[0] @ found[0], 0, atol=ROUNDOFF)
        np.testing.assert_allclose(splitting.read_unstable[-1] @ found[-1], 0, atol=ROUNDOFF)


def test_a_long_window_agrees_with_the_repeated_stack_in_its_middle():
    factors, splitting = periodic_saddle()
    whole = solved(GatedStack(factors, splitting, SATURATING, 0.1))
    window = solved(GatedStack(*window_saddle(96), SATURATING, 0.1))
    assert np.abs(window[48:54] - whole[:-1]).max() < FAR_FROM_THE_ENDS * np.abs(whole).max()


def test_singular_layers_are_allowed():
    factors = np.array([np.diag([2.0, 0.0])])
    stack = GatedStack(factors, split(factors, 1, periodic=True), FORCING, 1.0)
    found = solved(stack)
    np.testing.assert_allclose(found, [[-0.7, -0.4]] * 2, atol=ROUNDOFF)


def test_only_the_sum_of_the_compression_is_seen():
    factors, splitting = periodic_saddle()
    plain = solved(GatedStack(factors, splitting, SATURATING, 0.1))
    pooled = GatedStack(factors, splitting, SATURATING, 0.1, np.array([0.5, 0.25, 0.25]))
    np.testing.assert_allclose(solved(pooled), plain, atol=ROUNDOFF)
    assert np.abs(solved(pooled._replace(compression=np.full(3, 0.5))) - plain).max() > 1e-3


def test_a_fold_leaves_no_solution():
    square = LayerInjection(lambda u: u**2 + 1, lambda u: 2 * u[:, :, None])
    factors = np.full((1, 1, 1), 2.0)
    splitting = split(factors, 1, periodic=True)
    low = solved(GatedStack(factors, splitting, square, 0.4))
    np.testing.assert_allclose(low, -0.5, atol=ROUNDOFF)
    assert bounded_solution(GatedStack(factors, splitting, square, 0.6)) is None


def test_a_multiplier_one_has_no_bounded_response():
    _, splitting = periodic_saddle()
    assert bounded_response(np.broadcast_to(np.eye(2), (6, 2, 2)).copy(), splitting, np.ones((6, 2))) is None


def test_a_splitting_of_other_layers_is_refused():
    factors, splitting = periodic_saddle()
    with pytest.raises(ValueError, match=r"must cover the 5 layers of the stack; got ok at 7 depths"):
        bounded_solution(GatedStack(factors[:5], splitting, FORCING, 1.0))
    lost = split(np.array([[[0.0, -1.0], [1.0, 0.0]]]), 1, periodic=True)
    with pytest.raises(ValueError, match=r"must cover the 1 layers of the stack; got no-split at 0 depths"):
        bounded_solution(GatedStack(np.eye(2)[None], lost, FORCING, 1.0))
