from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import two_point
from engine.green import green_norm, response
from engine.injection import Injection
from engine.orbit_branch import advanced, orbits_of, rest
from engine.self_loop import linearised, orbit_maps
from engine.splitting import split
from engine.trajectory import displacement_slope, trajectories, trajectory
from engine.turning_bundles import turning_bundles
from tests.engine.loop_cases import (
    HYSTERESIS,
    SADDLE,
    SADDLE_GAP,
    SADDLE_INJECTION,
    THREE,
    WINDOW_GAP,
    hysteresis_fold,
    random_window,
    repeated_loop,
    two_point_matrix,
    window_loop,
)
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12
WINDOW_ENDS = 1e-8
PUBLISHED = 5e-5
seeds = st.integers(0, 2**32 - 1)


def missing(loop, found):
    """How far the states are from obeying their equation, layer by layer."""
    layers = found.states.shape[1] - 1
    factors = loop.factors[np.arange(layers) % len(loop.factors)]
    seen = np.arange(layers) // loop.held_for * loop.held_for
    added = found.amplitudes[:, None, None] * loop.injection.value(found.states[:, seen])
    moved = (factors @ found.states[:, :-1, :, None])[..., 0]
    return np.abs(found.states[:, 1:] - moved - added)


LAYERS = 140
SHAPES = ((2, 1), (2, 0), (1, 1), (3, 1))
"""Width and rank; few, because every pair compiles a kernel of its own."""


def random_loop(seed, refresh_period=1, saturating=True):
    random = np.random.default_rng(seed)
    width, rank = SHAPES[seed % len(SHAPES)] if refresh_period == 1 else SHAPES[0]
    injection = Injection(
        random.standard_normal((width, width)), random.standard_normal(width), saturating=saturating
    )
    return window_loop(
        random_window(random, LAYERS, width, rank), rank, WINDOW_GAP, injection, refresh_period
    )


def safe_amplitude(loop):
    """Half the amplitude up to which the contraction argument holds."""
    return 0.5 / (loop.injection.lipschitz * green_norm(loop.splitting, loop.dichotomy))


@settings(deadline=None, max_examples=12)
@given(seeds, st.sampled_from([1, 3]))
def test_a_window_trajectory_obeys_its_equation_and_its_ends(seed, refresh_period):
    loop = random_loop(seed, refresh_period)
    found = trajectories(loop, safe_amplitude(loop) * np.array([-1.0, 0.0, 0.4, 1.0]))
    assert found.converged.all()
    assert missing(loop, found).max() <= ROUNDOFF
    assert np.abs(found.states[:, 0] @ loop.splitting.read_stable[0].T).max(initial=0) <= ROUNDOFF
    assert np.abs(found.states[:, -1] @ loop.splitting.read_unstable[-1].T).max(initial=0) <= ROUNDOFF
    assert not found.states[1].any()


@settings(deadline=None, max_examples=10)
@given(seeds, st.sampled_from([1, 3]))
def test_the_fixed_point_of_the_green_operator_is_the_trajectory(seed, refresh_period):
    loop = random_loop(seed, refresh_period)
    amplitude = safe_amplitude(loop)
    seen = np.arange(LAYERS) // refresh_period * refresh_period
    states = np.zeros((LAYERS + 1, loop.factors.shape[1]))
    for _ in range(60):
        states = amplitude * response(loop.splitting, loop.injection.value(states[seen]))
    found = trajectory(loop, amplitude)
    assert found.states is not None
    assert found.contraction == pytest.approx(0.5)
    np.testing.assert_allclose(found.states, states, atol=1e-11 * (1 + np.abs(states).max()))


@settings(deadline=None, max_examples=10)
@given(seeds)
def test_a_linear_injection_needs_one_solve(seed):
    loop = random_loop(seed, saturating=False)
    amplitude = safe_amplitude(loop)
    closed = loop.factors + amplitude * loop.injection.matrix
    right = np.zeros((LAYERS + 1) * loop.factors.shape[1])
    start = loop.factors.shape[1] - loop.splitting.rank
    right[start : start + closed[:, 0].size] = np.tile(amplitude * loop.injection.bias, LAYERS)
    expected = np.linalg.solve(two_point_matrix(closed, loop.splitting), right)
    found = trajectories(loop, np.array([amplitude]))
    np.testing.assert_allclose(found.states[0].ravel(), expected, atol=1e-11 * (1 + np.abs(expected).max()))


