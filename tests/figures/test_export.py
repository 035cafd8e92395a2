"""Files of a figure: the same bytes every time, fonts inside, settings inside, and lines that really run."""

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from fontTools.ttLib import TTFont
from PIL import Image
from pypdf import PdfReader
from pypdf.generic import StreamObject

from figures import FIGURES, PAGES, export_paper, export_table
from figures.export import MEDIA, answer, exported, file_name
from figures.export_font import CUTS, FOLDER
from figures.export_latex import latex
from figures.export_pdf import pdf
from figures.export_stamp import PROGRAM, SOURCE, stamp
from figures.export_svg import SVG, drawing
from figures.mark import Axes
from figures.rows import Rows
from figures.theme import themed
from presets.family import Explicit
from presets.load import Refused, parse, preset
from presets.schema import Scenario
from tests.figures.scenarios import EDGES

ROOT = Path(__file__).parents[2]
WIDTHS = {"single": 237.6, "double": 496.8}
"""Widths of a column, points."""

SCENARIOS = {"tied-saddle": preset("tied-saddle")} | {
    name: EDGES[name] for name in ("window", "one token per block", "no limit")
}

walk_figures = pytest.mark.parametrize("slug", FIGURES)
walk_explore = pytest.mark.parametrize("slug", PAGES["explore"])
walk_scenarios = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
walk_pairs = pytest.mark.parametrize(
    ("slug", "scenario"),
    [
        (slug, scenario)
        for slug in FIGURES
        for name, scenario in SCENARIOS.items()
        if slug in PAGES["explore"] or name == "tied-saddle"
    ],
)


def read_pdf(content: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(content), strict=True)


def fonts_of(page: Any) -> dict[str, bool]:
    """Name the fonts of a page, and say whether each is embedded."""
    found, waiting = {}, [page["/Resources"]]
    while waiting:
        resources = waiting.pop().get_object()
        for font in resources.get("/Font", {}).values():
            descendant = font.get_object()["/DescendantFonts"][0].get_object()
            found[font["/BaseFont"]] = "/FontFile2" in descendant["/FontDescriptor"]
        inner = [entry.get_object() for entry in resources.get("/XObject", {}).values()]
        waiting += [entry["/Resources"] for entry in inner if "/Resources" in entry]
    return found


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def run_python(code: str, folder: Path, seed: str = "0") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def assert_says(packet: str, scenario: Scenario) -> None:
    """Check the RDF inside a packet: version, settings and source."""
    root = ElementTree.fromstring(packet)
    found = {element.tag.partition("}")[2]: element.text or "" for element in root.iter()}
    assert parse(found["scenario"]) == scenario
    assert found["source"] == SOURCE
    assert found["CreatorTool"] == PROGRAM


@walk_figures
@pytest.mark.parametrize(("name", "width"), [("tied-saddle", "single"), ("window", "double")])
def test_pdf_has_its_size_its_words_its_fonts_and_its_settings(slug: str, name: str, width: str) -> None:
    scenario, figure = SCENARIOS[name], FIGURES[slug]
    reader = read_pdf(exported(slug, scenario, "pdf", width))
    page, tables = reader.pages[0], figure.compute(scenario)
    assert len(reader.pages) == 1
    assert float(page.mediabox.width) == pytest.approx(WIDTHS[width], abs=0.05)
    fonts = fonts_of(page)
    assert all(re.fullmatch(r"/[A-Z]{6}\+FSSans-(Regular|SemiBold)", name) for name in fonts), fonts
    assert fonts
    assert all(fonts.values())
    labels, said = figure.datasets(tables)["labels"], squeezed(page.extract_text())
    for text, minor in zip(labels["text"], labels["minor"], strict=True):
        assert minor or squeezed(text) in said, text
    assert not list(page.images)
    info, metadata = reader.metadata, reader.root_object["/Metadata"]
    assert isinstance(info, dict)
    assert isinstance(metadata, StreamObject)
    assert parse(str(info["/Scenario"])) == scenario
    assert (info["/Title"], info["/Subject"]) == (figure.QUESTION, figure.caption(tables))
    assert (info["/Creator"], info["/Source"]) == (PROGRAM, SOURCE)
    assert_says(metadata.get_data().decode(), scenario)


