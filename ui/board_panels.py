"""The builder's controls: which panels stand in the board, in which order, and how they are arranged."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from figures import FIGURES, MAP
from figures.board_layout import letter
from figures.comparison import LETTERS, name
from presets import board
from presets.board import MOST_COLUMNS, MOST_PANELS, Layout
from presets.load import Refused
from ui import header, map_view
from ui.compare_figures import words
from ui.follow import follows
from ui.keys import changed, keyed
from ui.session import look, refuse, session
from ui.take_home import WIDTHS

TITLE = "A figure of several panels, as one file."


def headline() -> None:
    """Draw the title and what was refused."""
    title = f'<h1 class="verdict">{TITLE}</h1>'
    follows(lambda _: header.boxed(title, header.remarks()), st.empty().html)


def draw() -> None:
    """Draw the width, the number of columns, and one row of controls for each panel."""
    layout = session().view.board
    with st.container(key="board", horizontal=True, gap="medium"):
        _segments("Drawn for print, on white", "board.width", list(WIDTHS), layout.width, WIDTHS.get)
        abreast = list(range(1, MOST_COLUMNS[layout.width] + 1))
        _segments("Panels abreast", "board.columns", abreast, layout.columns, str)
        if any(panel.figure == MAP for panel in layout.panels):
            map_view.menu(labelled=True)
    with st.container(key="board-panels", gap=None):
        for place in range(len(layout.panels)):
            _row(layout, place)
    if len(layout.panels) < MOST_PANELS:
        st.button("Add a panel", key="add-panel", icon=":material/add:", type="tertiary", on_click=_add)


def arrange(**changes: Any) -> None:
    """Change the board; an arrangement that has no room is refused."""
    try:
        look(board=board.layout({**session().view.board.model_dump(), **changes}))
    except Refused as error:
        refuse(error)


def _segments(label: str, role: str, options: list[Any], value: Any, say: Callable[[Any], Any]) -> None:
    key = keyed(role, value, "~".join(map(str, options)))
    st.segmented_control(
        label,
        options,
        default=value,
        required=True,
        key=key,
        format_func=say,
        on_change=changed,
        args=(key, _set, role.partition(".")[2]),
    )


def _set(value: Any, field: str) -> None:
    """Set width or columns; a narrower width takes as many columns as it has room for."""
    columns = session().view.board.columns
    if field == "width":
        arrange(width=value, columns=min(columns, MOST_COLUMNS[value]))
    else:
        arrange(columns=value)


def _row(layout: Layout, place: int) -> None:
    panel, tag = layout.panels[place], letter(place)
    scenarios = [session().scenario, *session().view.others]
    with st.container(key=f"board-row-{place}", horizontal=True, gap="small"):
        st.html(f'<p class="compared"><b>{tag}</b></p>')
        _menu(f"Panel {tag}", f"board.{place}.figure", list(FIGURES), panel.figure, words, place)
        if len(scenarios) > 1:
            _menu(
                f"Scenario of panel {tag}",
                f"board.{place}.scenario",
                list(range(len(scenarios))),
                panel.scenario,
                lambda chosen: f"{LETTERS[chosen]} {name(scenarios[chosen])}",
                place,
            )
        icons = {"Move up": "arrow_upward", "Remove": "close"}
        idle = {"Move up": place == 0, "Remove": len(layout.panels) == 1}
        for (label, icon), take in zip(icons.items(), (_up, _remove), strict=True):
            st.button(
                f"{label} {tag}",
                key=f"{label}-{place}",
                icon=f":material/{icon}:",
                type="tertiary",
                disabled=idle[label],
                on_click=take,
                args=(place,),
            )


def _menu(
    label: str, role: str, options: list[Any], value: Any, say: Callable[[Any], str], place: int
) -> None:
    key = keyed(role, value, str(len(options)))
    st.selectbox(
        label,
        options,
        options.index(value),
        key=key,
        format_func=say,
        label_visibility="collapsed",
        on_change=changed,
        args=(key, _change, place, role.rpartition(".")[2]),
    )


def _panels() -> list[dict[str, Any]]:
    return [panel.model_dump() for panel in session().view.board.panels]


def _change(value: Any, place: int, field: str) -> None:
    panels = _panels()
    panels[place][field] = value
    arrange(panels=panels)


def _up(place: int) -> None:
    panels = _panels()
    panels[place - 1], panels[place] = panels[place], panels[place - 1]
    arrange(panels=panels)


def _remove(place: int) -> None:
    panels = _panels()
    arrange(panels=panels[:place] + panels[place + 1 :])


def _add() -> None:
    """Add the first figure that is not there yet."""
    panels = _panels()
    present = {panel["figure"] for panel in panels}
    following = next((slug for slug in FIGURES if slug not in present), next(iter(FIGURES)))
    arrange(panels=[*panels, {"figure": following}])
