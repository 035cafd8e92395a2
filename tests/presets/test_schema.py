"""The scenario accepts what the contract allows, refuses the rest kindly, and names the field."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from presets.family import FAMILIES
from presets.field import about
from presets.load import Refused, dump, parse, preset, preset_names, validate
from presets.schema import Scenario

REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"depth": 0}, "depth"),
    ({"depth": 4097}, "depth"),
    ({"depth": True}, "depth"),
    ({"depth": "64"}, "depth"),
    ({"depth": 3.5}, "depth"),
    ({"nope": 1}, "nope"),
    ({"schema": 2}, "schema"),
    ({"block_length": 0}, "block_length"),
    ({"blocks": 65}, "blocks"),
    ({"tokens": 24}, "tokens"),
    ({"tokens": 33}, "tokens"),
    ({"tolerance": 2.0}, "tolerance"),
    ({"tolerance": float("nan")}, "tolerance"),
    ({"window": 65}, "window"),
    ({"window": 1}, "window"),
    ({"kernel": {"kind": "leaky", "leak": 1.1}}, "kernel.leak"),
    ({"kernel": {}}, "kernel.kind"),
    ({"family": {"kind": "checkpoint"}}, "family.kind"),
    ({"family": {"kind": "tied", "multipliers": [1.0]}}, "family.value"),
    ({"family": {"kind": "tied", "multipliers": []}}, "family.multipliers"),
    ({"family": {"kind": "explicit", "mixing": [[1, 2], [3]]}}, "family.mixing"),
    ({"family": {"kind": "explicit", "mixing": [[1.0, float("inf")], [0, 1]]}}, "family.mixing"),
    (
        {"family": {"kind": "explicit", "mixing": [[[0.0]], [[0.1]]], "value": [[0.0]], "repeat": False}},
        "family.repeat",
    ),
    ({"family": {"kind": "transformer", "heads": 3}}, "family.heads"),
    ({"family": {"kind": "transformer", "heads": 4, "kv_heads": 3}}, "family.kv_heads"),
    ({"gate": {"amplitude": float("inf")}}, "gate.amplitude"),
    ({"gate": {"amplitude": 101}}, "gate.amplitude"),
    ({"gate": {"refresh_period": 0}}, "gate.refresh_period"),
    ({"gate": {"topology": "star"}}, "gate.topology"),
    ({"gate": {"injection": {"matrix": [[1.0]]}}}, "gate.injection.matrix"),
    ({"gate": {"injection": {"matrix": [[1.0]], "alignment": "identity"}}}, "gate.injection.alignment"),
    ({"gate": {"injection": {"alignment": "worst"}}}, "gate.injection.alignment"),
    ({"gate": {"injection": {"bias": [1.0]}}}, "gate.injection.bias"),
    ({"gate": {"injection": {"bias": "much"}}}, "gate.injection.bias"),
    ({"compression": {"kind": "multilevel", "levels": [3, 3]}}, "compression.levels"),
    ({"compression": {"kind": "select", "positions": [8], "weights": [1.0]}}, "compression.positions"),
    ({"compression": {"kind": "select", "positions": [0, 1], "weights": [0.5, 0.6]}}, "compression.weights"),
    ({"compression": {"kind": "scored", "scores": [1.0]}}, "compression.scores"),
    ({"depth": 4096, "block_length": 256}, "block_length"),
]


@pytest.mark.parametrize(("content", "path"), REFUSALS, ids=[path for _, path in REFUSALS])
def test_a_bad_value_is_refused_by_its_name(content: dict[str, Any], path: str):
    with pytest.raises(Refused) as refused:
        validate(content)
    assert refused.value.complaints[0].path.startswith(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [3, "text", None, [], [[]]])
def test_what_is_not_an_object_is_refused(content: object):
    with pytest.raises(Refused):
        validate(content)


@pytest.mark.parametrize("text", ["", "{", "{'a':1}", '{"depth": NaN}', "[" * 100_000, '{"depth": 1e999}'])
def test_broken_text_is_refused(text: str):
    with pytest.raises(Refused):
        parse(text)


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_every_family_starts_from_valid_defaults_and_round_trips(kind: str):
    scenario = validate({"family": {"kind": kind}})
    assert parse(json.dumps(dump(scenario))) == scenario
    assert hash(scenario) == hash(parse(json.dumps(dump(scenario))))


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_loads_and_round_trips(name: str):
    assert parse(json.dumps(dump(preset(name)))) == preset(name)


def test_the_first_preset_is_the_default_scenario():
    first = preset(preset_names()[0])
    assert first.model_copy(update={"title": "", "note": ""}) == Scenario()


def test_a_dump_is_complete():
    content = dump(Scenario())
    assert content["schema"] == 1
    assert content["gate"]["injection"]["gain"] == 1.0
    assert set(content) == {
        *("schema", "title", "note", "depth", "block_length", "blocks", "tokens", "kernel"),
        *("family", "compression", "gate", "window", "tolerance", "seed"),
    }


def test_windows_lie_inside_the_limits_and_every_field_has_words():
    for model, _ in FAMILIES.values():
        for name in model.model_fields:
            if name == "kind":
                continue
            field = about(model, name)
            assert field.label != name
            assert field.help
            if field.ui.window:
                assert field.lower <= field.ui.window[0] < field.ui.window[1] <= field.upper


@settings(deadline=None, max_examples=40)
@given(
    depth=st.integers(1, 200),
    length=st.integers(1, 16),
    blocks=st.integers(1, 8),
    missing=st.integers(0, 15),
    amplitude=st.floats(-100, 100),
)
def test_a_ragged_last_block_is_accepted_exactly_when_it_holds_a_token(
    depth: int, length: int, blocks: int, missing: int, amplitude: float
):
    content = {
        "depth": depth,
        "block_length": length,
        "blocks": blocks,
        "tokens": blocks * length - missing,
        "gate": {"amplitude": amplitude},
    }
    if missing < length:
        assert dump(validate(content))["gate"]["amplitude"] == amplitude
    else:
        with pytest.raises(Refused):
            validate(content)


def test_a_matrix_of_numbers_is_not_blamed_for_being_no_list_of_matrices():
    entries = {"kind": "explicit", "mixing": [[float("nan"), 0], [0, 1]], "value": [[1, 0], [0, 1e300]]}
    with pytest.raises(Refused) as caught:
        validate({"family": entries})
    assert [found.path for found in caught.value.complaints] == ["family.mixing.0.0", "family.value.1.1"]
