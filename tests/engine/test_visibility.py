from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bounded_solution import GatedStack
from engine.injection import Injection
from engine.layer_injection import AnyInjection, LayerInjection
from engine.perturbation import Change, drawn_directions
from engine.splitting import Splitting, split
from engine.visibility import Base, Loop, base, first_order_response, recomputed_response, response
from tests.engine.turning_case import (
    FORCING,
    SATURATING,
    periodic_saddle,
    reference_directions,
    window_saddle,
)
from tests.reference_cases import case

ROUNDOFF = 1e-11
SLOPE = 0.03
REFERENCE = case("tokens", "C2-response")["output"]
DIRECTIONS = drawn_directions(6, 2, 4, seed=0)._replace(generators=reference_directions())
FACTORS, SPLITTING = periodic_saddle()


def forced_base(
    stack: tuple[np.ndarray, Splitting] = (FACTORS, SPLITTING),
    injection: AnyInjection = FORCING,
    amplitude: float = 1.0,
    loop: Loop = "open",
) -> Base:
    factors, splitting = stack
    found = base(GatedStack(factors, splitting, injection, amplitude, np.full(4, 0.25)), loop)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "change", "read"),
    [
        ("fast", "fast", np.eye(2)),
        ("wrong_index", "fast-same-index", np.eye(2)),
        ("slow", "slow", SPLITTING.persistent[:-1]),
        ("slow_from_fast", "slow", SPLITTING.decaying[:-1]),
    ],
)
def test_reference_derivatives(name, change, read):
    directions = DIRECTIONS._replace(generators=DIRECTIONS.generators @ read)
    unchanged = forced_base()
    found = first_order_response(unchanged, change, directions)
    assert found is not None
    expected = [float(REFERENCE[name][f"P_{sign}_slope"]) for sign in ("plus", "minus")]
    np.testing.assert_allclose(found, expected, atol=ROUNDOFF)
    measured = response(unchanged, change, directions)
    for part, order, slope in (
        (measured.persistent, measured.persistent_order, expected[0]),
        (measured.decaying, measured.decaying_order, expected[1]),
    ):
        assert order.status == ("order" if slope else "zero")
        np.testing.assert_allclose(part, slope * measured.sizes, rtol=0.05, atol=ROUNDOFF)


@pytest.mark.parametrize("stack", [(FACTORS, SPLITTING), window_saddle(40)], ids=["periodic", "window"])
@pytest.mark.parametrize(
    ("injection", "loop", "expected"),
    [(FORCING, "open", None), (SATURATING, "open", 1), (SATURATING, "closed", 2)],
)
def test_fast_changes_are_seen_at_the_order_of_the_theory(stack, injection, loop, expected):
    unchanged = forced_base(stack, injection, 0.1, loop)
    found = response(unchanged, "fast", drawn_directions(len(stack[0]), 2, 4, seed=1))
    if expected is None:
        assert found.persistent_order.status == "zero"
    else:
        assert found.persistent_order.slope == pytest.approx(expected, abs=SLOPE)
    assert found.decaying_order.slope == pytest.approx(1, abs=SLOPE)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 999), st.floats(0.02, 0.12))
def test_closed_loop_projectors_hide_fast_changes_of_any_direction(seed, amplitude):
    unchanged = forced_base(injection=SATURATING, amplitude=amplitude, loop="closed")
    found = first_order_response(unchanged, "fast", drawn_directions(6, 2, 1, seed))
    assert found is not None
    assert found[0] < ROUNDOFF < found[1]


def test_gate_injection_and_slow_changes_are_seen_at_first_order_and_compression_is_not():
    unchanged = forced_base(injection=SATURATING, amplitude=0.1, loop="closed")
    for change in get_args(Change):
        found = response(unchanged, change, DIRECTIONS)
        derivative = first_order_response(unchanged, change, DIRECTIONS)
        assert derivative is not None
        if change == "compression":
            assert found.persistent_order.status == found.decaying_order.status == "zero"
            assert derivative == (0.0, 0.0)
        elif change != "fast":
            assert found.persistent_order.slope == pytest.approx(1, abs=SLOPE)
            assert found.persistent[0] == pytest.approx(derivative[0] * found.sizes[0], rel=0.01)


@pytest.mark.parametrize("loop", ["open", "closed"])
def test_a_recomputed_projector_sees_fast_changes_at_first_order(loop):
    unchanged = forced_base(injection=SATURATING, amplitude=0.1, loop=loop)
    sizes, order = recomputed_response(unchanged, "fast", DIRECTIONS)
    assert order.slope == pytest.approx(1, abs=SLOPE)
    assert 1e-3 < sizes[-1] < 1e-2  # tokens.md: 4e-3 at η = 0.01
    sizes, order = recomputed_response(unchanged, "compression", DIRECTIONS)
    assert order.status == "zero"


def test_outcomes_without_a_solution_are_not_numbers():
    square = LayerInjection(lambda u: u**2 + 1, lambda u: 2 * u[:, :, None])
    factors = np.full((1, 1, 1), 2.0)
    splitting = split(factors, 1, periodic=True)
    assert base(GatedStack(factors, splitting, square, 0.6), "open") is None
    near_fold = forced_base((factors, splitting), square, 0.4999)
    found = response(near_fold, "gate", drawn_directions(1, 1, 4, seed=0), (1e-5, 1e-1, 2e-1))
    assert np.isnan(found.persistent).tolist() == [False, True, True]
    assert found.persistent_order.status == "missing"


def test_a_loop_that_changed_its_rank_has_no_closed_base():
    linear = Injection(np.eye(2), np.ones(2), saturating=False)
    assert base(GatedStack(FACTORS, SPLITTING, linear, -0.4), "closed") is None
