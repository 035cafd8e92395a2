"""Linearisation: how far the linear theory is from the real blocks it describes."""

from ui.navigation import guard

guard()

import streamlit as st  # noqa: E402

from figures import FIGURES, PAGES  # noqa: E402
from ui import block_notice, header, panel  # noqa: E402

header.draw()
block_notice.draw()
with st.container(key="panels"):
    for slug in PAGES["linearisation"]:
        panel.draw(slug, FIGURES[slug])
