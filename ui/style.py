"""The style sheets; they hang on `st-key-*` and `data-testid` only."""

from pathlib import Path

import streamlit as st

SHEET = Path(__file__).with_name("style.css")
PROJECTOR = Path(__file__).with_name("projector.css")


def apply(*, present: bool) -> None:
    """Put the style sheet into the page, and the projector's after it; they take no room there."""
    st.html(f"<style>{SHEET.read_text(encoding='utf-8')}{_projector(present)}</style>")


def _projector(present: bool) -> str:
    return PROJECTOR.read_text(encoding="utf-8") if present else ""