@walk_explore
def test_svg_stands_alone(slug: str) -> None:
    scenario = SCENARIOS["no limit"]
    content = exported(slug, scenario, "svg", "double")
    root = ElementTree.fromstring(content)
    assert root.get("width") == "6.9in"
    names = [value for element in root.iter() for key, value in element.attrib.items() if "href" in key]
    assert all(name.startswith("#") for name in names)
    assert re.findall(rb"url\((?!#|data:font/woff2)", content) == []
    assert not any(element.get("opacity") == "0" or element.get("class") for element in root.iter())
    letters = {letter for text in root.iter(f"{SVG}text") for letter in "".join(text.itertext())}
    assert 1 <= (root.findtext(f"{SVG}style") or "").count("@font-face") <= len(CUTS)
    for cut in CUTS.values():
        known = TTFont(FOLDER / f"FSSans-{cut}.woff2").getBestCmap() or {}
        assert not {letter for letter in letters if ord(letter) not in known}
    assert_says(content.decode(), scenario)


@walk_explore
def test_png_has_its_resolution_and_its_settings(slug: str) -> None:
    scenario = SCENARIOS["one token per block"]
    image = Image.open(io.BytesIO(exported(slug, scenario, "png", "single", 300)))
    assert image.width == 990
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    colours = np.asarray(image.convert("RGB"))
    assert (colours[[0, 0, -1, -1], [0, -1, 0, -1]] == 255).all()
    assert (colours == 255).all(axis=2).mean() < 0.99
    assert (image.info["Software"], image.info["Source"]) == (PROGRAM, SOURCE)
    assert_says(image.info["XML:com.adobe.xmp"], scenario)


def test_png_of_a_double_column_at_600_dpi() -> None:
    image = Image.open(io.BytesIO(exported("gate-map", SCENARIOS["tied-saddle"], "png", "double", 600)))
    assert image.width == 4140
    assert image.info["dpi"] == pytest.approx((600, 600), abs=0.1)


@walk_pairs
def test_csv_is_the_table(slug: str, scenario: Scenario) -> None:
    text = exported(slug, scenario, "csv").decode()
    table = FIGURES[slug].table(FIGURES[slug].compute(scenario))
    assert next(csv.reader(io.StringIO(text))) == list(table.columns)
    pd.testing.assert_frame_equal(
        pd.read_csv(io.StringIO(text), float_precision="round_trip"),
        table.reset_index(drop=True),
        check_dtype=False,
    )


@walk_scenarios
def test_json_is_the_scenario(scenario: Scenario) -> None:
    assert parse(exported("gate-map", scenario, "json").decode()) == scenario


