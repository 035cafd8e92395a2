"""The line that says a page runs a demonstration block, and offers to run the visitor's own."""

import streamlit as st

from presets.real_block import DEMONSTRATION, has_blocks
from ui.session import put, session


def draw() -> None:
    """Draw the line where the scenario's layers are formulas; nothing where they come from blocks."""
    if has_blocks(session().scenario):
        return
    family, depth = DEMONSTRATION.family, DEMONSTRATION.depth
    with st.container(key="notice", horizontal=True, gap="small"):
        st.html(
            "<p>This family has no block to run: three of the panels run a demonstration block "
            f"(d = {family.width}, {depth} layers), whatever the sidebar says.</p>"
        )
        st.button("Run a transformer block", key="use-block", type="tertiary", on_click=_take_block)


def _take_block() -> None:
    put({"family.kind": "transformer"})
