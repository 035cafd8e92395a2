"""Boards: one file of several panels, with fonts and settings inside, and a file that repeats it."""

import hashlib
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont
from PIL import Image

from cli import main
from figures import FIGURES
from figures.board import KINDS, caption, exported, file_name
from figures.board_layout import check
from figures.export_font import CUTS, FOLDER
from figures.export_svg import SVG
from presets import board
from presets.board import Board, Panel
from presets.load import Refused, preset
from presets.map_axis import axes
from tests.figures.test_export import fonts_of, read_pdf, run_python, squeezed

SADDLE, LOOP = preset("tied-saddle"), preset("looped-loop")
PANELS = (
    Panel(figure="saturation-depth"),
    Panel(figure="dichotomy-spectrum"),
    Panel(figure="gate-map"),
    Panel(figure="saturation-depth", scenario=1),
    Panel(figure="gate-ladder", scenario=1),
)


def of(width: str = "double", columns: int = 2, panels: tuple[Panel, ...] = PANELS) -> Board:
    return Board.model_validate(
        {"width": width, "columns": columns, "panels": panels, "scenarios": (SADDLE, LOOP)}
    )


@pytest.mark.parametrize(("width", "columns", "points"), [("double", 2, 496.8), ("single", 1, 237.6)])
def test_a_pdf_has_its_width_its_letters_its_fonts_and_its_settings(
    width: str, columns: int, points: float
) -> None:
    wanted = of(width, columns, PANELS[:3])
    reader = read_pdf(exported(wanted, "pdf"))
    page = reader.pages[0]
    assert len(reader.pages) == 1
    assert float(page.mediabox.width) == pytest.approx(points, abs=0.05)
    said = squeezed(page.extract_text())
    assert [tag for tag in ("(a)", "(b)", "(c)", "(d)") if tag in said] == ["(a)", "(b)", "(c)"]
    fonts = fonts_of(page)
    assert {name.partition("+")[2] for name in fonts} == {"FSSans-Regular", "FSSans-SemiBold"}
    assert all(fonts.values())
    assert not list(page.images)
    info = reader.metadata
    assert info is not None
    assert board.read(str(info["/Scenario"])).board == wanted
    assert str(info["/Title"]).startswith("(a) When do tokens in a block agree? (b)")


def test_an_svg_stands_alone_and_its_names_do_not_collide() -> None:
    wanted = of(panels=(PANELS[0], PANELS[3], PANELS[2]))
    content = exported(wanted, "svg")
    root = ElementTree.fromstring(content)
    assert root.get("width") == "6.9in"
    names = re.findall(rb' id="([^"]+)"', content)
    assert len(set(names)) == len(names)
    used = set(re.findall(rb"url\(#([^)]+)\)", content)) | set(re.findall(rb'href="#([^"]+)"', content))
    assert used <= set(names)
    assert re.findall(rb"url\((?!#|data:font/woff2)", content) == []
    letters = {sign for text in root.iter(f"{SVG}text") for sign in "".join(text.itertext())}
    assert (root.findtext(f"{SVG}style") or "").count("@font-face") == len(CUTS)
    for cut in CUTS.values():
        known = TTFont(FOLDER / f"FSSans-{cut}.woff2").getBestCmap() or {}
        assert not {sign for sign in letters if ord(sign) not in known}
    packet = next(element.text for element in root.iter() if element.tag.endswith("}scenario"))
    assert board.read(packet or "").board == wanted


def test_a_png_has_its_resolution() -> None:
    image = Image.open(io.BytesIO(exported(of(columns=3, panels=PANELS[:3]), "png", 300)))
    assert image.width == 2070
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_the_file_repeats_the_board_here_and_on_the_command_line(tmp_path: Path) -> None:
    wanted = of(panels=PANELS[2:4])
    content = exported(wanted, "json")
    assert board.read(content.decode()) == (wanted, [])
    assert json.loads(content)["board"] == board.FORMAT
    (tmp_path / "board.json").write_bytes(content)
    assert set(KINDS) == {"svg", "pdf", "png", "json"}
    for kind in ("pdf", "json"):
        output = tmp_path / f"again.{kind}"
        assert main(["board", str(tmp_path / "board.json"), "--out", str(output)]) == 0
        assert output.read_bytes() == exported(wanted, kind)


