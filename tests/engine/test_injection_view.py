import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bounded_solution import GatedStack, bounded_solution
from engine.compressions import first_weights, mean_weights
from engine.fluctuation import fluctuation_norms
from engine.injection import Injection
from engine.injection_view import View, hidden_difference, injection_view
from engine.kernel import Kind
from engine.splitting import split
from engine.summary_weights import summary_weights
from engine.token_flow import propagate
from engine.token_gate import TokenGate
from tests.engine.turning_case import BIAS, MATRIX, SATURATING, saddle

ROUNDOFF = 1e-11
DEPTH, LENGTH, TOKENS, RATE = 40, 8, 21, 0.7
FACTORS, FRAMES = saddle()
SPLITTING = split(FACTORS, 1, periodic=True, depth=DEPTH)
LAYER = np.arange(DEPTH) % len(FACTORS)
VALUE = (FRAMES[1:] @ (np.array([0.5, 0.3])[:, None] * np.linalg.inv(FRAMES[:-1])))[LAYER]
MIXING = FACTORS[LAYER] - np.eye(2) - VALUE
CONSTANT = max(
    float(np.linalg.norm(np.outer(later[:, 1], reading[1]), 2))
    for later in FRAMES
    for reading in np.linalg.inv(FRAMES)
)
"""C of the decaying direction at its own rate: the largest projector from any depth to any other."""

MEAN = summary_weights(mean_weights, TOKENS, LENGTH)
FIRST = summary_weights(first_weights, TOKENS, LENGTH)


def view(states: np.ndarray, gate: TokenGate, kind: Kind = "causal", rate: float = RATE) -> View:
    return injection_view(
        MIXING,
        VALUE,
        SPLITTING.persistent,
        states,
        gate,
        block_length=LENGTH,
        kind=kind,
        constant=CONSTANT,
        decay_rate=rate,
    )


def drawn(seed):
    return np.random.default_rng(seed).standard_normal((TOKENS, 2))


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 999),
    st.sampled_from([0.0, 0.02, -0.3]),
    st.sampled_from(["causal", "bidirectional"]),
    st.booleans(),
    st.integers(1, 5),
)
def test_theorem_nine_holds_at_every_depth(seed, amplitude, kind, saturating, period):
    random = np.random.default_rng(seed)
    weights = summary_weights(lambda present: random.dirichlet(np.ones(present)), TOKENS, LENGTH)
    gate = TokenGate(Injection(2 * MATRIX, BIAS, saturating), weights, amplitude, period)
    found = view(drawn(seed), gate, kind)
    assert found.reached == DEPTH
    slack = 1 + ROUNDOFF
    size = np.linalg.norm(found.summaries, axis=2)
    assert (found.difference <= slack * gate.injection.lipschitz * found.decaying + ROUNDOFF * size).all()
    assert (found.decaying <= slack * found.bound + ROUNDOFF * size).all()


@pytest.mark.parametrize("kind", ["causal", "bidirectional"])
def test_the_open_loop_is_the_linear_flow(kind):
    states = drawn(1)
    gate = TokenGate(SATURATING, MEAN, 0.0)
    found = view(states, gate, kind)
    final = propagate(states, MIXING, VALUE, LENGTH, kind)
    expected = [final[:8].mean(axis=0), final[8:16].mean(axis=0), final[16:].mean(axis=0)]
    np.testing.assert_allclose(found.summaries[-1], expected, rtol=1e-10)
    assert found.floor_bound == 0
    assert found.decaying[-1].max() < 1e-3 < found.decaying[0].max()


def test_an_open_gate_ends_at_the_floor_of_the_bounded_solution():
    forcing = Injection(np.zeros((2, 2)), BIAS, saturating=False)
    factors_splitting = split(FACTORS, 1, periodic=True)
    states = bounded_solution(GatedStack(FACTORS, factors_splitting, forcing, 0.02))
    assert states is not None
    floor = np.linalg.norm((factors_splitting.decaying @ states[:, :, None])[:, :, 0], axis=1)
    found = view(drawn(2), TokenGate(forcing, MEAN, 0.02))
    np.testing.assert_allclose(found.decaying[-1], floor[DEPTH % 6], rtol=0.03)
    np.testing.assert_allclose(found.decaying[-7:-1].max(), floor.max(), rtol=0.1)
    assert floor.max() <= found.floor_bound


def test_at_the_bounded_solution_the_injection_sees_the_floor():
    splitting = split(FACTORS, 1, periodic=True)
    states = bounded_solution(GatedStack(FACTORS, splitting, SATURATING, 0.1))
    assert states is not None
    found = hidden_difference(SATURATING, splitting.persistent, states[:, None])[:, 0]
    persistent = (splitting.persistent @ states[:, :, None])[:, :, 0]
    expected = np.linalg.norm(SATURATING.value(states) - SATURATING.value(persistent), axis=1)
    np.testing.assert_allclose(found, expected, atol=ROUNDOFF)
    assert (found > 1e-3).all()


def test_equal_tokens_leave_only_the_decaying_initial_part():
    states = np.tile([0.6, 1.0], (TOKENS, 1))  # the decaying direction at depth 0
    gate = TokenGate(SATURATING, FIRST, 0.0)
    found = view(states, gate)
    np.testing.assert_allclose(
        found.summaries[-1], RATE**DEPTH * FRAMES[DEPTH % 6, :, 1][None].repeat(3, 0), atol=1e-9
    )
    np.testing.assert_allclose(
        found.bound[:, 0], CONSTANT * RATE ** np.arange(DEPTH + 1) * np.hypot(0.6, 1.0)
    )


def test_known_fluctuation_norms_are_taken_as_given():
    gate, states = TokenGate(SATURATING, MEAN, 0.02), drawn(4)
    norms = np.exp(fluctuation_norms(MIXING, VALUE, LENGTH, "causal").log_absolute)
    given = injection_view(
        MIXING, VALUE, SPLITTING.persistent, states, gate,
        block_length=LENGTH, kind="causal", constant=CONSTANT, decay_rate=RATE, fluctuation=norms,
    )  # fmt: skip
    np.testing.assert_array_equal(given.bound, view(states, gate).bound)


def test_a_run_that_leaves_floating_point_stops_there():
    gate = TokenGate(SATURATING, MEAN, 0.0)
    found = injection_view(
        1e9 * MIXING, VALUE, SPLITTING.persistent, drawn(3), gate,
        block_length=LENGTH, kind="causal", constant=CONSTANT, decay_rate=RATE,
    )  # fmt: skip
    assert 10 < found.reached < 20
    assert len(found.difference) == len(found.bound) == found.reached + 1
    assert np.isfinite(found.decaying).all()


def test_misuse_is_named():
    gate = TokenGate(SATURATING, MEAN, 0.0)
    with pytest.raises(ValueError, match=r"decay_rate must lie in \[0, 1\) .* got 1.0 and 1"):
        view(drawn(0), gate, rate=1.0)
    with pytest.raises(ValueError, match=r"got 0.7 and 0"):
        view(drawn(0), gate._replace(refresh_period=0))
    with pytest.raises(ValueError, match=r"gate.weights must have shape \(3, 8\); got \(2, 8\)"):
        view(drawn(0), gate._replace(weights=gate.weights[:2]))
    with pytest.raises(ValueError, match=r"projectors must have shape \(41, 2, 2\); got \(7, 2, 2\)"):
        injection_view(
            MIXING, VALUE, SPLITTING.persistent[:7], drawn(0), gate,
            block_length=LENGTH, kind="causal", constant=CONSTANT, decay_rate=RATE,
        )  # fmt: skip
