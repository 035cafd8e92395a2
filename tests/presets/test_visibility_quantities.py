"""From a scenario to what the slow path sees: orders, states, and what is taken instead of its settings."""

from typing import Any

import numpy as np
import pytest

from presets import visibility_quantities as visibility
from presets.load import validate
from presets.schema import Scenario
from tests.engine.test_partition_table import EXPECTED
from tests.figures.scenarios import EDGES
from tests.presets.explicit_saddle import saddle_scenario

SLOPE = 0.03
ROUNDOFF = 1e-12


def orders(scenario: Scenario) -> dict[str, float | str | None]:
    found = visibility.answers(scenario)
    assert found.state == "ok"
    return {
        change: response.persistent_order.slope or response.persistent_order.status
        for change, response in found.responses.items()
    }


def turning(**content: Any) -> Scenario:
    family = {"kind": "turning", "multipliers": [1.2, 0.6], "value": [0.5, 0.3], "turn": 0.1, "skew": 0.0}
    return validate({"depth": 16, "family": family, "gate": {"amplitude": 0.05}, **content})


@pytest.mark.parametrize("saturating", [False, True])
def test_the_classes_of_the_reference_saddle(saturating: bool):
    found = orders(saddle_scenario(0.1, saturating=saturating))
    assert found["fast"] == (pytest.approx(2, abs=SLOPE) if saturating else "zero")
    assert found["compression"] == "zero"
    for change in ("slow", "fast-same-index", "gate", "injection"):
        assert found[change] == pytest.approx(1, abs=SLOPE)


def test_the_table_of_the_reference_saddle():
    found = visibility.table(saddle_scenario(0.1, saturating=True))
    for row in found.rows:
        assert row.fast is not None
        order, expected = row.fast.persistent_order, EXPECTED[row.injection, row.projectors]
        assert order.slope == (None if expected is None else pytest.approx(expected, abs=SLOPE))
    assert (found.state, found.layers, found.lent) == ("ok", 6, False)


def test_a_bias_is_lent_only_where_nothing_is_injected():
    plain, biased = (
        turning(gate={"amplitude": 0.05, "injection": {"kind": "tanh", "bias": bias}}) for bias in (None, 0.2)
    )
    assert visibility.answers(plain).lent
    assert not visibility.answers(biased).lent
    assert orders(plain) == orders(biased)


def test_refresh_and_topology_do_not_enter():
    held = turning(gate={"amplitude": 0.05, "refresh_period": 4, "topology": "ring"})
    assert visibility.answers(held) is visibility.answers(turning())


@pytest.mark.parametrize(
    ("scenario", "state"),
    [
        (EDGES["contains 1"], "no-split"),
        (EDGES["nothing persists"], "nothing-persists"),
        (EDGES["everything persists"], "nothing-decays"),
        (EDGES["closed gate"], "shut"),
        (EDGES["far beyond the axis"], "lost"),
        (EDGES["window at the wrong amplitude"], "lost"),
    ],
)
def test_why_there_is_nothing(scenario: Scenario, state: str):
    found = visibility.answers(scenario)
    assert (found.state, found.responses) == (state, {})


def test_wide_stacks_are_refused_and_deep_ones_cut(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(visibility, "LARGEST_STACK", 12 * 4)
    assert visibility.answers(turning(depth=20)).state == "too-wide"
    monkeypatch.setattr(visibility, "FEWEST_LAYERS", 12)
    scenario = turning(depth=22)
    cut = visibility.gated_stack(scenario, visibility.trajectory_quantities.injection(scenario))
    assert cut.splitting.persistent.shape == (13, 2, 2)
    moved, carried = cut.factors @ cut.splitting.persistent[:-1], cut.splitting.persistent[1:] @ cut.factors
    np.testing.assert_allclose(moved, carried, atol=ROUNDOFF)