def test_gate_maps_of_a_board_are_drawn_over_its_parameter_where_a_scenario_has_it() -> None:
    figure, over = FIGURES["gate-map"], "family.multipliers.1"
    assert over in axes(SADDLE)
    assert over not in axes(LOOP)
    panels = (Panel(figure="gate-map"), Panel(figure="gate-map", scenario=1))
    wanted = Board(map=over, columns=2, panels=panels, scenarios=(SADDLE, LOOP))
    said = caption(wanted)
    assert figure.caption(figure.compute(SADDLE, over)) in said
    assert figure.caption(figure.compute(LOOP)) in said
    assert board.read(board.write(wanted)).board == wanted


def digest(kind: str) -> str:
    return hashlib.sha256(exported(of(panels=PANELS[:2]), kind)).hexdigest()


def test_bytes_depend_on_nothing_but_the_settings(tmp_path: Path) -> None:
    code = "from tests.figures.test_board import digest\nprint(digest('pdf'), digest('svg'))"
    done = run_python(code, tmp_path, seed="7")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [digest("pdf"), digest("svg")]


def test_the_caption_answers_every_panel() -> None:
    said = caption(of())
    for place, panel in enumerate(PANELS):
        assert f"({'abcde'[place]}) {FIGURES[panel.figure].QUESTION}" in said
    assert "Looped" in said
    alone = Board(panels=PANELS[:1], scenarios=(SADDLE,))
    figure = FIGURES["saturation-depth"]
    assert caption(alone) == f"(a) {figure.QUESTION} {figure.caption(figure.compute(SADDLE))}"


def test_files_have_their_own_names() -> None:
    names = {file_name(of(width, 1), kind, dots) for width in ("single", "double") for kind, dots in FILES}
    assert names == {
        *("board.pdf", "board-double.pdf", "board.json"),
        *("board-300dpi.png", "board-double-300dpi.png", "board-600dpi.png", "board-double-600dpi.png"),
    }


FILES = (("pdf", 300), ("png", 300), ("png", 600), ("json", 300))


def test_a_layout_travels_in_a_link() -> None:
    layout = board.layout(
        {"width": "double", "columns": 3, "panels": [panel.model_dump() for panel in PANELS]}
    )
    text = board.layout_text(layout)
    assert text == ("double,3,saturation-depth,dichotomy-spectrum,gate-map,saturation-depth.1,gate-ladder.1")
    assert board.read_layout(text) == layout


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("wide,2,gate-map", "width"),
        ("double,many,gate-map", "columns"),
        ("single,2,gate-map", "columns"),
        ("double,2", "number of columns"),
        ("double,2," + ",".join(["gate-map"] * 9), "panels"),
        ("double,2,gate-map.9", "panels.0.scenario"),
        ("double,2,no-such-figure", "figure"),
    ],
)
def test_a_layout_that_does_not_work_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(Refused, match=named):
        check(board.read_layout(text))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"board": 2}, "format"),
        ({"board": "x"}, "format"),
        ({"panels": [{"figure": "gate-map", "scenario": 2}]}, "panels.scenario"),
        ({"panels": []}, "panels"),
        ({"scenarios": []}, "scenarios"),
        ({"scenarios": [{"depth": 0}]}, "depth"),
        ({"scenarios": [{"schema": 9}]}, "newer version"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_file_that_is_no_board_is_refused_by_name(change: dict, named: str) -> None:
    content = {**json.loads(board.write(of())), **change}
    with pytest.raises(Refused, match=named):
        board.read(json.dumps(content))
    for text in ("{", "[]", "{}"):
        with pytest.raises(Refused, match="board"):
            board.read(text)
