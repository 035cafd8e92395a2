"""The pages, and the guard that keeps a cold link to one of them inside the shell."""

from contextvars import ContextVar

import streamlit as st
from streamlit.navigation.page import StreamlitPage

NAMES = (
    "explore",
    "saturation",
    "spectrum",
    "gate",
    "visibility",
    "linearisation",
    "compare",
    "builder",
    "about",
)
"""The pages, in the order of the top navigation; the first is where one arrives."""

ADDRESSES = tuple("/" if name == NAMES[0] else f"/{name}" for name in NAMES)

_inside: ContextVar[bool] = ContextVar("inside_the_shell", default=False)


def pages() -> list[StreamlitPage]:
    """List the pages in the order of the top navigation."""
    return [st.Page(f"pages/{name}.py", title=name.capitalize(), default=name == NAMES[0]) for name in NAMES]


def run(page: StreamlitPage) -> None:
    """Run a page inside the shell."""
    token = _inside.set(True)
    try:
        page.run()
    finally:
        _inside.reset(token)


def guard() -> None:
    """Send a page that was opened without the shell through the shell; the first line of every page.

    Until the pages are registered for the first time, a fresh server runs a linked page alone, without
    app.py. Registering them ends that for the process, and the rerun keeps page and link.
    """
    if not _inside.get():
        st.navigation(pages(), position="hidden")
        st.rerun()
