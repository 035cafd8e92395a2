"""Which scenarios are compared: the visitor's own, and others from presets, links and files."""

from html import escape

import streamlit as st

from figures.comparison import LETTERS, name
from presets.load import Refused, preset, preset_names
from presets.named import pasted
from ui import view
from ui.keys import changed, keyed
from ui.session import compare_with, look, refuse, session

PASTED = "compare.pasted"


def draw() -> None:
    """Draw one chip for each scenario, and the two ways to add another."""
    others = session().view.others
    with st.container(key="compared", horizontal=True, gap="small"):
        _chip("A", f"{name(session().scenario)} (yours)")
        for place, scenario in enumerate(others):
            letter = LETTERS[place + 1]
            with st.container(key=f"chip-{letter}", horizontal=True, gap=None):
                _chip(letter, name(scenario))
                st.button(
                    f"Remove {letter}",
                    key=f"remove-{letter}",
                    icon=":material/close:",
                    type="tertiary",
                    on_click=_remove,
                    args=(place,),
                )
        if len(others) < view.MOST_OTHERS:
            _presets()
            _paste()


def _chip(letter: str, words: str) -> None:
    st.html(f'<p class="compared"><b>{letter}</b> {escape(words)}</p>')


def _presets() -> None:
    key = keyed("compare.preset", None)
    st.selectbox(
        "Compare with a preset",
        preset_names(),
        None,
        key=key,
        format_func=lambda slug: preset(slug).title,
        placeholder="Compare with a preset",
        label_visibility="collapsed",
        on_change=changed,
        args=(key, _add_preset),
    )


def _add_preset(slug: str) -> None:
    compare_with(preset(slug))


def _paste() -> None:
    with st.popover("Paste a link", icon=":material/content_paste:"):
        st.text_area(
            "A link to the explorer, or a scenario’s JSON",
            key=PASTED,
            height=110,
            placeholder="https://…/?preset=tied-saddle&gate.amplitude=0.2",
        )
        st.button("Compare with it", key="compare-pasted", on_click=_add_pasted)


def _add_pasted() -> None:
    try:
        compare_with(*pasted(st.session_state[PASTED], view.NAMES))
    except Refused as error:
        refuse(error)
    else:
        st.session_state[PASTED] = ""


def _remove(place: int) -> None:
    """Take a scenario away, and with it the panels that the builder would draw of it."""
    others = session().view.others
    board = session().view.board
    kept = [panel for panel in board.panels if panel.scenario != place + 1]
    moved = tuple(
        panel.model_copy(update={"scenario": panel.scenario - (panel.scenario > place + 1)}) for panel in kept
    )
    arranged = board.model_copy(update={"panels": moved}) if moved else view.FIRST_BOARD
    look(others=(*others[:place], *others[place + 1 :]), board=arranged)
