"""What every figure gives to take home: sizes for print, settings that say what made them, and large maps."""

import csv
import io
import json

import altair as alt
import numpy as np
import pandas as pd
import pytest
from PIL import Image
from pypdf import PdfReader

from engine.device import PRECISION
from figures import FIGURES, export_pdf, export_png, export_svg, export_table
from figures.export import MEDIA, RESOLUTIONS, exported
from figures.export_paper import paper_spec
from figures.export_stamp import stamp
from figures.mark import Axes, named
from figures.rows import Rows
from figures.theme import themed
from presets.load import dump, parse, preset
from presets.version import VERSION

SCENARIO = preset("tied-saddle").model_copy(update={"depth": 16, "seed": 7})

SIDE = 101
"""Cells along each side of the large map: 10,201 rows, more than Altair takes by itself."""


def test_every_format_of_the_requirements_is_offered() -> None:
    assert {"svg", "pdf", "png", "csv", "json"} <= set(MEDIA)
    assert min(RESOLUTIONS) >= 300


@pytest.mark.parametrize("slug", list(FIGURES)[4::6])
def test_a_png_of_any_page_is_as_wide_as_print_needs(slug: str) -> None:
    image = Image.open(io.BytesIO(exported(slug, SCENARIO, "png")))
    assert image.width >= 990
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_settings_name_version_precision_and_every_parameter() -> None:
    text = exported("gate-map", SCENARIO, "json").decode()
    content = json.loads(text)
    assert content.pop("made_with") == {"version": VERSION, "precision": PRECISION}
    assert content == dump(SCENARIO)
    assert content["seed"] == 7
    assert parse(text) == SCENARIO, "what made a file is passed over when the file is read"


def test_figure_files_name_version_and_precision_too() -> None:
    content = exported("gate-map", SCENARIO, "svg").decode()
    assert f"version>{VERSION}</" in content
    assert f"precision>{PRECISION}</" in content


def test_a_map_of_ten_thousand_cells_is_written_in_every_format() -> None:
    across, up = np.meshgrid(np.linspace(-1, 1, SIDE), np.linspace(0, 90, SIDE))
    cells = Rows(
        x=across.ravel(),
        y=up.ravel(),
        x2=across.ravel() + 0.02,
        y2=up.ravel() + 0.9,
        tone=np.where(across.ravel() < 0.3, "kept_fill", "changed_fill").astype(object),
    )
    domain = Rows(x=[-1.0, 1.02], y=[0.0, 90.9])

    def layers(palette: object) -> list[alt.Chart]:
        axes = Axes(alt.Axis(title="gate amplitude ϱ"), alt.Axis(title="angle θ"))
        box = {"x": axes.x, "x2": alt.X2("x2"), "y": axes.y, "y2": alt.Y2("y2")}
        return [axes.domain(), named("cells").mark_rect().encode(**box, color="tone:N")]

    spec = paper_spec(themed(layers)["light"], {"cells": cells, "dom": domain}, "single")
    assert len(spec["datasets"]["cells"]) == SIDE**2
    drawing, said = export_svg.drawing(spec, "single"), stamp("A map", "Large.", SCENARIO)
    assert export_svg.svg(drawing, said).count(b"<path") >= SIDE**2
    assert len(PdfReader(io.BytesIO(export_pdf.pdf(drawing, said))).pages) == 1
    assert Image.open(io.BytesIO(export_png.png(drawing, said, 300))).width == 990
    rows = list(csv.reader(io.StringIO(export_table.csv(pd.DataFrame(cells.columns)))))
    assert len(rows) == SIDE**2 + 1
