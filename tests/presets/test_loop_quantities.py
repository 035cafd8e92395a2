"""From a scenario to its gate: every status, what it depends on, and no contradiction between the parts."""

import math
from typing import Any

import numpy as np
import pytest

from presets import limit_map, quantities
from presets import loop_quantities as loops
from presets.field import rounded_up
from presets.load import preset, preset_names, validate
from presets.schema import Scenario

DRAWN = 1e-4
SADDLE = {"kind": "tied", "multipliers": [0.5, 1.5], "value": [0.3, 1.2], "shear": 3.0}


def scenario_of(amplitude: float = 0.05, **gate: Any) -> Scenario:
    family = gate.pop("family", SADDLE)
    return validate({"family": family, "depth": 32, "gate": {"amplitude": amplitude, **gate}})


def with_amplitude(scenario: Scenario, amplitude: float) -> Scenario:
    return scenario.model_copy(update={"gate": scenario.gate.model_copy(update={"amplitude": amplitude})})


@pytest.mark.parametrize("name", preset_names())
def test_the_split_is_kept_up_to_the_limit_and_not_beyond(name: str):
    scenario = preset(name)
    limit = loops.boundary(scenario)
    rank = quantities.spectrum(scenario).persistent_rank
    assert limit.negative is not None
    assert limit.positive is not None
    assert limit.negative <= 0 <= limit.positive
    for side in (limit.negative, limit.positive):
        if side == 0 or math.isinf(side):
            continue
        within, beyond = (with_amplitude(scenario, side * factor) for factor in (1 - 1e-6, 1 + 1e-6))
        closed = loops.closed_spectrum(within)
        assert closed is not None
        assert loops.inside(within) == "kept"
        assert (closed.verdict, closed.persistent_rank) == ("hyperbolic", rank)
        assert loops.inside(beyond) != "kept"


@pytest.mark.parametrize("name", preset_names())
def test_the_map_agrees_with_the_limits(name: str):
    scenario = preset(name)
    drawn, limit = limit_map.map_of_limits(scenario), loops.boundary(scenario)
    assert drawn is not None
    assert limit.negative is not None
    assert limit.positive is not None
    angles = np.nan_to_num(drawn.values, nan=scenario.gate.injection.angle)
    lane = int(np.argmin(np.abs(angles - scenario.gate.injection.angle)))
    assert angles[lane] == scenario.gate.injection.angle
    reach = loops.amplitude_reach(scenario)
    for mapped, exact in ((drawn.negative[lane], limit.negative), (drawn.positive[lane], limit.positive)):
        if abs(exact) < reach:
            assert mapped == pytest.approx(exact, rel=DRAWN, abs=1e-12)
    kept = drawn.region == 0
    assert np.array_equal(kept, kept & (drawn.amplitude > drawn.negative[:, None]))


def test_the_map_depends_neither_on_the_amplitude_nor_on_the_angle():
    scenario = scenario_of()
    assert limit_map.map_of_limits(with_amplitude(scenario, -0.02)) is limit_map.map_of_limits(scenario)


def test_a_held_summary_is_no_loop_and_a_cascade_never_changes_its_spectrum():
    held = scenario_of(refresh_period=None)
    assert loops.boundary(held).status == "not-a-loop"
    assert loops.boundary(held).positive == math.inf
    assert limit_map.map_of_limits(held) is None
    assert loops.closed_spectrum(held) is None
    cascade = scenario_of(
        topology="cascade", family={"kind": "tied", "multipliers": [0.5], "value": [0.2], "shear": 0.0}
    )
    limit = loops.boundary(cascade)
    assert (limit.negative, limit.positive) == (-math.inf, math.inf)
    assert limit.string_limit == pytest.approx(0.5)
    assert loops.closed_spectrum(cascade) == quantities.spectrum(cascade)


def test_tanh_without_bias_is_the_linear_loop():
    linear = scenario_of(injection={"kind": "linear"})
    tanh = scenario_of(injection={"kind": "tanh"})
    assert loops.boundary(tanh)[:6] == loops.boundary(linear)[:6]


def test_margins_are_factors_of_the_current_amplitude():
    scenario = scenario_of(injection={"matrix": [[0, 1], [1, 0]]})
    margins = loops.margins(scenario)
    assert margins is not None
    assert margins.gain_down == 0
    assert margins.gain_up == pytest.approx(0.949489742783178098 / 0.05)
    reverse = loops.margins(with_amplitude(scenario, -0.2))
    assert reverse is not None
    assert reverse.gain_down == pytest.approx(0.0857864376269049512 / 0.2)
    assert loops.margins(with_amplitude(scenario, 0.0)) == (0.0, math.inf)


def test_a_window_that_is_refreshed_once_is_no_loop():
    late = validate({"depth": 16, "gate": {"refresh_period": 17}})
    assert loops.boundary(late).status == "not-a-loop"


@pytest.mark.parametrize("period", [1, 3, 16])
@pytest.mark.parametrize("topology", ["self", "ring"])
def test_windows_close_for_every_refresh_and_topology(period: int, topology: str):
    scenario = validate(
        {
            "depth": 16,
            "blocks": 3,
            "gate": {"amplitude": 0.01, "refresh_period": period, "topology": topology},
        }
    )
    limit = loops.boundary(scenario)
    assert limit.status in ("searched", "complete")
    assert loops.closed_spectrum(scenario) is not None
    assert limit_map.map_of_limits(scenario) is not None


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.15, 0.2), (1.0, 1.0), (1.01, 2.0), (3.0, 5.0), (7.0, 10.0), (0.2, 0.2), (51.0, 100.0)],
)
def test_reach_is_rounded_up_to_1_2_5(value: float, rounded: float):
    assert rounded_up(value) == rounded
