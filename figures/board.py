"""Draw a board: panels of any figures in a grid with their letters, as one file."""

import json
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from figures import FIGURES, export_pdf, export_png, export_svg, further
from figures.board_layout import check, letter
from figures.choice import check_choice
from figures.comparison import name
from figures.export import MEDIA, answer, check_resolution, title
from figures.export_paper import POINT, WIDTHS, pixels, sized_spec, stem
from figures.export_stamp import Stamp, short
from figures.export_svg import SVG, Drawing, sized_drawing
from figures.theme import FONT, PALETTES
from presets import board as file
from presets import map_axis
from presets.board import Board, Layout, Panel

KINDS = ("svg", "pdf", "png", "json")
"""Formats of a board, of those in `figures.export.MEDIA`."""

GAP = 0.15
"""Room between panels, inches."""

STRIP = 0.17
"""Room above a panel for its letter, inches."""

LETTER_POINTS = 8.6
PROPORTION = 0.64
"""Height of a panel for its width, as in a single column."""

TALLEST = 2.8


def exported(board: Board, kind: str, resolution: int = 300) -> bytes:
    """Write a board as one file; equal arguments give equal bytes.

    **Arguments:**

    - `board`: the panels, their arrangement and their scenarios.
    - `kind`: `svg`, `pdf`, `png` or `json` (the board's own file, which repeats it).
    - `resolution`: dots per inch of a PNG.

    **Returns:** the file's content.

    **Raises:** `Refused` for a figure, format or resolution that does not exist.
    """
    check_choice("format", kind, KINDS)
    check_resolution(resolution)
    check(board)
    if kind == "json":
        return file.write(board).encode()
    drawing, said = _drawing(board), _stamp(board)
    if kind == "png":
        return export_png.png(drawing, said, resolution)
    return export_svg.svg(drawing, said) if kind == "svg" else export_pdf.pdf(drawing, said)


def file_name(board: Layout, kind: str, resolution: int = 300) -> str:
    """Name the file that `exported` writes with the same arguments."""
    base = "board" if kind == "json" else stem("board", board.width)
    return f"{base}-{resolution}dpi.png" if kind == "png" else f"{base}.{kind}"


def caption(board: Board) -> str:
    """Write the caption of the whole: every panel's question and answer behind its letter."""
    return " ".join(
        f"{letter(place)} {_question(board, panel)} {_answer(board, panel)}"
        for place, panel in enumerate(board.panels)
    )


def media(kind: str) -> str:
    """Return the media type of a format."""
    return MEDIA[kind]


def _question(board: Board, panel: Panel) -> str:
    return title(panel.figure, board.scenarios[panel.scenario], _over(board, panel))


def _answer(board: Board, panel: Panel) -> str:
    scenario = board.scenarios[panel.scenario]
    said = answer(panel.figure, _tables(board, panel))
    return said if len(board.scenarios) == 1 else f"{name(scenario)}: {said}"


def _stamp(board: Board) -> Stamp:
    asked = " ".join(f"{letter(place)} {_question(board, panel)}" for place, panel in enumerate(board.panels))
    packed = json.dumps(file.content(board), ensure_ascii=False, separators=(",", ":"))
    return Stamp(asked, caption(board), short(packed, file.write(board)))


def _drawing(board: Board) -> Drawing:
    """Draw every panel as wide as its place, and put them into the grid row by row."""
    columns = min(board.columns, len(board.panels))
    across = (WIDTHS[board.width] - GAP * (columns - 1)) / columns
    panels = [_panel(board, panel, across, f"p{place}-") for place, panel in enumerate(board.panels)]
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    root = Element(f"{SVG}svg", {"version": "1.1"})
    ground = SubElement(root, f"{SVG}rect", {"fill": PALETTES["light"].ground})
    top, place = 0.0, 0
    for row in rows:
        for column, panel in enumerate(row):
            _put(root, panel, letter(place), column * (across + GAP), top)
            place += 1
        top += STRIP + max(panel.height for panel in row) + GAP
    width, height = pixels(WIDTHS[board.width]), pixels(top - GAP)
    ground.attrib |= {"width": str(width), "height": str(height)}
    root.set("viewBox", f"0 0 {width} {height}")
    return Drawing(root, WIDTHS[board.width], WIDTHS[board.width] * height / width)


def _panel(board: Board, panel: Panel, across: float, prefix: str) -> Drawing:
    figure = FIGURES[panel.figure]
    data = figure.datasets(_tables(board, panel))
    down = min(PROPORTION * across, TALLEST)
    return sized_drawing(sized_spec(figure.TEMPLATE["light"], data, across, down), across, prefix)


def _tables(board: Board, panel: Panel) -> Any:
    """Compute a panel; a gate map over what its scenario does not have is drawn over the angle."""
    scenario = board.scenarios[panel.scenario]
    return FIGURES[panel.figure].compute(scenario, *further(panel.figure, _over(board, panel)))


def _over(board: Board, panel: Panel) -> str:
    return map_axis.axis_of(board.scenarios[panel.scenario], board.map).name


def _put(root: Element, panel: Drawing, tag: str, left: float, top: float) -> None:
    """Put a panel at its place, its letter in the strip above it."""
    words = {"font-family": FONT, "font-weight": "600", "font-size": f"{LETTER_POINTS / POINT:.1f}px"}
    place = {"x": f"{pixels(left)}", "y": f"{pixels(top + 0.75 * STRIP)}"}
    SubElement(root, f"{SVG}text", place | words | {"fill": PALETTES["light"].ink}).text = tag
    shift = f"translate({pixels(left)},{pixels(top + STRIP)})"
    SubElement(root, f"{SVG}g", {"transform": shift}).extend(list(panel.root))
