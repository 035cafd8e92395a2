"""What leaves the builder: a look at the board, its files, and the file that repeats it."""

import logging
from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from figures import FIGURES
from figures.board_layout import letter
from presets import board
from presets.board import Board, Layout
from presets.load import Refused
from presets.schema import Scenario
from ui.follow import follows
from ui.session import open_board, refuse, session

FILES = (
    ("PDF", "pdf", 300),
    ("SVG", "svg", 300),
    ("PNG, 300 dpi", "png", 300),
    ("PNG, 600 dpi", "png", 600),
    ("Board (JSON)", "json", 300),
)
"""Label, format and dots per inch of every file."""

DRAWN = "board-drawn"
"""Where the last drawing waits: the board, its SVG and its caption."""

WANTED = "board-wanted"
"""Whether a drawing was asked for and is still to come."""

REPEAT = ".venv/bin/python cli.py board board.json --out board.pdf"


def draw() -> None:
    """Draw the button that draws, the picture, the files, and the place to open a board."""
    st.button("Draw it", key="draw-board", icon=":material/visibility:", type="primary", on_click=_ask)
    if st.session_state.pop(WANTED, False):
        _keep_drawing(_board(session().scenario))
    follows(_sheet, st.container(key="sheet").html)
    with st.container(key="board-files", horizontal=True, gap="small"):
        places = [st.container(key=f"board-file-{kind}-{dots}") for _, kind, dots in FILES]
    follows(_board, partial(_files, places))
    with st.container(key="board-texts"):
        st.html('<p class="copy">Caption</p>')
        follows(_caption, partial(st.container().code, language=None, wrap_lines=True))
        st.html('<p class="copy">Repeat it on the command line</p>')
        st.code(REPEAT, language=None, wrap_lines=True)
    with st.container(key="board-opening"):
        st.file_uploader("Open a board (.json)", type=["json"], key="board-opened", on_change=_open)


def _ask() -> None:
    st.session_state[WANTED] = True


def _board(scenario: Scenario) -> Board:
    arranged = session().view.board
    return Board(
        width=arranged.width,
        columns=arranged.columns,
        map=session().view.map,
        panels=arranged.panels,
        scenarios=(scenario, *session().view.others),
    )


def _keep_drawing(wanted: Board) -> None:
    from figures.board import caption, exported  # what draws is loaded only to draw

    try:
        with st.spinner("Drawing …"):
            st.session_state[DRAWN] = (wanted, exported(wanted, "svg"), caption(wanted))
    except Exception:
        logging.getLogger(__name__).exception("the board could not be drawn")
        refuse(Refused.one("board", "this arrangement", "has a figure that could not be computed"))


def _sheet(scenario: Scenario) -> str:
    """Show the board as drawn; as long as it is not, its outline."""
    wanted, (drawn, svg, said) = _board(scenario), st.session_state.get(DRAWN, (None, b"", ""))
    if drawn != wanted:
        return _outline(wanted)
    picture = f"data:image/svg+xml;base64,{b64encode(svg).decode()}"
    return f'<img class="sheet {wanted.width}" alt="{escape(said)}" src="{picture}">'


def _outline(layout: Layout) -> str:
    boxes = "".join(
        f"<div><b>{letter(place)}</b> {escape(FIGURES[panel.figure].QUESTION)}</div>"
        for place, panel in enumerate(layout.panels)
    )
    columns = min(layout.columns, len(layout.panels))
    return f'<div class="sheet {layout.width} outline columns-{columns}">{boxes}</div>'


def _caption(scenario: Scenario) -> str:
    drawn, _, said = st.session_state.get(DRAWN, (None, b"", ""))
    return said if drawn == _board(scenario) else "The caption is written when the board is drawn."


def _files(places: Sequence[DeltaGenerator], wanted: Board) -> None:
    """Offer every file, each in a container of its own.

    Streamlit names what a button will fetch by the button's place on the page, and gives all that a short run
    writes into one container the same place: only the last file could be fetched.
    """
    from figures.board import exported, file_name, media  # what draws is loaded only to draw

    for place, (label, kind, dots) in zip(places, FILES, strict=True):
        place.download_button(
            label,
            partial(exported, wanted, kind, dots),
            file_name(wanted, kind, dots),
            media(kind),
            key=f"board-{kind}-{dots}",
            on_click="ignore",
        )


def _open() -> None:
    file = st.session_state["board-opened"]
    if file is None:
        return
    try:
        open_board(*board.read(file.getvalue().decode()))
    except UnicodeDecodeError:
        refuse(Refused.one("board", file.name[:60], "is not UTF-8 text"))
    except Refused as error:
        refuse(error)
