"""The second parameter of the gate map: which there are, where a scenario stands, and how it moves."""

import pytest

from presets import map_axis
from presets.family import FAMILIES
from presets.link import with_value
from presets.load import dump, preset, preset_names, validate
from presets.schema import Scenario

FAMILY_AXES = {
    "turning": {"turn", "modulation", "skew", "multipliers.1", "multipliers.4"},
    "tied": {"shear", "multipliers.1", "multipliers.2"},
    "rotation": {"modulus", "angle", "shear"},
    "looped": {"step", "log_rate.3"},
    "random": {"mean", "scale", "value_mean", "value_scale"},
    "drifting": {"start.1", "end.2", "shear"},
    "transformer": {"attention_scale", "mlp_scale"},
    "switching": {"up", "down"},
    "almost_mathieu": set(),
    "explicit": set(),
}


def of_family(kind: str) -> Scenario:
    return validate({"family": {"kind": kind}})


def test_every_family_is_listed() -> None:
    assert set(FAMILY_AXES) == set(FAMILIES)


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_continuous_number_of_a_family_is_offered(kind: str) -> None:
    names = list(map_axis.axes(of_family(kind)))
    assert names[:3] == ["angle", "gain", "refresh"]
    assert {f"family.{name}" for name in FAMILY_AXES[kind]} <= set(names[3:])
    assert not any(name.startswith("family.value.") or name == "family.value" for name in names)
    assert not {"family.seed", "family.width", "family.heads", "family.hidden"} & set(names)


@pytest.mark.parametrize("name", preset_names())
def test_a_scenario_stands_on_its_own_axis(name: str) -> None:
    scenario = preset(name)
    for axis in map_axis.axes(scenario).values():
        here = map_axis.value(axis, scenario)
        if here is None:
            continue
        lower, upper = map_axis.ends(axis, scenario)
        assert axis.is_stepped or lower <= here <= upper
        assert map_axis.moved(axis, scenario, here) == scenario
        for end in (lower, upper):
            ((path, setting),) = map_axis.change(axis, scenario, end).items()
            assert validate(with_value(dump(scenario), path, setting)) == map_axis.moved(axis, scenario, end)


def test_the_axis_reaches_a_value_outside_its_window() -> None:
    scenario = validate({"gate": {"injection": {"angle": -120.0, "gain": 30.0}}})
    axes = map_axis.axes(scenario)
    assert map_axis.ends(axes["angle"], scenario) == (-180.0, 180.0)
    assert map_axis.ends(axes["gain"], scenario) == (0.0, 50.0)


def test_a_setting_that_would_break_another_is_not_offered() -> None:
    tied = {"kind": "turning", "turn": 0.0, "modulation": 0.0}
    along = validate({"family": tied, "gate": {"injection": {"alignment": "aligned"}}})
    names = set(map_axis.axes(along))
    assert "family.multipliers.1" in names
    assert not {"family.turn", "family.modulation"} & names


def test_a_matrix_without_gain_has_no_gain_and_no_angle() -> None:
    scenario = validate({"gate": {"injection": {"matrix": [[1.0, 0, 0, 0]] * 4}}})
    axes = map_axis.axes(scenario)
    assert "gain" not in axes
    assert map_axis.value(axes["angle"], scenario) is None


@pytest.mark.parametrize("name", ["family.energy", "refresh_period", "", "family.multipliers.9", "<b>"])
def test_an_unknown_name_is_refused(name: str) -> None:
    used, refused = map_axis.read(name, Scenario())
    assert used == "angle"
    assert [(found.path, found.value) for found in refused] == [("map", name)]


def test_refresh_periods_are_whole_and_hold_the_current_one() -> None:
    scenario = validate({"gate": {"refresh_period": 3}})
    assert map_axis.periods(scenario) == [1, 2, 3, 4, 8, 16, 32]
    axis = map_axis.axes(scenario)["refresh"]
    assert map_axis.change(axis, scenario, 8.0) == {"gate.refresh_period": 8}
    assert map_axis.moved(axis, scenario, 8.0).gate.refresh_period == 8
