"""The command line: reports that keep the contract, and one line for every bad input."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from figures import FIGURES
from figures.export import exported
from presets.load import parse, preset_names

ROOT = Path(__file__).parent.parent

REPORT_KEYS = {
    *("version", "device", "precision", "scenario", "spectrum", "finite_time_growth"),
    *("dichotomy", "saturation", "gate", "trajectory", "duality", "assumptions"),
}


def cli(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "cli.py"), *arguments]
    environment = {**os.environ, "PYTHONWARNINGS": "error::RuntimeWarning"}
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, env=environment)


def report_of(content: dict[str, Any] | str) -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content)
    done = cli("report", "-", text=text)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} in the report"))


def test_presets_lists_the_slugs():
    assert cli("presets").stdout.split() == list(preset_names())


def test_schema_prints_both_schemas():
    schemas = json.loads(cli("schema").stdout)
    assert "amplitude" in json.dumps(schemas["scenario"])
    assert set(schemas["report"]["properties"]) == REPORT_KEYS


def test_the_default_scenario_is_reported_from_a_file(tmp_path: Path):
    (tmp_path / "scenario.json").write_text("{}")
    done = cli("report", str(tmp_path / "scenario.json"))
    report = json.loads(done.stdout)
    assert set(report) == REPORT_KEYS
    assert report["precision"] == "float64"
    assert report["scenario"]["depth"] == 64
    assert report["spectrum"]["resolution"] == 16


def test_a_tied_saddle_is_exact():
    family = {"kind": "tied", "multipliers": [0.5, 1.5], "value": [0.3, 1.2], "shear": 3.0}
    swap = {"kind": "linear", "matrix": [[0, 1], [1, 0]]}
    report = report_of({"family": family, "gate": {"amplitude": 0.05, "injection": swap}})
    assert report["spectrum"]["method"] == "exact-tied"
    assert [entry["lower"] for entry in report["spectrum"]["intervals"]] == pytest.approx(
        [1.5, 0.5], abs=1e-12
    )
    boundary = report["gate"]["boundary"]
    assert boundary["status"] == "complete"
    assert boundary["negative"] == {
        "value": pytest.approx(-0.0857864376269049512, abs=1e-10),
        "crossing": "+1",
    }
    assert boundary["positive"] == {"value": pytest.approx(0.949489742783178098, abs=1e-10), "crossing": "-1"}
    assert report["gate"]["inside"] == "certified"
    assert report["gate"]["radius_bound"] == pytest.approx(0.0811388, abs=1e-6)
    assert report["gate"]["margins"]["gain_down"] == 0
    assert report["gate"]["margins"]["gain_up"] == pytest.approx(0.949489742783178098 / 0.05, abs=1e-8)


def test_infinities_are_words():
    report = report_of(
        {"family": {"kind": "tied", "multipliers": [0.5], "value": [0.2]}, "gate": {"refresh_period": None}}
    )
    assert report["gate"]["boundary"]["status"] == "not-a-loop"
    assert report["gate"]["boundary"]["negative"]["value"] == "-inf"
    assert report["gate"]["boundary"]["positive"]["value"] == "inf"
    assert report["spectrum"]["gap"] == [0.5, "inf"]


@pytest.mark.parametrize(
    ("arguments", "text", "named"),
    [
        (("report", "-"), "{", "JSON"),
        (("report", "-"), "", "JSON"),
        (("report", "-"), '{"depth": 0}', "depth"),
        (("report", "-"), '{"depth": NaN}', "JSON"),
        (("report", "-"), '{"gate": {"amplitude": "big"}}', "gate.amplitude"),
        (("report", "-"), '{"family": {"kind": "checkpoint"}}', "family.kind"),
        (("report", "-"), '{"nope": 1}', "nope"),
        (("report", "no-such-file.json"), "", "no-such-file.json"),
        (("report", "."), "", "cannot be read"),
        (("report",), "", "FILE"),
        (("figure", "gate-map", "tied-saddle"), "", "--output"),
        (("figure", "no-such-figure", "tied-saddle", "-o", "x.pdf"), "", "gate-map"),
        (("figure", "gate-map", "tied-saddle", "-o", "x.docx"), "", "svg, pdf"),
        (("figure", "gate-map", "tied-saddle", "-o", "x.png", "--dpi", "9"), "", "72"),
        (("figure", "gate-map", "tied-saddle", "-o", "x.png", "--width", "wide"), "", "double"),
        (("figure", "gate-map", "tied-saddle", "-o", "no/such/folder/x.csv"), "", "cannot be written"),
        (("figure", "gate-map", "tied-saddle", "-o", "x.svg", "--over", "family.turn"), "", "gain"),
        (("figure", "sector-decay", "tied-saddle", "-o", "x.svg", "--over", "gain"), "", "gate-map"),
        (("figure", "gate-map", "-", "-o", "x.csv"), '{"depth": 0}', "depth"),
        (("board", "-", "-o", "x.pdf"), "{}", "board"),
        (("board", "no-such-board.json", "-o", "x.pdf"), "", "no-such-board.json"),
        (("dance",), "", "dance"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: tuple[str, ...], text: str, named: str):
    done = cli(*arguments, text=text)
    assert done.returncode == 2
    assert done.stdout == ""
    assert named in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_figures_lists_the_slugs():
    assert cli("figures").stdout.split() == list(FIGURES)


def test_a_figure_is_drawn_from_standard_input(tmp_path: Path):
    done = cli("figure", "gate-map", "-", "-o", str(tmp_path / "map.PDF"), "--width", "double", text="{}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "map.PDF").read_bytes() == exported("gate-map", parse("{}"), "pdf", "double")


def test_refusals_are_exactly_one_line():
    done = cli("report", "-", text='{"depth": 0, "blocks": 99}')
    assert len(done.stderr.strip().splitlines()) == 1
    assert "depth" in done.stderr
    assert "blocks" in done.stderr
