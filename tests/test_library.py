"""The explorer as a library: the notebook runs, and pages show what presets and engine compute."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from figures import FIGURES, on_demand
from figures.comparison import numbers
from figures.comparison_numbers import GROUPS
from figures.export_table import csv
from figures.verdict import metrics
from presets.link import read
from presets.report_schema import Report
from ui.picture import picture

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "library.ipynb"

ALONE = """
import json, math, sys
import engine.dichotomy
from presets import loop_quantities, quantities
from presets.link import read
from presets.report import report

scenario = read(json.loads(sys.argv[1])).scenario
stack, limit = quantities.layers(scenario), loop_quantities.boundary(scenario)
norms = quantities.fluctuation_norms(scenario)
numbers = {
    "report": report(scenario).model_dump(mode="json", by_alias=True),
    "radii": engine.dichotomy.layer_moduli(stack.to_depth(scenario.depth).factors).tolist(),
    "absolute": (norms.log_absolute / math.log(10)).tolist(),
    "limits": [limit.negative, limit.positive],
    "loaded": [name for name in ("streamlit", "altair", "figures", "ui") if name in sys.modules],
}
print(json.dumps(numbers))
"""
"""What a user of the library runs: nothing but presets and engine."""

TABLES = """
import json, sys
sys.modules["streamlit"] = None
from figures import FIGURES, on_demand
from figures.export import exported
from figures.export_table import csv
from figures.verdict import metrics
from presets.link import read

scenario = read(json.loads(sys.argv[1])).scenario
for demand in filter(None, map(on_demand, FIGURES)):
    demand.in_full(scenario)
tables = {slug: exported(slug, scenario, "csv").decode() for slug in FIGURES}
print(json.dumps({"tables": tables, "metrics": metrics(scenario)}))
"""
"""What a user without Streamlit runs to have the numbers of every figure."""


def same(shown: Any, alone: Any) -> None:
    np.testing.assert_allclose(shown, alone, rtol=0.0, atol=1e-12)


KEPT = f"""
from engine import device
device.keep_compiled({str(ROOT / ".jax-cache")!r})
"""
"""What keeps compiled code from one run to the next, as the command line and the pages do."""


def code_cells() -> list[dict[str, Any]]:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", KEPT + code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def columns(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


def test_the_notebook_runs_and_says_what_it_shows() -> None:
    marks = [f"\nprint('=== {number}')\n" for number in range(len(code_cells()))]
    sources = ["".join(cell["source"]) for cell in code_cells()]
    said = run("".join(source + mark for source, mark in zip(sources, marks, strict=True)))
    shown = [
        "".join(text for output in cell["outputs"] for text in output["text"]) + f"=== {number}\n"
        for number, cell in enumerate(code_cells())
    ]
    assert said == "".join(shown)


def test_the_notebook_names_no_streamlit_but_to_say_it_is_absent() -> None:
    lines = [line for cell in code_cells() for line in "".join(cell["source"]).splitlines()]
    assert [line for line in lines if "streamlit" in line] == ['assert "streamlit" not in sys.modules']


def test_pages_show_what_presets_and_engine_compute_alone() -> None:
    link = {"preset": "tied-saddle", "gate.amplitude": "0.2"}
    alone = json.loads(run(ALONE, json.dumps(link)))
    assert alone["loaded"] == []
    scenario, report = read(link).scenario, alone["report"]

    agreement = picture("saturation-depth", scenario).tables
    same(agreement.sizes["absolute"], alone["absolute"])
    same(agreement.rate, report["saturation"]["fluctuation_rate"])
    assert agreement.measured.depth == report["saturation"]["measured"]
    assert agreement.bound == report["saturation"]["paper_bound"]

    layers = picture("layer-radii", scenario).tables
    same(layers.radii, alone["radii"])
    intervals = report["spectrum"]["intervals"]
    same(layers.lower, [entry["lower"] for entry in intervals])
    same(layers.upper, [entry["upper"] for entry in intervals])

    limit = picture("gate-map", scenario).tables.limit
    same([limit.negative, limit.positive], alone["limits"])
    best = picture("gate-ladder", scenario).tables.best
    same(best.value, report["gate"]["best_certificate"]["value"])
    assert metrics(scenario)[0].value == str(report["saturation"]["measured"])

    tabulated = [line for lines in numbers([scenario]).values() for line in lines]
    known = [entry for group in GROUPS.values() for entry in group]
    for line, quantity in zip(tabulated, known, strict=True):
        value = quantity.read(Report.model_validate(report))
        if isinstance(value, int | float):
            assert line.cells[0].text == quantity.write(value), line.label


@pytest.mark.parametrize("name", ["looped-loop", "transformer-layer-gelu"])
def test_every_number_of_every_figure_is_had_without_streamlit(name: str) -> None:
    link = {"preset": name, "gate.amplitude": "0.07"}
    alone = json.loads(run(TABLES, json.dumps(link)))
    scenario = read(link).scenario
    assert [list(metric) for metric in metrics(scenario)] == alone["metrics"]
    for slug, figure in FIGURES.items():
        if (demand := on_demand(slug)) is not None:
            demand.in_full(scenario)
        shown = columns(csv(figure.table(picture(slug, scenario).tables)))
        pd.testing.assert_frame_equal(
            shown, columns(alone["tables"][slug]), rtol=1e-12, atol=1e-12, obj=f"table of {slug}"
        )
