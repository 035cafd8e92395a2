"""A scenario in one parameter: short, exact, and refused by name when it is none."""

import json

import pytest

from presets import link, named, packed
from presets.family import Explicit
from presets.load import DEFAULT, Refused, dump, preset, preset_names
from presets.schema import Scenario


def changed() -> Scenario:
    return preset("tied-saddle").model_copy(update={"depth": 40, "tolerance": 3e-4})


def large() -> Scenario:
    matrices = tuple(((layer / 7e5, 1 / 7 + layer / 3e5), (0.0, -0.2)) for layer in range(1000))
    family = Explicit(mixing=matrices, value=matrices, repeat=True)
    return preset("tied-saddle").model_copy(update={"family": family, "depth": 1200})


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_its_name(name: str) -> None:
    assert named.write(preset(name)) == name
    assert named.read(name) == (preset(name), [])


def test_a_changed_scenario_is_short_and_exact() -> None:
    text = named.write(changed())
    assert len(text) < 120
    assert "," not in text
    assert named.read(text) == (changed(), [])


def test_matrices_too_large_for_a_link_are_named_and_found_where_they_are_known() -> None:
    text = named.write(large())
    digest = packed.digest(dump(large())["family"])
    assert named.read(text, {digest: dump(large())["family"]}) == (large(), [])
    with pytest.raises(Refused, match="too large for a link"):
        named.read(text)


@pytest.mark.parametrize(
    "text",
    ["no-such-preset", "z:", "z:AAAA", packed.pack([1, 2]), packed.pack({"depth": 3}), "z:" + "A" * 9000],
)
def test_what_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="with"):
        named.read(text)


def test_one_bad_setting_of_a_named_scenario_is_refused_by_itself() -> None:
    text = packed.pack({"preset": "tied-saddle", "depth": "0", "tolerance": "0.01"})
    found = named.read(text or "")
    assert found.scenario == preset("tied-saddle").model_copy(update={"tolerance": 0.01})
    assert [entry.path for entry in found.refused] == ["with depth"]


def test_links_files_and_names_can_be_pasted() -> None:
    parameters = link.write(changed(), "tied-saddle")
    query = "&".join(f"{key}={text}" for key, text in parameters.items())
    for text in (
        f"https://x.org/gate?{query}&map=gain",
        query,
        json.dumps(dump(changed())),
        named.write(changed()),
    ):
        assert named.pasted(f"  {text}\n", ("map",)) == (changed(), [])
    assert named.pasted("looped-loop").scenario == preset("looped-loop")
    assert named.pasted("http://x.org/?").scenario == preset(DEFAULT)


@pytest.mark.parametrize("text", ["", "hello", "{", '{"depth": 0}'])
def test_what_is_pasted_and_none_of_them_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        named.pasted(text)
