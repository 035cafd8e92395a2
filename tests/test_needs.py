"""What people met in the nearest tools, by the numbers of the list of needs, where no other test names them.

Also: N01, N02 and N13 in `tests/browser`, N77 in `tests/browser/test_walk.py` and `tests/ui/test_shell.py`.
"""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from figures import FIGURES
from figures.badge import badge
from presets import link, quantities
from presets.load import DEFAULT, preset, preset_names, validate
from presets.schema import Scenario
from ui import words

ROOT = Path(__file__).parents[1]
MULTIPLIERS_ARE_DRAWN = (
    "dichotomy-spectrum",
    "layer-radii",
    "running-estimate",
    "multipliers",
)


def explicit(layer: list[list[float]]) -> Scenario:
    mixing = (np.array(layer) - np.eye(len(layer))).tolist()
    zeros = np.zeros_like(np.array(layer)).tolist()
    return validate({"depth": 12, "family": {"kind": "explicit", "mixing": mixing, "value": zeros}})


@pytest.mark.parametrize("tolerance", ["3e-4", "0.0003", "1e-4", "1", "0.15000000000000002"])
def test_n04_a_small_value_survives_the_link_exactly(tolerance: str) -> None:
    read = link.read({"preset": DEFAULT, "tolerance": tolerance})
    assert read.refused == []
    assert read.scenario.tolerance == float(tolerance)
    again = link.read(link.write(read.scenario, DEFAULT))
    assert again.scenario == read.scenario


def test_n04_a_small_value_reads_well() -> None:
    assert words.typed(3e-4) == "3e-4"


@pytest.mark.parametrize(("slug", "dataset"), [("layer-radii", "bands"), ("dichotomy-spectrum", "open_bars")])
def test_n21_a_zero_leaves_the_rest_where_it_was_and_is_said(slug: str, dataset: str) -> None:
    figure = FIGURES[slug]
    drawn = figure.datasets(figure.compute(explicit([[1.5, 0, 0], [0, 0, 0], [0, 0, 0.5]])))
    axis = "y" if slug == "layer-radii" else "x"
    centres = (drawn[dataset][axis] + drawn[dataset][f"{axis}2"]) / 2
    assert centres[:2] == pytest.approx(np.log2([1.5, 0.5]))
    assert any(re.fullmatch(r"(◂ )?0", text) for text in drawn["labels"]["text"])


def test_n30_what_the_readme_starts_is_there_and_runs() -> None:
    fenced = re.findall(r"```\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    lines = [line.split("#")[0].strip() for block in fenced for line in block.splitlines()]
    assert lines[:2] == ["script/server", "script/test"]
    for line in lines:
        program = line.split()[0]
        assert (ROOT / program).stat().st_mode & 0o100, line
    shown = [line for line in lines if line.endswith(("cli.py presets", "cli.py figures"))]
    assert len(shown) == 2
    for line in shown:
        assert subprocess.run(line.split(), cwd=ROOT, capture_output=True, check=True).stdout


@pytest.mark.parametrize("name", ["turning-saddle", "window-too-short", "transformer-rms-swiglu"])
def test_n49_a_running_estimate_says_whether_it_settled(name: str) -> None:
    figure = FIGURES["running-estimate"]
    caption = figure.caption(figure.compute(preset(name)))
    assert re.search(r"[Ss]ettled|[Nn]ot settled|too short", caption), caption


@pytest.mark.parametrize("slug", MULTIPLIERS_ARE_DRAWN)
def test_n55_multipliers_are_per_layer_and_the_circle_is_drawn(slug: str) -> None:
    figure = FIGURES[slug]
    spec = str(figure.TEMPLATE["light"])
    labels = " ".join(figure.datasets(figure.compute(preset("tied-saddle")))["labels"]["text"])
    assert "per layer" in spec
    assert "unit circle" in spec + labels or {"decays", "grows"} <= set(re.findall(r"\w+", labels))


@pytest.mark.parametrize(
    ("layer", "radius"), [([[0.9, 0.9], [0.9, 0.9]], 1.8), ([[0.5, 5.0], [0.0, 0.5]], 0.5), ([[-2.0]], 2.0)]
)
def test_n57_the_spectral_radius_is_no_entry(layer: list[list[float]], radius: float) -> None:
    assert quantities.radii(explicit(layer))[:, 0] == pytest.approx(radius, rel=1e-7)


@pytest.mark.parametrize("name", preset_names())
def test_n79_every_figure_says_where_its_layers_come_from(name: str) -> None:
    for figure in FIGURES.values():
        said = badge(preset(name), figure)
        assert said.word in ("toy", "linearised", "real block", "demo block")
        assert said.meaning.endswith(".")
