"""Saturation: from which layer tokens agree, what is proved about it, and what agreeing costs."""

from ui.navigation import guard

guard()

import streamlit as st  # noqa: E402

from figures import FIGURES, PAGES  # noqa: E402
from ui import header, panel  # noqa: E402

header.draw()
with st.container(key="panels"):
    for slug in PAGES["saturation"]:
        panel.draw(slug, FIGURES[slug])