@walk_pairs
def test_latex_is_plain_and_balanced(slug: str, scenario: Scenario) -> None:
    text = exported(slug, scenario, "tex").decode()
    assert text.isascii()
    bare = re.sub(r"\\[&%$#_{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    outside = "".join(re.split(r"\$[^$]*\$", bare))
    assert not re.search(r"[\^_&#%~<>|]", outside)
    assert f"Depth L: {scenario.depth} layers" in text
    assert SOURCE in text


def test_latex_escapes() -> None:
    assert latex("50% & r_f ≥ 1") == r"50\% \& $r_f$ $\ge$ 1"
    assert latex("κ_α, N_eff") == r"$\kappa_\alpha$, N\_eff"
    assert latex("3×10⁻³ {a}\\~^") == (
        r"3$\times$10$^{-3}$ \{a\}\textbackslash{}\textasciitilde{}\textasciicircum{}"
    )
    assert latex("Lᵣ ‖W‖₂") == r"L$_{r}$ $\|$W$\|_{2}$"


FILES = [(slug, "pdf") for slug in list(FIGURES)[::3]] + [("gate-map", kind) for kind in MEDIA]


def digests(files: list[tuple[str, str]]) -> dict[str, str]:
    scenario = preset("tied-saddle")
    return {
        f"{slug}.{kind}": hashlib.sha256(exported(slug, scenario, kind)).hexdigest() for slug, kind in files
    }


def test_bytes_depend_on_nothing_but_the_settings(tmp_path: Path) -> None:
    code = (
        "import json\n"
        "from tests.figures.test_export import FILES, digests\n"
        "print(json.dumps(digests(FILES[::-1])))"
    )
    done = run_python(code, tmp_path, seed="7")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == digests(FILES)


def _large() -> Scenario:
    family = Explicit(mixing=((0.1 / 3, 1 / 7), (0.0, -0.2)), value=((0.2, 0.0), (0.0, 0.3)))
    return SCENARIOS["tied-saddle"].model_copy(update={"family": family, "note": 'a "note" \\ with ′'})


@pytest.mark.parametrize("scenario", [SCENARIOS["window"], _large()], ids=["link", "matrices"])
def test_the_python_lines_run(scenario: Scenario, tmp_path: Path) -> None:
    slug = "saturation-depth"
    code = exported(slug, scenario, "py").decode()
    done = run_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(FIGURES[slug].caption(FIGURES[slug].compute(scenario)))
    assert (tmp_path / f"{slug}.pdf").read_bytes() == exported(slug, scenario, "pdf")


def test_a_gate_map_is_taken_home_over_what_it_was_drawn(tmp_path: Path) -> None:
    scenario, over = SCENARIOS["tied-saddle"], "family.multipliers.1"
    plain, chosen = exported("gate-map", scenario, "csv"), exported("gate-map", scenario, "csv", over=over)
    shown = FIGURES["gate-map"].compute(scenario, over)
    assert chosen.decode() == export_table.csv(FIGURES["gate-map"].table(shown))
    assert chosen != plain
    assert b"Over the multiplier b" in exported("gate-map", scenario, "svg", over=over)
    assert "gate-map-by-family-multipliers-1.pdf" in exported("gate-map", scenario, "tex", over=over).decode()
    done = run_python(exported("gate-map", scenario, "py", over=over).decode(), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(FIGURES["gate-map"].caption(shown))
    name = file_name("gate-map", "pdf", over=over)
    assert (tmp_path / name).read_bytes() == exported("gate-map", scenario, "pdf", over=over)
    assert name != file_name("gate-map", "pdf")


def test_a_caption_names_only_what_a_map_draws() -> None:
    shown = FIGURES["gate-map"].compute(SCENARIOS["tied-saddle"])
    assert answer("gate-map", shown).endswith("Dashed: the paper’s estimate. Darker strip: certified.")
    nothing = FIGURES["gate-map"].compute(preset("transformer-rms-swiglu"))
    assert answer("gate-map", nothing) == FIGURES["gate-map"].caption(nothing)


@pytest.mark.parametrize(("slug", "named"), [("gate-map", "family.multipliers.1"), ("sector-decay", "alone")])
def test_a_second_parameter_that_is_not_there_is_refused(slug: str, named: str) -> None:
    with pytest.raises(Refused, match=named):
        exported(slug, SCENARIOS["tied-saddle"], "svg", over="family.turn")


def test_settings_too_long_for_the_lines_are_opened_from_their_file() -> None:
    matrices = tuple(((layer / 7000, 1 / 7), (0.0, -0.2)) for layer in range(400))
    family = Explicit(mixing=matrices, value=matrices, repeat=True)
    scenario = SCENARIOS["tied-saddle"].model_copy(update={"family": family})
    code = exported("gate-map", scenario, "py").decode()
    assert 'Path("gate-map.json")' in code
    assert len(code) < 1000
    compile(code, "snippet", "exec")


SIGNS = "ϱ λ₁ ‖Φ‖ τ_sat Σ_dich ε ∂ ℓ ∞ ψ θ − 10⁻³ ⱼ ≤ ≥"


def test_signs_of_mathematics_are_found_in_the_file() -> None:
    for bold, cut in ((False, "Regular"), (True, "SemiBold")):
        reader = read_pdf(pdf(_words(SIGNS, bold=bold), stamp("", "", SCENARIOS["window"])))
        assert squeezed(reader.pages[0].extract_text()) == squeezed(SIGNS)
        assert [name.partition("-")[2] for name in fonts_of(reader.pages[0])] == [cut]


def _words(text: str, *, bold: bool) -> Any:
    """Draw one label and nothing else."""
    template = themed(lambda palette: Axes(None, None).labels(palette)[1:])["light"]
    columns = {"x": [0.5], "y": [0.5], "text": [text], "tone": ["ink"], "align": ["center"]}
    rows = Rows(**columns, dx=[0.0], dy=[0.0], bold=[bold], minor=[False])
    spec = export_paper.paper_spec(
        template, {"labels": rows, "dom": Rows(x=[0.0, 1.0], y=[0.0, 1.0])}, "single"
    )
    return drawing(spec, "single")


def test_only_the_pointer_s_layers_go() -> None:
    for figure in FIGURES.values():
        template = figure.TEMPLATE["light"]
        spec = export_paper.paper_spec(template, {}, "single")
        gone = {layer["data"]["name"] for layer in template["layer"]} - {
            layer["data"]["name"] for layer in spec["layer"]
        }
        assert gone <= {"hover"}
        assert "#FFC61A" not in json.dumps(spec)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("no-such-figure", "pdf"), "gate-map"),
        (("gate-map", "docx"), "pdf"),
        (("gate-map", "pdf", "triple"), "double"),
        (("gate-map", "png", "single", 5), "72"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(arguments: tuple[Any, ...], named: str) -> None:
    slug, kind, *rest = arguments
    with pytest.raises(Refused, match=named):
        exported(slug, SCENARIOS["tied-saddle"], kind, *rest)
