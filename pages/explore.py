"""Explore: the four questions about one scenario, side by side."""

from ui.navigation import guard

guard()

import streamlit as st  # noqa: E402

from figures import FIGURES, PAGES  # noqa: E402
from ui import header, panel  # noqa: E402

header.draw()
with st.container(key="panels"):
    for slug in PAGES["explore"]:
        panel.draw(slug, FIGURES[slug])
