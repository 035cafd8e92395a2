import numpy as np
import pytest

from engine import trajectory_boundary as module
from engine.closed_loop import multipliers_at
from engine.crossing import Boundary
from engine.gate import boundary
from engine.hold import held_loop
from engine.injection import Injection
from engine.self_loop import SelfLoop, linearised
from engine.topology import phases
from engine.trajectory import trajectories
from engine.trajectory_boundary import trajectory_boundary
from tests.engine.loop_cases import (
    HYSTERESIS,
    SADDLE,
    SADDLE_GAP,
    SADDLE_INJECTION,
    THREE,
    hysteresis_fold,
    repeated_loop,
    window_loop,
)
from tests.reference_cases import case

PUBLISHED = 5e-5


def limits(loop: SelfLoop) -> Boundary:
    found = trajectory_boundary(loop)
    assert found is not None
    return found


def test_a_fold_by_hand():
    found = limits(HYSTERESIS)
    assert found.positive_crossing == "+1"
    assert found.positive == pytest.approx(hysteresis_fold(), rel=1e-9)


def test_reference_flip_at_the_trajectory_not_at_rest():
    loop = repeated_loop(np.array([[[0.9]]]), Injection(np.eye(1), np.array([0.2]), saturating=True))
    found = limits(loop)
    assert found.negative == pytest.approx(-1.9002, abs=PUBLISHED)
    assert (found.negative_crossing, found.positive, found.positive_crossing) == ("-1", np.inf, "none")
    assert found.status == "searched"
    assert found.searched_to is not None
    assert found.searched_to > 50
    at_rest = np.array([[1 - np.tanh(0.2) ** 2]])
    frozen = boundary(held_loop(loop.factors, at_rest, 1, periodic=True))
    assert (frozen.negative, frozen.positive) == (
        pytest.approx(-1.977, abs=5e-4),
        pytest.approx(0.104, abs=5e-4),
    )


@pytest.mark.parametrize("refresh_period", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_crossings_are_crossings_of_the_trajectory(seed, refresh_period):
    random = np.random.default_rng(seed)
    factors = 0.8 * random.standard_normal((1 + seed % 2, 2, 2))
    injection = Injection(
        2 * random.standard_normal((2, 2)), 0.5 * random.standard_normal(2), saturating=True
    )
    loop = repeated_loop(factors, injection, refresh_period)
    found = limits(loop)
    rank = loop.splitting.rank
    for edge in (found.negative, found.positive):
        reach = edge if np.isfinite(edge) else np.sign(edge) * 3.0
        amplitudes = reach * np.append(np.linspace(0.05, 0.999, 20), 1.001)
        states = trajectories(loop, amplitudes)
        counts = [
            int((multipliers_at(linearised(loop, each), amplitude).log_modulus > 0).sum())
            for each, amplitude, good in zip(states.states, amplitudes, states.converged, strict=True)
            if good
        ]
        assert set(counts[:20]) == {rank}
        if np.isfinite(edge) and states.converged[-1]:
            assert counts[-1] != rank


def test_boundaries_that_need_no_trajectory():
    linear = repeated_loop(SADDLE, SADDLE_INJECTION._replace(saturating=False), 2)
    expected = case("cocycle", "E3_held_saddle")["outputs"]["first_crossings[-,+]"]["Lr=2"]
    found = limits(linear)
    np.testing.assert_allclose([found.negative, found.positive], np.array(expected, float), rtol=1e-11)
    unbiased = repeated_loop(SADDLE, SADDLE_INJECTION._replace(bias=np.zeros(2)))
    plain = boundary(held_loop(SADDLE, SADDLE_INJECTION.matrix, 1, periodic=True))
    found = limits(unbiased)
    np.testing.assert_allclose([found.negative, found.positive], [plain.negative, plain.positive], rtol=1e-9)
    silent = repeated_loop(SADDLE, SADDLE_INJECTION._replace(matrix=np.zeros((2, 2))))
    assert limits(silent)[:4] == ("complete", None, -np.inf, "none")


def test_an_orbit_too_large_to_follow_is_left_open(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_ORBIT", 5)
    assert trajectory_boundary(repeated_loop(THREE, SADDLE_INJECTION)) is None
    assert trajectory_boundary(repeated_loop(SADDLE, SADDLE_INJECTION)) is not None


def test_a_ring_about_its_common_trajectory_is_limited_earlier():
    loop = repeated_loop(SADDLE, SADDLE_INJECTION)
    alone, ring = limits(loop), trajectory_boundary(loop, phases("ring", 2))
    assert ring is not None
    assert (alone.negative, ring.negative_crossing) == (-np.inf, "+1")
    assert -1 < ring.negative < 0


def test_a_window_is_refused():
    window = window_loop(np.repeat(SADDLE, 8, axis=0), 1, SADDLE_GAP, SADDLE_INJECTION)
    with pytest.raises(ValueError, match="tied or periodic stack; got a window"):
        trajectory_boundary(window)
