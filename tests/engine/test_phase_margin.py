from typing import Any

import numpy as np
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.gate import boundary
from engine.hold import held_loop
from engine.phase_margin import phase_margin

PUBLISHED = 5e-5


def sampled():
    plant: Any = scipy.signal.tf2ss([2.0], [1.0, 3.0, 2.0, 0.0])
    discrete: Any = scipy.signal.cont2discrete(plant, 0.05, "zoh")
    return discrete[0], -discrete[1] @ discrete[2]


def test_published_margins_of_a_sampled_loop():
    """N50."""
    factor, injection = sampled()
    loop = held_loop(factor[None], injection, 1, periodic=True)
    margin = phase_margin(loop, 1.0)
    assert margin is not None
    assert margin.frequency is not None
    assert np.degrees(margin.angle) == pytest.approx(31.54, abs=5e-3)
    assert margin.frequency / 0.05 == pytest.approx(0.7493, abs=PUBLISHED)
    gain = next(crossing for crossing in boundary(loop).crossings if crossing.value > 0.5)
    assert gain.value == pytest.approx(2.7928, abs=PUBLISHED)
    at_limit = phase_margin(loop, gain.value)
    assert at_limit is not None
    assert at_limit.angle == pytest.approx(0, abs=1e-6)
    assert at_limit.frequency == pytest.approx(1.3640 * 0.05, abs=PUBLISHED)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**16), st.integers(1, 4), st.sampled_from([1, 3]))
def test_the_turn_puts_a_multiplier_on_the_circle_and_no_smaller_one_does(seed, width, refresh_period):
    random = np.random.default_rng(seed)
    factor = random.standard_normal((width, width)) / np.sqrt(width)
    injection = np.outer(random.standard_normal(width), random.standard_normal(width))
    loop = held_loop(factor[None], injection, refresh_period, periodic=True)
    margin = phase_margin(loop, 0.7)
    assert margin is not None

    def moduli(turn):
        return np.abs(np.linalg.eigvals(loop.factors[0] + 0.7 * np.exp(1j * turn) * loop.injections[0]))

    reach = min(margin.angle, np.pi)
    counts = {int((moduli(turn) > 1).sum()) for turn in reach * np.linspace(-0.999, 0.999, 61)}
    assert len(counts) == 1
    if margin.angle <= np.pi:
        assert margin.frequency is not None
        assert min(np.abs(moduli(sign * margin.angle) - 1).min() for sign in (-1, 1)) <= 1e-8


def test_where_there_is_none():
    silent = held_loop(np.array([[[0.5]]]), np.zeros((1, 1)), 1, periodic=True)
    assert phase_margin(silent, 0.3) == (np.inf, None)
    quiet = held_loop(np.array([[[0.5]]]), np.eye(1), 1, periodic=True)
    assert phase_margin(quiet, 0.3) == (np.inf, None)
    assert phase_margin(quiet, 0.0) == (np.inf, None)
    full = held_loop(np.diag([0.5, 0.4])[None], np.eye(2), 1, periodic=True)
    assert phase_margin(full, 0.3) is None
    two = held_loop(np.array([[[0.5]], [[0.4]]]), np.eye(1), 1, periodic=True)
    assert phase_margin(two, 0.3) is None
