"""Real blocks from a scenario: the same as linearised, orders of the theory, demonstration elsewhere."""

from typing import Any

import numpy as np
import pytest

from engine.preln_stack import linearise
from presets import linearisation_quantities as linear
from presets import quantities
from presets.load import preset, validate
from presets.real_block import DEMONSTRATION, MOST_LAYERS, has_blocks, real_stack, studied
from presets.schema import Scenario
from presets.token_run import MOST_TOKENS, token_count
from tests.figures.scenarios import EDGES

SLOPE = 0.05
EXACT = 1e-13


def block(**family: Any) -> Scenario:
    content = {"kind": "transformer", "width": 4, "heads": 2, "hidden": 6, **family}
    return validate({"depth": 6, "block_length": 3, "blocks": 3, "tokens": 8, "family": content})


@pytest.mark.parametrize("family", [{}, {"tied": True}, {"norm": "layer", "activation": "gelu"}])
def test_the_blocks_run_are_the_blocks_linearised(family: dict[str, Any]):
    scenario = block(**family)
    stack, layers = real_stack(scenario), quantities.layers(block(**family))
    found = linearise(stack.blocks, stack.start, **stack.kind)
    np.testing.assert_allclose(found.mixing, layers.mixing, atol=EXACT)
    np.testing.assert_allclose(found.value, layers.value, atol=EXACT)
    lengths = np.linalg.norm(stack.differences, axis=1)
    assert lengths.max() == pytest.approx(float(np.linalg.norm(stack.start)))


def test_what_is_left_out_is_of_the_order_of_the_theory():
    scenario = block()
    assert linear.real_run(scenario).order.slope == pytest.approx(1, abs=SLOPE)
    assert linear.gate_errors(scenario).order.slope == pytest.approx(1, abs=SLOPE)
    keys = linear.query_key(scenario)
    assert keys.rotary_order is not None
    assert keys.plain_order.slope == pytest.approx(2, abs=SLOPE)
    assert keys.rotary_order.slope == pytest.approx(1, abs=SLOPE)


def test_along_the_open_gate_the_error_is_that_of_the_differences():
    found = linear.gate_errors(block())
    small = float(linear.real_run(block()).relative[-1, 1])
    assert found.inhomogeneity == linear.AMPLITUDES[1]
    np.testing.assert_allclose(found.along_open[0], small, rtol=0.05)
    assert found.along_open.max() < 10 * small


def test_the_stream_stays_below_its_bound():
    growth = linear.real_run(block()).growth
    assert (growth.size <= growth.bound).all()
    assert (growth.normalised <= np.sqrt(4) * (1 + EXACT)).all()


@pytest.mark.parametrize("name", ["turning-saddle", "tied-saddle", "looped-loop"])
def test_refinement_is_of_first_order_below_both_bounds(name: str):
    found = linear.refinement(preset(name))
    study = found.study
    assert found.order.slope == pytest.approx(1, abs=SLOPE)
    assert study.step_sizes[0] == 1
    assert (study.log_errors <= study.log_sharp_bound).all()
    assert (study.log_sharp_bound <= study.log_paper_bound + EXACT).all()


def test_other_families_run_the_demonstration_and_nothing_of_theirs_enters():
    scenario, other = EDGES["window"], EDGES["ring"]
    assert not has_blocks(scenario)
    assert studied(scenario) is DEMONSTRATION
    assert linear.real_run(scenario) is linear.real_run(other)
    assert linear.gate_errors(scenario) is linear.gate_errors(other)
    assert linear.query_key(scenario) is linear.query_key(other)


def test_the_gate_enters_by_its_sign_alone():
    scenario = block()
    signed = {
        amplitude: scenario.model_copy(
            update={"gate": scenario.gate.model_copy(update={"amplitude": amplitude})}
        )
        for amplitude in (0.1, 0.7, -0.1)
    }
    found = {amplitude: linear.gate_errors(entry) for amplitude, entry in signed.items()}
    assert found[0.1] is found[0.7]
    assert found[0.1] is not found[-0.1]
    assert linear.real_run(signed[0.1]) is linear.real_run(signed[-0.1])


def test_runs_are_bounded():
    long = block().model_copy(update={"depth": 400, "block_length": 48, "blocks": 9, "tokens": None})
    stack = real_stack(long)
    assert len(stack.blocks) == MOST_LAYERS
    assert len(stack.differences) == token_count(long) == 48 <= MOST_TOKENS


def test_odd_heads_take_no_rotary_positions():
    found = linear.query_key(block(width=3, heads=1))
    assert found.rotary is None
    assert found.rotary_order is None
    assert found.plain_order.slope == pytest.approx(2, abs=SLOPE)