def test_reference_tied_saddle():
    expected = case("cocycle", "C1_tied_saddle_tanh")["outputs"]
    points = expected["fixed_points"]
    amplitudes = np.array([numbers(key.removeprefix("rho=")) for key in points])
    loop = repeated_loop(SADDLE, SADDLE_INJECTION)
    found = trajectories(loop, amplitudes)
    states = np.array([numbers(point["u*"]) for point in points.values()])
    persistent = [float(point["||P+ u*||"]) for point in points.values()]
    np.testing.assert_allclose(found.states[:, 0], states, rtol=ROUNDOFF)
    np.testing.assert_allclose(found.displacement, persistent, rtol=ROUNDOFF)
    np.testing.assert_allclose(found.size, np.linalg.norm(states, axis=1), rtol=ROUNDOFF)
    slope = float(expected["slope_d_plus_at_0"])
    assert displacement_slope(loop) == pytest.approx(slope, rel=ROUNDOFF)
    assert loop.injection.lipschitz == pytest.approx(float(expected["L_psi=||G||2"]), rel=ROUNDOFF)
    one = trajectory(loop, 0.9)
    assert one.status == "converged"
    assert one.contraction > 1
    assert one.displacement == pytest.approx(persistent[-1], rel=ROUNDOFF)


@pytest.mark.parametrize("refresh_period", [1, 4])
def test_the_middle_of_a_tied_window_is_the_tied_state(refresh_period):
    tied = trajectories(repeated_loop(SADDLE, SADDLE_INJECTION, refresh_period), np.array([0.3, -0.4]))
    stack = np.repeat(SADDLE, 200, axis=0)
    window = window_loop(stack, 1, SADDLE_GAP, SADDLE_INJECTION, refresh_period)
    found = trajectories(window, np.array([0.3, -0.4]))
    np.testing.assert_allclose(found.states[:, 100], tied.states[:, 0], atol=WINDOW_ENDS)
    np.testing.assert_allclose(found.displacement, tied.displacement, rtol=3e-2)
    assert found.affected[0]
    assert not found.affected[100]


