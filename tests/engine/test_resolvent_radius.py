import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import resolvent_radius as module
from engine.resolvent_radius import resolvent_radius
from engine.topology import cyclic_lift
from tests.reference_cases import case

SHARP = 1e-10
GRID = 1500
GRID_SLACK = 1e-3
seeds = st.integers(0, 2**32 - 1)


def random_period(seed, widths=4):
    random = np.random.default_rng(seed)
    period, width = random.integers(1, 4), random.integers(1, widths + 1)
    return random.choice([0.3, 0.8, 2.0]) * random.standard_normal((period, width, width))


def on_grid(factors):
    lift = cyclic_lift(factors)
    points = np.exp(1j * np.linspace(0, np.pi / len(factors), GRID))
    values = np.linalg.svd(points[:, None, None] * np.eye(len(lift)) - lift, compute_uv=False)[:, -1]
    return values.min()


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_never_above_a_fine_grid_and_never_far_below(seed):
    factors = random_period(seed)
    radius, grid = resolvent_radius(factors).value, on_grid(factors)
    assert radius <= grid
    assert radius >= grid - GRID_SLACK * np.pi


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_a_complex_change_of_that_size_puts_a_multiplier_on_the_circle(seed):
    factors = random_period(seed)
    found = resolvent_radius(factors)
    lift, point = cyclic_lift(factors), np.exp(1j * found.angle)
    left, values, right = np.linalg.svd(point * np.eye(len(lift)) - lift)
    assert values[-1] == pytest.approx(found.value, rel=SHARP, abs=1e-12)
    moved = np.linalg.eigvals(lift + values[-1] * np.outer(left[:, -1], right[-1]))
    assert np.abs(moved - point).min() <= 1e-6


@settings(deadline=None, max_examples=10)
@given(seeds)
def test_repeating_or_rotating_a_period_changes_nothing(seed):
    factors = random_period(seed)
    radius = resolvent_radius(factors).value
    for same in (np.tile(factors, (2, 1, 1)), np.roll(factors, 1, axis=0), np.swapaxes(factors, 1, 2)[::-1]):
        assert resolvent_radius(same).value == pytest.approx(radius, rel=SHARP, abs=1e-12)


def test_sparse_lifts_give_the_same(monkeypatch):
    factors = np.random.default_rng(5).standard_normal((6, 4, 4)) * 0.6
    dense = resolvent_radius(factors).value
    monkeypatch.setattr(module, "LARGEST_DENSE", 3)
    assert resolvent_radius(factors).value == pytest.approx(dense, rel=SHARP)
    assert resolvent_radius(np.repeat(np.eye(3)[None], 3, axis=0)).value == 0.0


def test_reference_radii():
    saddle = np.eye(2) + np.array(case("cocycle", "D1_margin_formula_exceeds_truth")["inputs"]["A"])
    truth = case("cocycle", "D1_margin_formula_exceeds_truth")["outputs"]["(iv)_l2radius"]
    assert resolvent_radius(saddle[None]).value == pytest.approx(float(truth), rel=SHARP)
    tied = case("cocycle", "C1_tied_saddle_tanh")
    norm = float(tied["outputs"]["green_l2 = 1/sigma_min(A)"])
    factor = np.eye(2) + np.array(tied["inputs"]["A"])
    assert 1 / resolvent_radius(factor[None]).value == pytest.approx(norm, rel=SHARP)
    period = np.array([[[0.5, 2.0], [0.0, 0.5]], [[0.5, 0.0], [2.0, 0.5]]])
    expected = float(case("cocycle", "D5_period2")["outputs"]["l2_radius"])
    assert resolvent_radius(period).value == pytest.approx(expected, rel=SHARP)
    for diagonal, identifier, key in (
        ([0.5, 1.5], "D2_normal_saddle", "(iv)"),
        ([0.9, 0.5, 0.2], "D3_lti_loop", "(i)=(ii)=(iv)=(v)+"),
    ):
        expected = float(case("cocycle", identifier)["outputs"][key])
        assert resolvent_radius(np.diag(diagonal)[None]).value == pytest.approx(expected, rel=SHARP)


def test_constant_and_vanishing_resolvents():
    assert resolvent_radius(np.zeros((1, 3, 3))).value == pytest.approx(1.0, rel=SHARP)
    assert resolvent_radius(np.zeros((3, 2, 2))).value == pytest.approx(1.0, rel=SHARP)
    for on_circle in (np.eye(2), -np.eye(2), [[0.6, 0.8], [-0.8, 0.6]]):
        assert resolvent_radius(np.array(on_circle)[None]).value == 0.0


def test_an_empty_period_is_refused():
    with pytest.raises(ValueError, match="at least one layer; got a period of 0"):
        resolvent_radius(np.zeros((0, 2, 2)))
