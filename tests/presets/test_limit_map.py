"""The gate map over every second parameter: each lane is the limit of its own scenario."""

import math

import numpy as np
import pytest

from figures import gate_map
from presets import limit_map, map_axis, map_lanes
from presets import loop_quantities as loops
from presets.load import preset, preset_names, validate
from presets.schema import Scenario

DRAWN = 1e-4
SHORT = {"depth": 24, "window": 8}
TIED = validate({"family": {"kind": "tied", "multipliers": [1.3, 0.6], "value": [0.3, 0.3], "shear": 0.4}})
TURNING = validate({**SHORT, "family": {"kind": "turning", "multipliers": [1.3, 0.5], "value": [0.3, 0.3]}})

CASES = [
    (scenario, name)
    for scenario in (TIED, TURNING)
    for name in map_axis.axes(scenario)
    if name != "family.multipliers.2"
]


def lanes_of(scenario: Scenario, name: str) -> limit_map.LimitMap:
    found = limit_map.map_of_limits(scenario, name)
    assert found is not None
    return found


@pytest.mark.parametrize(("scenario", "name"), CASES, ids=lambda part: part if isinstance(part, str) else "")
def test_every_lane_is_the_limit_of_its_own_scenario(scenario: Scenario, name: str) -> None:
    found, axis = lanes_of(scenario, name), map_axis.axes(scenario)[name]
    reach = loops.amplitude_reach(scenario)
    assert np.all(np.diff(found.values) > 0)
    for lane in range(0, len(found.values), 2):
        exact = loops.boundary(map_axis.moved(axis, scenario, float(found.values[lane])))
        for drawn, limit in ((found.negative[lane], exact.negative), (found.positive[lane], exact.positive)):
            assert limit is not None
            if abs(limit) < reach:
                assert drawn == pytest.approx(limit, rel=DRAWN, abs=1e-12)
            elif exact.searched_to is None or exact.searched_to >= reach:
                assert abs(drawn) >= reach * (1 - DRAWN)


@pytest.mark.parametrize("scenario", [TIED, TURNING], ids=["tied", "turning"])
def test_a_finer_grid_moves_no_limit_by_as_much_as_a_cell(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N63: nothing but the search starts from the grid, and the limits are what the table hands out."""
    coarse = lanes_of(scenario, "gain")
    cell = coarse.amplitude[1] - coarse.amplitude[0]
    finer = scenario.model_copy(update={"seed": 63})
    monkeypatch.setattr(limit_map, "POINTS", 2 * map_lanes.POINTS - 1)
    fine = lanes_of(finer, "gain")
    assert len(fine.amplitude) == 2 * len(coarse.amplitude) - 1
    for side in ("negative", "positive"):
        np.testing.assert_allclose(getattr(fine, side), getattr(coarse, side), atol=cell)
    table = gate_map.table(gate_map.compute(scenario, "gain"))
    np.testing.assert_array_equal(table["upper limit of ϱ"], coarse.positive)


@pytest.mark.parametrize("name", preset_names())
def test_the_current_value_has_the_limits_of_the_scenario(name: str) -> None:
    scenario = preset(name)
    reach, limit = loops.amplitude_reach(scenario), loops.boundary(scenario)
    found, axis = lanes_of(scenario, "refresh"), map_axis.axes(scenario)["refresh"]
    lane = found.values.tolist().index(map_axis.value(axis, scenario))
    for drawn, exact in ((found.negative[lane], limit.negative), (found.positive[lane], limit.positive)):
        assert exact is not None
        if abs(exact) < reach:
            assert drawn == pytest.approx(exact, rel=DRAWN, abs=1e-12)


def test_limits_jump_where_the_count_of_growing_directions_changes() -> None:
    found = lanes_of(TIED, "family.multipliers.1")
    assert {0, 1} <= set(found.ranks.tolist())
    at_one = np.flatnonzero(np.diff(np.sign(found.values - 1.0)) != 0)
    below, above = int(at_one[0]), int(at_one[-1]) + 1
    assert found.values[above] - found.values[below] < 0.1
    assert (found.ranks[below], found.ranks[above]) == (0, 1)


@pytest.mark.parametrize("name", ["gain", "refresh", "family.turn", "family.multipliers.1"])
def test_a_map_depends_neither_on_the_amplitude_nor_on_its_second_parameter(name: str) -> None:
    axis = map_axis.axes(TURNING)[name]
    here = map_axis.value(axis, TURNING)
    assert here is not None
    elsewhere = map_axis.moved(axis, TURNING, 2 if axis.is_stepped else here * 0.999)
    gate = elsewhere.gate.model_copy(update={"amplitude": 0.03})
    moved = elsewhere.model_copy(update={"gate": gate})
    assert loops.amplitude_reach(moved) == loops.amplitude_reach(TURNING)
    assert lanes_of(moved, name) is lanes_of(TURNING, name)


def test_refresh_periods_have_lanes_of_their_own() -> None:
    found = lanes_of(TURNING, "refresh")
    assert found.values.tolist() == [1.0, 2.0, 4.0]
    with_three = map_axis.moved(map_axis.axes(TURNING)["refresh"], TURNING, 3)
    assert lanes_of(with_three, "refresh").values.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_map_that_would_take_too_long_is_one_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = validate({"depth": 2000, "block_length": 1, "family": {"kind": "random", "width": 8}})
    assert map_lanes.values(wide, map_axis.axes(wide)["family.scale"]) == ()
    monkeypatch.setattr(map_lanes, "values", lambda scenario, axis: ())
    assert math.isnan(lanes_of(TURNING, "family.turn").values[0])


def test_costly_refresh_periods_are_left_out_unless_current() -> None:
    growing = np.linspace(0.3, 1.3, 16).tolist()
    wide = validate({"family": {"kind": "tied", "multipliers": growing, "value": [0.1] * 16}})
    axis = map_axis.axes(wide)["refresh"]
    assert 32.0 not in map_lanes.values(wide, axis)
    assert 32.0 in map_lanes.values(map_axis.moved(axis, wide, 32), axis)


def test_a_narrow_loss_of_the_gap_ends_the_range() -> None:
    base = preset("turning-saddle")
    turned = map_axis.moved(map_axis.axes(base)["angle"], base, 75.0)
    assert loops.boundary(turned).positive == pytest.approx(0.33707, abs=1e-4)