@pytest.mark.parametrize("refresh_period", [1, 2, 5])
def test_a_periodic_trajectory_is_the_middle_of_a_long_window(refresh_period):
    loop = repeated_loop(THREE, SADDLE_INJECTION, refresh_period)
    amplitudes = np.array([0.1, -0.15])
    found = trajectories(loop, amplitudes)
    layers = loop.closed_period
    assert found.states.shape == (2, layers + 1, 2)
    assert missing(loop, found).max() <= ROUNDOFF
    repeats = 255 // layers
    long = np.tile(THREE, (layers * repeats // 3, 1, 1))
    window = trajectories(window_loop(long, 1, (0.9, 1.1), SADDLE_INJECTION, refresh_period), amplitudes)
    start = layers * (repeats // 2)
    np.testing.assert_allclose(window.states[:, start : start + layers + 1], found.states, atol=WINDOW_ENDS)


def test_reference_periodic_orbit():
    reference = case("tokens", "C3-distinguished-tanh")
    base, given_ = case("tokens", "C1-distinguished-const")["input"], reference["input"]
    layers, _ = turning_bundles(base["p"], float(base["rp"]), float(base["rm"]), tuple(base["amp"]))
    loop = repeated_loop(layers, Injection(np.array(given_["W"]), np.array(given_["h0"]), saturating=True))
    found = trajectories(loop, np.array([given_["rho"]]))
    np.testing.assert_allclose(found.states[0, :-1], numbers(reference["output"]["u"]), rtol=ROUNDOFF)


@pytest.mark.parametrize("refresh_period", [1, 3])
def test_the_slope_is_the_derivative_of_the_displacement(refresh_period):
    for loop in (
        repeated_loop(THREE, SADDLE_INJECTION, refresh_period),
        random_loop(12, refresh_period),
    ):
        step = 1e-6
        displaced = trajectories(loop, np.array([step])).displacement[0]
        assert displacement_slope(loop) == pytest.approx(displaced / step, rel=1e-4)


def test_nothing_persists_nothing_is_displaced():
    loop = repeated_loop(np.diag([0.9, 0.5, 0.2])[None], Injection(np.eye(3), np.ones(3), saturating=False))
    found = trajectory(loop, 0.05)
    assert found.displacement == 0.0
    assert found.size == pytest.approx(np.linalg.norm(0.05 / (1 - np.array([0.9, 0.5, 0.2]) - 0.05)))


def test_without_a_bias_rest_is_the_trajectory():
    for loop in (
        repeated_loop(THREE, SADDLE_INJECTION._replace(bias=np.zeros(2))),
        window_loop(random_window(np.random.default_rng(0), 12, 2, 1), 1, WINDOW_GAP,
                    SADDLE_INJECTION._replace(bias=np.zeros(2))),
    ):  # fmt: skip
        found = trajectories(loop, np.array([-50.0, 50.0]))
        assert found.converged.all()
        assert not found.states.any()


def test_coarse_and_fine_curves_agree_where_newton_alone_would_jump():
    # Ends of this branch and of others come close: plain Newton on a grid of 8 leaves the branch.
    random = np.random.default_rng(1)
    draws = [
        (random.standard_normal((w, w)), random.standard_normal((w, w)), random.standard_normal(w))
        for w in (2, 3, 2, 3)
    ]
    layer, matrix, bias = draws[-1]
    factors, injection = 0.7 * layer[None], Injection(2 * matrix, 0.7 * bias, saturating=True)
    loop = repeated_loop(factors, injection)
    coarse = trajectories(loop, np.linspace(0, 1.4, 8))
    orbits, branch = orbits_of(orbit_maps(loop), injection), []
    point = rest(orbits, 1.0)
    while orbits.amplitude(point) < 1.45:
        branch.append((orbits.amplitude(point), *orbits.states(point)[0]))
        point = advanced(orbits, point)
        assert point is not None
    amplitudes, *coordinates = np.array(branch).T
    followed = np.stack([np.interp(coarse.amplitudes, amplitudes, each) for each in coordinates], axis=1)
    assert coarse.converged.all()
    np.testing.assert_allclose(coarse.states[:, 0], followed, atol=0.02)


@pytest.mark.parametrize("points", [5, 41])
def test_the_branch_ends_at_its_fold(points):
    fold = hysteresis_fold()
    amplitudes = fold * np.linspace(0.0, 2.0, points)
    found = trajectories(HYSTERESIS, amplitudes)
    np.testing.assert_array_equal(found.converged, amplitudes < fold)
    assert np.isnan(found.displacement[~found.converged]).all()
    lost = trajectory(HYSTERESIS, 1.1 * fold)
    assert (lost.status, lost.states, lost.displacement, lost.size) == ("failed", None, None, None)
    assert trajectory(HYSTERESIS, 0.99 * fold).status == "converged"


def test_a_window_is_linearised_at_its_refreshed_states():
    loop = random_loop(0, 4)
    amplitude = safe_amplitude(loop)
    states = trajectory(loop, amplitude).states
    assert states is not None
    closed = linearised(loop, states)
    assert (closed.maps, closed.layers_per_map) == (LAYERS // 4, 4)
    change = 1e-6 * np.ones(loop.factors.shape[1])
    ends = []
    for start in (states[8], states[8] + change):
        state, added = start, amplitude * loop.injection.value(start)
        for factor in loop.factors[8:12]:
            state = factor @ state + added
        ends.append(state)
    moved = (closed.factors[2] + amplitude * closed.injections[2]) @ change
    np.testing.assert_allclose(ends[1] - ends[0], moved, rtol=1e-4)


def test_moving_the_gate_compiles_nothing():
    loop = random_loop(4)
    trajectories(loop, np.linspace(-0.01, 0.01, 9))
    kernel: Any = two_point._newton_fresh
    compiled = kernel._cache_size()
    shorter = loop.factors[:-5]
    for bias in (0.1, 0.2):
        moved = loop._replace(injection=loop.injection._replace(bias=loop.injection.bias + bias))
        trajectory(moved, bias / 10)
        cut = split(shorter, loop.splitting.rank, periodic=False)
        trajectories(moved._replace(factors=shorter, splitting=cut), np.array([bias / 10]))
    assert kernel._cache_size() == compiled


def test_bad_input_is_refused():
    loop = repeated_loop(THREE, SADDLE_INJECTION)
    with pytest.raises(ValueError, match="refresh_period must be at least 1; got 0"):
        trajectory(loop._replace(refresh_period=0), 0.1)
    with pytest.raises(ValueError, match=r"cover the 1 layers of the stack; got 3 \(ok\)"):
        displacement_slope(loop._replace(factors=SADDLE))
