import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.euler import euler_study, interpolated
from engine.magnus_flow import step_flows
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12
REFERENCE = case("tokens", "D1-euler")
LENGTH = float(REFERENCE["input"]["L"])
STEPS = [int(key) for key in REFERENCE["output"]["euler_err"]]


def reference_generator(times: np.ndarray) -> np.ndarray:
    found = np.empty((len(times), 2, 2))
    found[:, 0, 0] = -0.5 + 0.3 * np.sin(times)
    found[:, 0, 1] = 0.4
    found[:, 1, 0] = -0.2 * np.cos(2 * times)
    found[:, 1, 1] = 0.1
    return found


def drawn(seed: int, depth: int = 6) -> np.ndarray:
    return 0.4 * np.random.default_rng(seed).standard_normal((depth, 3, 3))


def test_reference_errors_and_flow():
    found = euler_study(reference_generator, LENGTH, STEPS)
    expected = numbers(list(REFERENCE["output"]["euler_err"].values()))
    np.testing.assert_allclose(np.exp(found.log_errors), expected, rtol=1e-10)
    flow = numbers(REFERENCE["output"]["flow"])
    assert found.log_flow == pytest.approx(np.log(np.linalg.norm(flow, 2)), abs=ROUNDOFF)
    assert found.order.slope == pytest.approx(1, abs=0.1)
    np.testing.assert_allclose(found.step_sizes, LENGTH / np.array(STEPS))


def test_both_bounds_hold_and_the_sharp_one_is_far_closer():
    found = euler_study(reference_generator, LENGTH, STEPS)
    paper, sharp = (
        np.exp(bound - found.log_errors) for bound in (found.log_paper_bound, found.log_sharp_bound)
    )
    assert (paper > 100).all()
    assert (paper < 450).all()
    assert (sharp > 1).all()
    assert (sharp < 20).all()


def test_sixth_order_steps():
    errors = []
    for count in (8, 16):
        product = np.eye(2)
        for step in step_flows(reference_generator, LENGTH * np.arange(count) / count, LENGTH / count):
            product = step @ product
        errors.append(np.abs(product - numbers(REFERENCE["output"]["flow"])).max())
    assert errors[0] < 1e-6
    assert np.log2(errors[0] / errors[1]) == pytest.approx(6, abs=0.3)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 999), st.sampled_from(["linear", "constant"]))
def test_bounds_hold_for_stacks_and_the_error_is_of_first_order(seed, interpolation):
    found = euler_study(interpolated(drawn(seed), interpolation), 6.0, [6, 24, 96, 384])
    assert (found.log_errors <= found.log_sharp_bound).all()
    assert (found.log_sharp_bound <= found.log_paper_bound + ROUNDOFF).all()
    assert found.log_errors[2] - found.log_errors[3] == pytest.approx(np.log(4), rel=0.2)


def test_constant_layers_compare_their_exponentials_with_one_step():
    generators = drawn(1)
    found = euler_study(interpolated(generators, "constant"), 6.0, [6])
    euler = flow = np.eye(3)
    for generator in generators:
        euler, flow = euler + generator @ euler, scipy.linalg.expm(generator) @ flow
    assert np.exp(found.log_errors[0]) == pytest.approx(np.linalg.norm(euler - flow, 2), rel=1e-10)


def test_interpolation_passes_through_the_layers():
    generators = drawn(2)
    for interpolation in ("linear", "constant"):
        at = interpolated(generators, interpolation)
        np.testing.assert_allclose(at(np.arange(6.0)), generators)
        np.testing.assert_allclose(at(np.array([5.7, 6.0])), generators[[5, 5]])
    half = interpolated(generators, "linear")(np.array([0.5]))[0]
    np.testing.assert_allclose(half, generators[:2].mean(axis=0))
    np.testing.assert_array_equal(interpolated(generators, "constant")(np.array([0.5]))[0], generators[0])


def test_deep_growing_stacks_do_not_overflow():
    generators = np.broadcast_to(np.diag([1.0, -0.5]), (1500, 2, 2))
    found = euler_study(interpolated(generators, "constant"), 1500.0, [1500, 3000])
    assert found.log_flow == pytest.approx(1500, rel=1e-9)
    np.testing.assert_allclose(found.log_errors, 1500, rtol=1e-9)
    assert np.isfinite(found.log_paper_bound).all()
    assert (found.log_errors <= found.log_sharp_bound * (1 + ROUNDOFF)).all()


def test_a_stack_of_zeros_has_no_error():
    found = euler_study(interpolated(np.zeros((3, 2, 2)), "linear"), 3.0, [3, 6])
    assert np.isneginf(found.log_errors).all()
    assert np.isneginf(found.log_sharp_bound).all()
    assert found.order.status == "zero"


def test_misuse_is_named():
    at = interpolated(drawn(0), "linear")
    with pytest.raises(ValueError, match=r"length must be positive and steps at least 1; got 0.0 and \[3\]"):
        euler_study(at, 0.0, [3])
    with pytest.raises(ValueError, match=r"got 2.0 and \[3, 0\]"):
        euler_study(at, 2.0, [3, 0])
    with pytest.raises(ValueError, match=r"generators must hold at least one layer; got a stack of 0"):
        interpolated(np.zeros((0, 2, 2)), "linear")
