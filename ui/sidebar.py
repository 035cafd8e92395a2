"""The sidebar: preset and reset on top, then every setting in four groups."""

from collections.abc import Callable

import streamlit as st

from presets.load import preset, preset_names
from presets.schema import Scenario
from ui import files_group, gate_group, reading_group, stack_group, tokens_group
from ui.keys import changed, keyed
from ui.session import choose, modified, session

GROUPS: tuple[tuple[str, bool, Callable[[Scenario], None]], ...] = (
    ("Stack", True, stack_group.draw),
    ("Gate", True, gate_group.draw),
    ("Tokens", False, tokens_group.draw),
    ("How it is read", False, reading_group.draw),
    ("Open and save", False, files_group.draw),
)
"""Title, open at first, and what the group holds."""


def draw() -> None:
    """Draw the sidebar of the current session."""
    with st.sidebar:
        _presets()
        scenario = session().scenario
        for title, is_open, content in GROUPS:
            group = st.expander(title, expanded=is_open, key=f"group-{title}", on_change="rerun")
            if group.open:
                with group:
                    content(scenario)


def _presets() -> None:
    with st.container(key="preset"):
        mark = '<span class="modified" title="A setting has left the preset"> ● modified</span>'
        st.html(f'<span class="label">Preset</span>{mark if modified() else ""}')
        key = keyed("preset", session().preset)
        st.selectbox(
            "Preset",
            preset_names(),
            preset_names().index(session().preset),
            key=key,
            format_func=lambda name: preset(name).title,
            label_visibility="collapsed",
            on_change=changed,
            args=(key, choose),
        )
        if session().scenario.note:
            st.text(session().scenario.note)
        st.button("Reset", key="reset", type="tertiary", on_click=lambda: choose(session().preset))
