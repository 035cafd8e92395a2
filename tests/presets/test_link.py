"""A link restores every control exactly, and refuses what it cannot use, by name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from presets.family import FAMILIES
from presets.link import read, write
from presets.load import preset, preset_names, validate
from presets.schema import Scenario

DEFAULT = preset_names()[0]


@pytest.mark.parametrize("name", preset_names())
def test_an_untouched_preset_is_its_name(name: str):
    assert write(preset(name), name) == {"preset": name}
    assert read({"preset": name}) == (preset(name), name, [])


@pytest.mark.parametrize("other", preset_names())
@pytest.mark.parametrize("name", [DEFAULT, "tied-saddle"])
def test_any_scenario_can_be_written_against_any_preset(name: str, other: str):
    link = write(preset(other), name)
    assert all(len(value) < 4000 for value in link.values())
    assert read(link) == (preset(other), name, [])


@settings(deadline=None, max_examples=60)
@given(
    amplitude=st.floats(-100, 100),
    tolerance=st.floats(1e-12, 1),
    multipliers=st.lists(st.floats(-100, 100), min_size=1, max_size=6),
    depth=st.integers(1, 4096),
    period=st.none() | st.integers(1, 4096),
    title=st.text(max_size=30),
)
def test_numbers_survive_exactly(
    amplitude: float, tolerance: float, multipliers: list[float], depth: int, period: int | None, title: str
):
    scenario = validate(
        {
            "depth": depth,
            "block_length": 1,
            "tolerance": tolerance,
            "title": title,
            "family": {"kind": "tied", "multipliers": multipliers, "value": multipliers},
            "gate": {"amplitude": amplitude, "refresh_period": period},
        }
    )
    assert read(write(scenario, DEFAULT)) == (scenario, DEFAULT, [])


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_a_new_family_starts_from_its_own_defaults(kind: str):
    assert read({"family.kind": kind}).scenario.family == FAMILIES[kind][0]()


@pytest.mark.parametrize(
    ("parameters", "path", "used"),
    [
        ({"depth": "0"}, "depth", "64"),
        ({"depth": "many"}, "depth", "64"),
        ({"gate.amplitude": "NaN"}, "gate.amplitude", "0.1"),
        ({"gate.amplitude": "1e999"}, "gate.amplitude", "0.1"),
        ({"preset": "nope"}, "preset", None),
        ({"who": "1"}, "who", None),
        ({"gate.who.what": "1"}, "gate.who.what", None),
        ({"gate": "7"}, "gate", None),
        ({"depth.x": "7"}, "depth.x", None),
        ({"family.multipliers": "1,2"}, "family.multipliers", "1.15,0.7,0.52,0.25"),
        ({"family.mixing": "[[1,0],[0,1]]"}, "family.mixing", None),
        ({"family.kind": "checkpoint"}, "family.kind", "turning"),
        ({"": "1"}, "", None),
        ({"title": "x" * 201}, "title", "Turning saddle"),
        ({"note": "[" * 3000}, "note", None),
        ({"window": "[" * 100_000}, "window", None),
    ],
)
def test_a_bad_parameter_is_named_and_the_good_ones_stay(
    parameters: dict[str, str], path: str, used: str | None
):
    found = read({**parameters, "tolerance": "0.01"})
    assert found.scenario.tolerance == 0.01
    assert [complaint.path for complaint in found.refused] == [path]
    if used is not None:
        assert found.refused[0].reason.endswith(f"using {used}")


def test_parameters_that_only_fit_together_arrive_together():
    found = read({"blocks": "3", "block_length": "5", "tokens": "13", "window": "100", "depth": "120"})
    assert found.refused == []
    assert (found.scenario.tokens, found.scenario.window) == (13, 100)


def test_a_rule_across_fields_blames_only_the_cause():
    found = read({"tokens": "999", "gate.amplitude": "0.3"})
    assert [complaint.path for complaint in found.refused] == ["tokens"]
    assert found.scenario.gate.amplitude == 0.3


def test_a_lone_list_entry_stays_a_list():
    scenario = validate({"family": {"kind": "tied", "multipliers": [0.5], "value": [0.2]}})
    assert read(write(scenario, DEFAULT)).scenario == scenario


def test_an_explicit_matrix_of_the_gate_survives():
    scenario = validate(
        {**Scenario().model_dump(by_alias=True), "gate": {"injection": {"matrix": [[1.0, 0, 0, 0]] * 4}}}
    )
    assert read(write(scenario, DEFAULT)) == (scenario, DEFAULT, [])
