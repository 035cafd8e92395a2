"""About: the words, the claims, and how far each number can be trusted."""

from ui.navigation import guard

guard()

from pathlib import Path  # noqa: E402

import streamlit as st  # noqa: E402

from ui import header  # noqa: E402

header.refusals()
with st.container(key="prose"):
    for part in ("what", "symbols", "statements", "assumptions", "trust"):
        st.markdown((Path(__file__).parents[1] / "ui" / "about" / f"{part}.md").read_text(encoding="utf-8"))
