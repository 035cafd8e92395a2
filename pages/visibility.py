"""Visibility: which changes of the stack the slow path can see, and what the injection sees of a block."""

from ui.navigation import guard

guard()

import streamlit as st  # noqa: E402

from figures import FIGURES, PAGES  # noqa: E402
from ui import header, panel  # noqa: E402

header.draw()
with st.container(key="panels"):
    for slug in PAGES["visibility"]:
        panel.draw(slug, FIGURES[slug])
