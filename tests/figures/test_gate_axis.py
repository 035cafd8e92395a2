"""The gate map over every second parameter: words, ticks, lanes, and the grid a click answers with."""

import re

import numpy as np
import pytest

from figures import click, gate_axis, gate_map
from figures.phrase import LONGEST_CAPTION
from figures.theme import PALETTES
from presets import map_axis
from presets.load import preset, validate
from presets.schema import Scenario
from tests.figures.scenarios import EDGES

SCENARIOS: dict[str, Scenario] = {
    "turning": preset("turning-saddle"),
    "tied": preset("tied-saddle"),
    "looped": preset("looped-loop"),
    "mathieu": validate({"depth": 16, "family": {"kind": "almost_mathieu", "energy": 6.0}}),
    "drifting": validate({"depth": 16, "family": {"kind": "drifting"}}),
    "random": validate({"depth": 16, "family": {"kind": "random"}}),
    **{
        name: EDGES[name] for name in ("closed gate", "no limit", "never refreshed", "ring", "stable cascade")
    },
    **{name: EDGES[name] for name in ("slow refresh", "window", "short window", "contains 1", "bias")},
}
CASES = [(name, over) for name, scenario in SCENARIOS.items() for over in map_axis.axes(scenario)]
walk = pytest.mark.parametrize(("name", "over"), CASES)


@walk
def test_every_map_is_complete_inside_its_axes_and_said(name: str, over: str) -> None:
    tables = gate_map.compute(SCENARIOS[name], over)
    datasets = gate_map.datasets(tables)
    domain = datasets.pop("dom")
    for axis in ("x", "y"):
        lower, upper = domain[axis].min(), domain[axis].max()
        assert lower < upper
        for dataset, rows in datasets.items():
            for column in {axis, f"{axis}2"} & set(rows.columns):
                assert np.isfinite(rows[column]).all()
                inside = (rows[column] >= lower - 1e-9) & (rows[column] <= upper + 1e-9)
                assert inside.all(), (dataset, column)
    caption = gate_map.caption(tables)
    assert 0 < len(caption) <= LONGEST_CAPTION
    assert not re.search(r"nan|inf\b|None|-\d", caption)
    assert len(gate_map.table(tables)) > 0
    assert len(datasets["point"]) == (0 if tables.value is None and len(datasets["ticks"]) else 1)


@walk
def test_the_dots_of_the_scenario_lie_on_the_limits_drawn(name: str, over: str) -> None:
    tables = gate_map.compute(SCENARIOS[name], over)
    datasets = gate_map.datasets(tables)
    lines = datasets["limits"]
    for x, y in zip(datasets["ends"]["x"], datasets["ends"]["y"], strict=True):
        near = np.abs(lines["y"] - y) <= (gate_axis.BAND if over == map_axis.REFRESH else 1e-9)
        if tables.axis.is_stepped or not len(datasets["ticks"]):
            near = np.ones(len(lines), dtype=bool)
        assert np.abs(lines["x"][near] - x).min() <= 1e-4 * tables.reach


def test_whole_numbers_have_lanes_and_nothing_between_them() -> None:
    datasets = gate_map.datasets(gate_map.compute(SCENARIOS["turning"], "refresh"))
    assert list(datasets["ticks"]["text"]) == ["1", "2", "4", "8", "16"]
    assert len(datasets["kept"]) == 0
    for rows in (datasets["base"], datasets["patches"]):
        assert np.allclose(rows["y2"] - rows["y"], 2 * gate_axis.BAND)
        assert np.allclose((rows["y2"] + rows["y"]) / 2 % 1, 0)
    height = dict(zip(datasets["limits"]["part"], datasets["limits"]["x"], strict=True))
    for part, x in zip(datasets["limits"]["part"], datasets["limits"]["x"], strict=True):
        assert x == height[part]


@pytest.mark.parametrize(
    ("name", "over", "title", "said"),
    [
        ("turning", "angle", "angle of ψ to the split, θ (°)", "θ = 30°"),
        ("turning", "gain", "gain ‖W‖₂", "‖W‖₂ = 1"),
        ("turning", "refresh", "refresh period Lᵣ (layers)", "Lᵣ = 1"),
        ("turning", "family.turn", "frame turn (rad per layer)", "frame turn = 0.11"),
        ("turning", "family.multipliers.2", "multiplier b₂ (per layer)", "b₂ = 0.7"),
        ("looped", "family.log_rate.1", "log rate a₁", "a₁ ="),
        ("random", "family.mean", "mean of M (per layer)", "mean of M = −0.5"),
        ("drifting", "family.start.2", "multiplier at the input, no. 2", "no. 2 = 0.5"),
    ],
)
def test_the_axis_names_its_parameter_with_its_unit(name: str, over: str, title: str, said: str) -> None:
    scenario = SCENARIOS[name]
    axis = map_axis.axes(scenario)[over]
    value = map_axis.value(axis, scenario)
    assert value is not None
    assert gate_axis.title(axis) == title
    assert said in gate_axis.at(axis, value)


@walk
def test_ticks_are_few_and_round(name: str, over: str) -> None:
    tables = gate_map.compute(SCENARIOS[name], over)
    texts = list(gate_axis.ticks(tables.axis, tables.map)["text"])
    assert len(texts) <= gate_axis.MOST_TICKS + 1
    assert len(set(texts)) == len(texts)
    assert all(len(text) <= 5 for text in texts)


def test_the_grid_is_laid_on_top_and_the_template_stays_as_it_is() -> None:
    for template in map(gate_map.TEMPLATE.__getitem__, PALETTES):
        before = len(template["layer"])
        spec = click.clickable(template)
        assert len(template["layer"]) == before
        assert "params" not in template
        assert spec["layer"][-1]["data"] == {"name": click.HITS}
        assert spec["params"][0]["views"] == [spec["layer"][-1]["name"]]
        assert click.clickable(template) is spec


def test_limits_over_the_gain_are_joined_as_one_over_it() -> None:
    datasets = gate_map.datasets(gate_map.compute(SCENARIOS["tied"], "gain"))
    lines = datasets["limits"]
    reach = datasets["dom"]["x"].max()
    for side in (-1, 1):
        inside = (np.sign(lines["x"]) == side) & (np.abs(lines["x"]) < 0.9 * reach)
        products = lines["x"][inside] * lines["y"][inside]
        assert np.allclose(products, products[0], rtol=1e-3)
