"""Scenarios side by side: only what differs, in the schema's words; differences only between numbers."""

import math
import re

import pytest

from figures import FIGURES, own_axes
from figures.comparison import LETTERS, Line, differing, name, numbers, same_axes, sentence
from figures.comparison_numbers import GROUPS
from figures.rows import Rows
from presets.load import preset, validate
from presets.report import report
from presets.schema import Scenario
from tests.figures.scenarios import EDGES

SADDLE = preset("tied-saddle")
WORDED = (
    "not reached",
    "no limit",
    "1 is a point",
    "nothing persists",
    "everything persists",
    "one token per block",
    "never refreshed",
    "stable cascade",
    "growing cascade",
    "closed gate",
)
"""Scenarios with a number that does not exist, or is infinite; tied, so that little is compiled."""


def moved(**gate: object) -> Scenario:
    return SADDLE.model_copy(update={"gate": SADDLE.gate.model_copy(update=gate)})


def line(lines: list[Line], label: str) -> Line:
    return next(entry for entry in lines if entry.label == label)


def test_only_the_settings_that_differ_are_listed_in_the_schema_s_words() -> None:
    other = moved(amplitude=-0.25, refresh_period=4).model_copy(update={"depth": 32})
    lines = differing([SADDLE, other])
    assert [(entry.label, *(cell.text for cell in entry.cells)) for entry in lines] == [
        ("Depth L", "64 layers", "32 layers"),
        ("Gate amplitude ϱ", "0.1", "−0.25"),
        ("Refresh period Lᵣ", "1 layer", "4 layers"),
    ]
    assert sentence(lines, [SADDLE, other]) == "A and B differ in three settings."
    assert differing([SADDLE, SADDLE]) == []


def test_another_family_brings_its_own_settings() -> None:
    lines = differing([SADDLE, preset("looped-loop"), SADDLE])
    assert [cell.text for cell in line(lines, "Shear").cells] == ["1", "–", "1"]
    assert [cell.text for cell in line(lines, "Step Δ").cells] == ["–", "1", "–"]


def test_matrices_of_one_size_are_said_to_differ() -> None:
    family = {"kind": "explicit", "mixing": [[0.1, 0.0], [0.0, 0.2]], "value": [[0.1, 0.0], [0.0, 0.1]]}
    first = validate({"family": family})
    second = validate({"family": {**family, "mixing": [[0.3, 0.0], [0.0, 0.2]]}})
    (entry,) = differing([first, second])
    assert [cell.text for cell in entry.cells] == ["2×2 entries", "2×2 entries, other than A"]


def test_numbers_are_the_report_s_and_differences_are_between_numbers() -> None:
    other = preset("looped-loop")
    groups = numbers([SADDLE, other])
    first, second = report(SADDLE), report(other)
    rate = line(groups["Tokens"], "slowest difference r_f, per layer")
    assert rate.cells[0].text == f"{first.saturation.fluctuation_rate:.3f}"
    assert (
        rate.cells[1].change
        == f"−{first.saturation.fluctuation_rate - second.saturation.fluctuation_rate:.3f}"
    )
    edge = line(groups["Spectrum"], "growing edge, per layer")
    assert (edge.cells[1].text, edge.cells[1].change) == ("∞", "")
    proved = line(groups["Tokens"], "τ proved by layer norms")
    assert [cell.text for cell in proved.cells] == ["not reached within 64 layers", "layer 19"]
    assert proved.cells[1].change == ""
    assert line(groups["Tokens"], "saturation depth τ, measured").cells[1].change == "−11"


@pytest.mark.parametrize("edge", WORDED)
def test_every_status_is_in_words(edge: str) -> None:
    for lines in numbers([SADDLE, EDGES[edge]]).values():
        for entry in lines:
            for cell in entry.cells:
                assert cell.text, entry.label
                assert not re.search(r"nan|inf\b|None|-\d", cell.text + cell.change), (entry.label, cell)


def test_every_number_has_its_own_label() -> None:
    labels = [entry.label for entries in GROUPS.values() for entry in entries]
    assert len(set(labels)) == len(labels)


def test_a_scenario_is_called_by_its_title() -> None:
    assert name(SADDLE) == "Tied saddle"
    assert name(moved(amplitude=0.2)) == "Tied saddle, modified"
    assert name(Scenario()) == "Untitled"
    assert len(LETTERS) == 4


@pytest.mark.parametrize("slug", FIGURES)
def test_charts_side_by_side_share_axes_that_hold_them_all(slug: str) -> None:
    figure = FIGURES[slug]
    data = [figure.datasets(figure.compute(scenario)) for scenario in (SADDLE, EDGES["everything persists"])]
    shared = same_axes(data, own_axes(slug))
    for axis in own_axes(slug):
        assert [list(rows["dom"][axis]) for rows in shared] == [list(rows["dom"][axis]) for rows in data]
    for axis in {"x", "y"} - set(own_axes(slug)):
        ends = [rows["dom"][axis] for rows in shared]
        assert list(ends[0]) == list(ends[1])
        lower, upper = min(ends[0]), max(ends[0])
        assert all(lower <= value <= upper for rows in data for value in rows["dom"][axis])
        assert math.isfinite(upper - lower)


def test_an_axis_that_runs_down_keeps_its_direction() -> None:
    first = {"dom": Rows(x=[0.0, 4.0], y=[3.0, -0.5])}
    second = {"dom": Rows(x=[0.0, 9.0], y=[2.0, -1.0])}
    domain = same_axes([first, second])[0]["dom"]
    assert (list(domain["x"]), list(domain["y"])) == ([0.0, 9.0], [3.0, -1.0])


def test_a_map_is_painted_to_its_ends_beside_a_wider_one() -> None:
    figure = FIGURES["gate-map"]
    data = [figure.datasets(figure.compute(preset(name))) for name in ("tied-saddle", "looped-loop")]
    assert data[0]["dom"]["x"].tolist() != data[1]["dom"]["x"].tolist()
    for rows in same_axes(data, own_axes("gate-map")):
        assert [rows["base"]["x"].min(), rows["base"]["x2"].max()] == rows["dom"]["x"].tolist()
