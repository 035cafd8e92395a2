"""The one style sheet; it hangs on `st-key-*` and `data-testid` only."""

from pathlib import Path

import streamlit as st

SHEET = Path(__file__).with_name("style.css")


def apply() -> None:
    """Put the style sheet into the page; it takes no room there."""
    st.html(SHEET)
