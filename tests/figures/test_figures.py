import json
import re
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from figures import FIGURES, PAGES
from figures.phrase import LONGEST_CAPTION
from figures.theme import PALETTES
from figures.verdict import metrics, verdict
from presets.load import preset, preset_names
from presets.schema import Scenario
from tests.figures.scenarios import EDGES

SCENARIOS = {name: preset(name) for name in preset_names()} | EDGES

FEWER = (
    "turning-saddle",
    "looped-loop",
    "contains 1",
    "one token per block",
    "never refreshed",
    "bias",
    "stable cascade",
    "singular layer",
    "one direction",
    "window",
)
"""Scenarios on which the figures of the other pages are walked; those of Explore are walked on every one."""

PAIRS = [(slug, name) for slug in FIGURES for name in (SCENARIOS if slug in PAGES["explore"] else FEWER)]

walk_figures = pytest.mark.parametrize("slug", FIGURES)
walk_scenarios = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
walk_pairs = pytest.mark.parametrize(("slug", "name"), PAIRS)


@lru_cache(maxsize=1024)
def tables_of(slug: str, name: str) -> Any:
    return FIGURES[slug].compute(SCENARIOS[name])


def _named_datasets(spec: dict) -> set[str]:
    return {layer["data"]["name"] for layer in spec["layer"]}


def _texts(node: object) -> list[str]:
    if isinstance(node, dict):
        return [text for value in node.values() for text in _texts(value)]
    if isinstance(node, list):
        return [text for value in node for text in _texts(value)]
    return [node] if isinstance(node, str) else []


@walk_pairs
def test_datasets_are_complete_and_finite(slug: str, name: str) -> None:
    figure, tables = FIGURES[slug], tables_of(slug, name)
    datasets = figure.datasets(tables)
    assert set(datasets) == _named_datasets(figure.TEMPLATE["light"])
    for name, rows in datasets.items():
        table = rows.frame
        assert np.isfinite(table.select_dtypes("number").to_numpy()).all(), name
        assert not table.isna().to_numpy().any(), name


@walk_pairs
def test_data_stay_inside_the_axes(slug: str, name: str) -> None:
    figure = FIGURES[slug]
    datasets = figure.datasets(tables_of(slug, name))
    domain = datasets.pop("dom")
    for axis in ("x", "y"):
        lower, upper = domain[axis].min(), domain[axis].max()
        margin = 1e-9 * (upper - lower)
        assert lower < upper
        for name, rows in datasets.items():
            for column in {axis, f"{axis}2"} & set(rows.columns):
                assert rows.frame[column].between(lower - margin, upper + margin).all(), (name, column)


@walk_pairs
def test_captions_fit_one_line(slug: str, name: str) -> None:
    figure = FIGURES[slug]
    caption = figure.caption(tables_of(slug, name))
    assert 0 < len(caption) <= LONGEST_CAPTION
    assert caption.endswith(".")
    assert not re.search(r"nan|inf\b|None|\$|\\|-\d", caption)


@walk_pairs
def test_tables_have_rows_and_plain_headers(slug: str, name: str) -> None:
    figure = FIGURES[slug]
    table = figure.table(tables_of(slug, name))
    assert isinstance(table, pd.DataFrame)
    assert len(table) > 0
    assert not any(re.search(r"[$\\]", column) for column in table.columns)


@walk_pairs
def test_no_picture_is_without_words(slug: str, name: str) -> None:
    assert len(FIGURES[slug].datasets(tables_of(slug, name))["labels"]) > 0


@walk_scenarios
def test_verdict_has_three_clauses(scenario: Scenario) -> None:
    text = verdict(scenario)
    assert text.count(";") == 2
    assert text[0].isupper()
    assert text.endswith(".")
    assert not re.search(r"nan|inf\b|None", text)


@walk_scenarios
def test_metrics_are_written_numbers(scenario: Scenario) -> None:
    for metric in metrics(scenario):
        assert metric.label
        assert metric.unit
        assert re.fullmatch(r"(> )?[−–∞\d.×⁻⁰¹²³⁴⁵⁶⁷⁸⁹ to]+", metric.value), metric


@walk_figures
def test_templates_hold_no_data_and_no_markup(slug: str) -> None:
    for spec in map(FIGURES[slug].TEMPLATE.__getitem__, PALETTES):
        assert "datasets" not in spec
        assert all(set(layer["data"]) == {"name"} for layer in spec["layer"])
        assert not any(re.search(r"[$\\]", text) for text in _texts(spec["layer"]) if "vega" not in text)
        assert spec["width"] == spec["height"] == "container"
        assert spec["autosize"] == {"type": "fit", "contains": "padding"}
        assert "padding" in spec
        json.dumps(spec, allow_nan=False)


@walk_figures
def test_themes_differ_in_colour_alone(slug: str) -> None:
    def without_colours(spec: dict) -> str:
        return re.sub(r"#[0-9A-F]{6}", "#", json.dumps(spec))

    light, dark = (FIGURES[slug].TEMPLATE[theme] for theme in ("light", "dark"))
    assert light != dark
    assert without_colours(light) == without_colours(dark)


def test_moving_the_gate_leaves_the_token_panels_alone() -> None:
    scenario = EDGES["window"]
    moved = scenario.model_copy(update={"gate": scenario.gate.model_copy(update={"amplitude": 0.4})})
    for slug in ("sector-decay", "saturation-depth"):
        before, after = (FIGURES[slug].datasets(FIGURES[slug].compute(s)) for s in (scenario, moved))
        assert all(before[name].frame.equals(after[name].frame) for name in before)
    figure = FIGURES["gate-map"]
    before, after = (figure.datasets(figure.compute(s)) for s in (scenario, moved))
    assert {name for name in before if not before[name].frame.equals(after[name].frame)} == {"point"}
