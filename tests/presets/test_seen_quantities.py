"""What the injection sees of a run, from a scenario: floors, bounds, and what ϱ does not touch."""

import numpy as np
import pytest

from presets import trajectory_quantities
from presets.load import preset
from presets.schema import Scenario
from presets.seen_quantities import seen, seen_shut
from tests.engine.turning_case import CONSTANT, TANH, periodic_saddle
from tests.figures.scenarios import EDGES
from tests.presets.explicit_saddle import saddle_scenario
from tests.reference_cases import numbers

ROUNDOFF = 1e-11


def with_amplitude(scenario: Scenario, amplitude: float) -> Scenario:
    return scenario.model_copy(update={"gate": scenario.gate.model_copy(update={"amplitude": amplitude})})


def test_the_floor_is_that_of_the_reference_solutions():
    output = CONSTANT["output"]
    decaying = numbers(output["u"]) - numbers(output["d_plus"])
    found = seen(saddle_scenario(1.0, saturating=False))
    assert found.floor == pytest.approx(float(np.linalg.norm(decaying, axis=1).max()), abs=ROUNDOFF)
    _, splitting = periodic_saddle()
    states = numbers(TANH["output"]["u"])
    expected = np.linalg.norm((splitting.decaying[:-1] @ states[:, :, None])[:, :, 0], axis=1).max()
    found = seen(saddle_scenario(float(TANH["input"]["rho"]), saturating=True))
    assert found.floor == pytest.approx(float(expected), abs=ROUNDOFF)


def test_an_open_gate_ends_at_the_floor_and_a_shut_one_falls_through_it():
    scenario = saddle_scenario(0.02, saturating=False)
    found, shut = seen(scenario), seen_shut(scenario)
    assert found.floor is not None
    assert found.fast[-6:].max() == pytest.approx(found.floor, rel=0.05)
    assert found.floor <= found.floor_bound
    assert shut.fast[-1] < 1e-3 * found.floor
    assert (shut.floor, shut.floor_bound) == (0.0, 0.0)


@pytest.mark.parametrize("name", ["turning-saddle", "tied-saddle", "looped-loop", "value-split"])
@pytest.mark.parametrize("period", [1, 5, None])
def test_no_bound_is_below_what_it_bounds(name: str, period: int | None):
    scenario = preset(name)
    gate = scenario.gate.model_copy(update={"refresh_period": period})
    found = seen(scenario.model_copy(update={"gate": gate}))
    lipschitz = trajectory_quantities.injection(scenario).lipschitz
    assert (found.fast <= found.bound * (1 + ROUNDOFF) + found.noise).all()
    assert (found.difference <= lipschitz * found.fast * (1 + ROUNDOFF) + found.noise).all()


def test_the_shut_run_does_not_depend_on_the_amplitude():
    scenario = EDGES["window"]
    assert seen_shut(scenario) is seen_shut(with_amplitude(scenario, 0.3))
    assert seen(with_amplitude(scenario, 0.0)) is seen_shut(scenario)


@pytest.mark.parametrize("state", ["contains 1", "everything persists"])
def test_without_two_parts_there_is_nothing_to_compare(state: str):
    found = seen(EDGES[state])
    assert found.state in ("no-split", "nothing-decays")
    assert len(found.fast) == 0
