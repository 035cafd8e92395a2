import math

import numpy as np
import pytest

from engine.closed_window import closed_window_spectrum
from engine.gate_window import window_boundary
from engine.hold import held_loop
from engine.injection import Injection
from engine.self_loop import linearised
from engine.topology import phase_loop, phases
from engine.trajectory import trajectories
from engine.trajectory_boundary import trajectory_boundary
from engine.window_trajectory_boundary import window_trajectory_boundary
from tests.engine.loop_cases import (
    SADDLE,
    SADDLE_INJECTION,
    WINDOW_GAP,
    random_window,
    repeated_loop,
    window_loop,
)

DRAWN = 1e-5


def random_loop(seed, refresh_period=1, bias=1.0):
    random = np.random.default_rng(seed)
    factors = random_window(random, 20, 2, 1)
    injection = Injection(random.standard_normal((2, 2)), bias * random.standard_normal(2), saturating=True)
    return window_loop(factors, 1, WINDOW_GAP, injection, refresh_period)


@pytest.mark.parametrize("refresh_period", [1, 4])
@pytest.mark.parametrize("topology", ["self", "ring"])
def test_without_a_bias_it_is_the_boundary_of_the_linear_loop(refresh_period, topology):
    loop = random_loop(3, refresh_period, bias=0.0)
    window = 8 // refresh_period
    split = phases(topology, 2)
    found = window_trajectory_boundary(loop, window, 1, split)
    closed = held_loop(loop.factors, loop.injection.matrix, refresh_period, periodic=False)
    plain = [window_boundary(phase_loop(closed, phase), window, copies) for phase, copies in split]
    assert found.positive == pytest.approx(min(side.positive for side in plain), rel=DRAWN)
    assert found.negative == pytest.approx(max(side.negative for side in plain), rel=DRAWN)


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_certified_inside_and_lost_at_the_boundary(seed):
    loop = random_loop(seed)
    found = window_trajectory_boundary(loop, 8, 1)
    for edge in (found.negative, found.positive):
        reach = edge if math.isfinite(edge) else math.copysign(found.searched_to or 1.0, edge)
        amplitudes = reach * np.append(np.linspace(0.05, 0.999, 20), 1.001)
        states = trajectories(loop, amplitudes)
        for amplitude, each, good in zip(amplitudes[:-1], states.states, states.converged, strict=False):
            assert good
            spectrum = closed_window_spectrum(linearised(loop, each), amplitude, 8)
            assert spectrum.persistent_rank == 1
        if math.isfinite(edge) and states.converged[-1]:
            beyond = closed_window_spectrum(linearised(loop, states.states[-1]), amplitudes[-1], 8)
            assert beyond.persistent_rank != 1


def test_a_long_tied_window_comes_near_the_tied_boundary():
    tied = trajectory_boundary(repeated_loop(SADDLE, SADDLE_INJECTION))
    assert tied is not None
    stack = np.repeat(SADDLE, 20, axis=0)
    found = window_trajectory_boundary(window_loop(stack, 1, (0.5, 1.4), SADDLE_INJECTION), 10, 1)
    assert found.positive <= tied.positive
    if math.isfinite(tied.positive):
        assert found.positive == pytest.approx(tied.positive, rel=0.5)


def test_without_a_number():
    loop = random_loop(0)
    assert window_trajectory_boundary(loop, 8, None)[:2] == (0.0, 0.0)
    silent = loop._replace(injection=loop.injection._replace(matrix=np.zeros((2, 2))))
    assert window_trajectory_boundary(silent, 8, 1)[:2] == (-math.inf, math.inf)
    assert window_trajectory_boundary(silent, 8, 2)[:2] == (0.0, 0.0)
    with pytest.raises(ValueError, match="that of a window; got a repeated stack"):
        window_trajectory_boundary(repeated_loop(SADDLE, SADDLE_INJECTION), 1, 1)
