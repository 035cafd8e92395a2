import numpy as np
import pytest

from engine.linear_error import gate_error, linear_error
from engine.preln_beside import run_beside
from engine.preln_stack import linearise
from engine.preln_tokens import token_runs
from engine.token_flow import propagate
from tests.engine.real_stack import (
    AMPLITUDES,
    DEPTH,
    KIND,
    LENGTH,
    TOKENS,
    mean_gate,
    real_blocks,
    state_and_differences,
)

ROUNDOFF = 1e-12
SLOPE = 0.05
START, DIFFERENCES = state_and_differences()
BLOCKS = real_blocks()
STATES = START + AMPLITUDES[:, None, None] * DIFFERENCES


def test_the_shut_gate_gives_the_linear_flow_around_the_homogeneous_path():
    found = run_beside(BLOCKS, START, STATES, block_length=LENGTH, **KIND)
    whole = linearise(BLOCKS, START, **KIND)
    for run in range(len(AMPLITUDES)):
        np.testing.assert_allclose(found.path[:, run], whole.states, atol=ROUNDOFF)
        flow = propagate(STATES[run] - START, whole.mixing, whole.value, LENGTH, "causal")
        np.testing.assert_allclose(found.linear[-1, run] - whole.states[-1], flow, atol=ROUNDOFF)
    real = token_runs(BLOCKS, STATES, block_length=LENGTH, **KIND)
    np.testing.assert_allclose(found.real, real, atol=ROUNDOFF)


@pytest.mark.parametrize("period", [1, 3])
def test_a_homogeneous_run_is_its_own_path_and_has_no_error(period):
    gate = mean_gate(0.3, refresh_period=period)
    states = np.broadcast_to(START, (3, TOKENS, START.size)).copy()
    found = run_beside(BLOCKS, START, states, block_length=LENGTH, gate=gate, **KIND)
    path = np.broadcast_to(found.path[:, :, None], found.real.shape)
    np.testing.assert_allclose(found.real, path, atol=ROUNDOFF)
    np.testing.assert_allclose(found.linear, path, atol=ROUNDOFF)
    assert np.isnan(found.relative).all()


@pytest.mark.parametrize("amplitude", [0.0, 0.3])
def test_what_is_left_out_is_of_second_order_at_any_gate(amplitude):
    gate = mean_gate(amplitude, saturating=True, refresh_period=2)
    found = linear_error(
        BLOCKS, START, DIFFERENCES, block_length=LENGTH, amplitudes=AMPLITUDES, gate=gate, **KIND
    )
    assert found.relative.shape == (DEPTH + 1, len(AMPLITUDES))
    assert found.orders[0].status == "zero"
    for order in found.orders[1:]:
        assert order.slope == pytest.approx(1, abs=SLOPE)
    assert (found.relative[1:, -1] < 0.1).all()


def test_layers_of_the_shut_gate_leave_an_error_of_the_order_of_the_gate():
    kept = linear_error(
        BLOCKS,
        START,
        DIFFERENCES,
        block_length=LENGTH,
        amplitudes=AMPLITUDES,
        gate=mean_gate(0.1),
        follow_gate=False,
        **KIND,
    )
    assert (kept.relative[-1] > 0.01).all()
    assert kept.relative[-1, 1] == pytest.approx(kept.relative[-1, 0], rel=0.1)
    found = gate_error(
        BLOCKS, START, START + 1e-6 * DIFFERENCES, mean_gate(0.0), block_length=LENGTH,
        gate_amplitudes=AMPLITUDES, **KIND,
    )  # fmt: skip
    for order in found.orders[2:]:
        assert order.slope == pytest.approx(1, abs=SLOPE)


def test_rotary_positions_leave_an_error_that_does_not_fall():
    found = linear_error(
        BLOCKS, START, DIFFERENCES, block_length=LENGTH, amplitudes=AMPLITUDES, rotary=True, **KIND
    )
    assert found.orders[-1].slope == pytest.approx(0, abs=SLOPE)
    assert (found.relative[-1] > 1e-2).all()
