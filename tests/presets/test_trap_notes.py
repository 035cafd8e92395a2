"""The notes of the traps: three parts, and no number in them that the presets do not give."""

import math
from collections.abc import Callable

import pytest

from engine import growth
from figures.number import between, rate, significant, toward_zero
from presets import loop_quantities, quantities
from presets.load import preset, preset_names
from presets.naive import naive
from presets.schema import Scenario
from tests.presets.traps import TRAPS, coupled, layers_of, trap, worst_projector


def radius(scenario: Scenario) -> list[str]:
    return [rate(naive(scenario).radii[1])]


def average(scenario: Scenario) -> list[str]:
    return [rate(value) for value in naive(scenario).exponents]


def intervals(scenario: Scenario) -> list[str]:
    found = quantities.spectrum(scenario)
    return [between(*edge) for edge in zip(found.lower, found.upper, strict=True)]


def two_layers(scenario: Scenario) -> list[str]:
    return [rate(modulus) for modulus in quantities.spectrum(scenario).lower ** 2]


def gap(scenario: Scenario) -> list[str]:
    found = quantities.spectrum(scenario).gap
    assert found is not None
    return [between(*found, certified=True)]


def lower_limit(scenario: Scenario) -> list[str]:
    return [toward_zero(loop_quantities.boundary(scenario).negative or 0)]


def upper_limit(scenario: Scenario) -> list[str]:
    return [toward_zero(loop_quantities.boundary(scenario).positive or 0)]


def searched(scenario: Scenario) -> list[str]:
    return [f"no limit up to {rate(loop_quantities.boundary(scenario).searched_to or 0, 'down')}"]


def hump(scenario: Scenario) -> list[str]:
    return [f"{significant(math.exp(growth.log_norms(layers_of(scenario)).max()))} times"]


def projector(scenario: Scenario) -> list[str]:
    norm = worst_projector(scenario)
    return [significant(norm, 3 if norm < 1000 else 4)]


CLAIMS: list[tuple[str, dict[str, str], list[Callable[[Scenario], list[str]]]]] = [
    ("P1", {}, [radius, intervals, two_layers]),
    ("P1", {"family_value": "[[0.5,2.0],[0.0,0.5]]"}, [intervals]),
    ("P2", {}, [radius, intervals]),
    ("P2", {"family_value": "[[2.0,0.0],[0.0,0.125]]"}, [intervals]),
    ("P3", {}, [average, intervals]),
    ("P3", {"depth": "31"}, [average, intervals]),
    ("P4", {}, [average, intervals]),
    ("P4", {"depth": "31"}, [intervals]),
    ("P4", {"depth": "31", "window": "8"}, [intervals]),
    ("P5", {}, [average, intervals, lower_limit]),
    ("P5", {"window": "20"}, [intervals]),
    ("P6", {}, [average, gap, searched, projector]),
    ("P6", {"depth": "1024", "block_length": "1"}, [projector]),
    ("P6", {"window": "4"}, [intervals]),
    ("P6", {"window": "4", "family_energy": "6"}, [gap, projector]),
    ("P7", {}, [gap]),
    ("P7", {"family_value": coupled(0.1)}, [gap]),
    ("P7", {"family_value": coupled(0.001)}, [intervals]),
    ("P7", {"family_value": coupled(0.001), "window": "16"}, [gap]),
    ("P8", {}, [intervals]),
    ("P8", {"window": "16"}, [intervals]),
    ("P8", {"window": "32"}, [intervals]),
    ("P8", {"family_repeat": "true"}, [intervals]),
    ("P9", {}, [intervals, hump, upper_limit]),
    ("P9", {"family_shear": "0"}, [upper_limit]),
    ("P9", {"family_shear": "10"}, [hump, upper_limit]),
]


@pytest.mark.parametrize(("name", "changes", "computed"), CLAIMS)
def test_every_number_of_a_note_is_computed(
    name: str, changes: dict[str, str], computed: list[Callable[[Scenario], list[str]]]
):
    scenario = trap(name, **changes)
    written = [text for words in computed for text in words(scenario)]
    assert [text for text in written if text not in preset(TRAPS[name]).note] == []


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("P7", "here 1.118.", math.sqrt(1 + 1 / 4)),
        ("P7", "norm is 500 ", math.sqrt(1 + 1 / (4 * 0.001**2))),
        ("P8", "condition number 10.908 ", math.sqrt((11 + math.sqrt(117)) / (11 - math.sqrt(117)))),
    ],
)
def test_closed_formulas_in_the_notes(name: str, written: str, value: float):
    digits = written.strip(" .").rpartition(" ")[2]
    assert written in preset(TRAPS[name]).note
    assert float(digits) == round(value, len(digits.partition(".")[2]))


@pytest.mark.parametrize("name", TRAPS.values())
def test_a_note_says_what_seems_what_is_true_and_what_to_try(name: str):
    scenario = preset(name)
    assert [part.partition(": ")[0] for part in scenario.note.split("\n")] == ["Naive", "True", "Try"]
    assert scenario.title.startswith("Trap: ")


def test_traps_stand_together_in_the_order_of_the_theory():
    names = preset_names()
    first = names.index(TRAPS["P1"])
    assert names[first : first + len(TRAPS)] == tuple(TRAPS.values())


def test_titles_differ_and_every_preset_has_a_note():
    found = [preset(name) for name in preset_names()]
    assert len({scenario.title for scenario in found}) == len(found)
    assert all(scenario.title and scenario.note for scenario in found)
