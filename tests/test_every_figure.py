"""The command line draws every figure of every preset, and writes its table."""

import csv
from pathlib import Path

import pytest

from cli import main
from figures import FIGURES
from presets.load import preset_names

DRAWN = {"svg": b"<?xml", "pdf": b"%PDF-"}
"""Two formats that are drawn, with how such a file begins; they take turns over figures and presets."""

EVERY = [(name, slug) for name in preset_names() for slug in FIGURES]


@pytest.mark.parametrize(("name", "slug"), EVERY)
def test_every_figure_of_every_preset(name: str, slug: str, tmp_path: Path):
    turn = list(FIGURES).index(slug) + preset_names().index(name)
    kind = list(DRAWN)[turn % len(DRAWN)]
    drawing, table = tmp_path / f"drawing.{kind}", tmp_path / "table.csv"
    for output in (drawing, table):
        assert main(["figure", slug, name, "-o", str(output)]) == 0
    assert drawing.read_bytes().startswith(DRAWN[kind])
    rows = list(csv.reader(table.read_text(encoding="utf-8").splitlines()))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert "nan" not in {cell.lower() for row in rows for cell in row}
