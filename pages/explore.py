"""Explore: the four questions about one scenario, side by side."""

from ui.navigation import guard

guard()

import streamlit as st  # noqa: E402

from figures import FIGURES  # noqa: E402
from ui import header, panel  # noqa: E402

header.draw()
with st.container(key="panels"):
    for row in range(0, len(FIGURES), 2):
        for column, slug in zip(st.columns(2, gap="small"), list(FIGURES)[row : row + 2], strict=False):
            with column:
                panel.draw(slug, FIGURES[slug])
