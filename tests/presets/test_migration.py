"""Links and files of another schema number: an older one is read with notes, a newer one refused by name."""

import json

import pytest

from presets import board, migration, named, packed
from presets.link import read, write
from presets.load import DEFAULT, Refused, dump, opened, parse, preset, preset_names, validate
from presets.migration import Reading

OLDEST = 0
"""A schema that never was: ϱ had another name, the tolerance was an exponent, and there was a colour."""

READINGS = (
    Reading("gate.rho", "gate.amplitude"),
    Reading("tolerance_exponent", "tolerance", lambda exponent: 10.0**exponent),
    Reading("colour", None),
    Reading("family.kind", "family.kind", lambda kind: "turning" if kind == "spiral" else kind),
    Reading("depth", "depth", lambda depth: depth),
)


@pytest.fixture(autouse=True)
def _older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(migration.STEPS, OLDEST, READINGS)


def test_an_older_link_is_read_with_a_note_for_every_change() -> None:
    link = {"preset": "tied-saddle", "schema": "0", "gate.rho": "0.3", "tolerance_exponent": "-2"}
    found = read({**link, "depth": "12", "colour": "red"})
    assert found.scenario == preset("tied-saddle").model_copy(
        update={
            "depth": 12,
            "tolerance": 0.01,
            "gate": preset("tied-saddle").gate.model_copy(update={"amplitude": 0.3}),
        }
    )
    assert [(note.path, note.value, note.reason) for note in found.refused] == [
        ("gate.rho", "0.3", "made with an earlier version (schema 0), read as gate.amplitude = 0.3"),
        ("tolerance_exponent", "-2", "made with an earlier version (schema 0), read as tolerance = 0.01"),
        ("colour", "red", "made with an earlier version (schema 0), left out, as nothing takes its place"),
    ]
    assert all(note.is_note for note in found.refused)
    assert "schema" not in write(found.scenario, found.preset), "the first schema needs no number"


def test_what_an_older_link_says_wrong_is_refused_under_its_new_name() -> None:
    found = read({"schema": "0", "gate.rho": "much", "depth": "12"})
    assert [(entry.path, entry.is_note) for entry in found.refused] == [
        ("gate.rho", True),
        ("gate.amplitude", False),
    ]
    assert found.scenario.depth == 12


def test_an_older_packed_family_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    family = {**dump(preset(DEFAULT))["family"], "kind": "spiral", "turn": 0.2}
    found = read({"schema": "0", "family": packed.pack(family) or ""})
    assert dump(found.scenario)["family"] == {**family, "kind": "turning"}
    assert [note.path for note in found.refused] == ["family.kind"]


def test_long_matrices_of_an_older_link_survive() -> None:
    matrices = [[[layer / 7000, 1 / 7], [0.0, -0.2]] for layer in range(150)]
    family = {"kind": "explicit", "mixing": matrices, "value": matrices, "repeat": True}
    text = packed.pack(family)
    assert text is not None
    assert dump(read({"schema": "0", "depth": "200", "family": text}).scenario)["family"] == family


def test_an_older_file_is_read_with_the_same_notes() -> None:
    content = {"schema": 0, "gate": {"rho": 0.3, "topology": "ring"}, "tolerance_exponent": -2}
    scenario, notes = opened(json.dumps(content))
    assert scenario == validate({"gate": {"amplitude": 0.3, "topology": "ring"}, "tolerance": 0.01})
    assert [note.path for note in notes] == ["gate.rho", "tolerance_exponent"]


@pytest.mark.parametrize("name", preset_names())
def test_today_s_files_and_links_have_no_notes(name: str) -> None:
    text = json.dumps(dump(preset(name)))
    assert opened(text) == (preset(name), [])
    assert read({"preset": name, "schema": "1"}) == (preset(name), name, [])


@pytest.mark.parametrize(("number", "said"), [(7, "newer version"), (-1, "oldest is 0")])
def test_another_schema_is_refused_by_name(number: int, said: str) -> None:
    found = read({"preset": "tied-saddle", "schema": str(number), "gate.power": "3", "depth": "12"})
    assert found.scenario == preset("tied-saddle")
    assert [(entry.path, entry.value) for entry in found.refused] == [("schema", str(number))]
    assert said in found.refused[0].reason
    with pytest.raises(Refused, match=said):
        parse(json.dumps({"schema": number, "gate": {"power": 3}}))


@pytest.mark.parametrize("number", ["new", 1.5, [1]])
def test_what_is_no_number_is_refused_as_any_value(number: object) -> None:
    with pytest.raises(Refused, match="schema"):
        parse(json.dumps({"schema": number}))


def test_a_board_and_a_comparison_of_an_earlier_version_are_read() -> None:
    content = {
        "board": board.FORMAT,
        "made_with": {"version": "0.0.1"},
        "panels": [{"figure": "gate-map"}],
        "scenarios": [{"schema": 0, "gate": {"rho": 0.3}}],
    }
    found = board.read(json.dumps(content))
    assert found.board.scenarios[0].gate.amplitude == 0.3
    assert [note.path for note in found.notes] == ["gate.rho"]
    text = packed.pack({"preset": "tied-saddle", "schema": "0", "gate.rho": "0.3"}) or ""
    scenario, notes = named.read(text)
    assert scenario.gate.amplitude == 0.3
    assert [(note.path, note.is_note) for note in notes] == [("with gate.rho", True)]
