"""The pages, and the guard that keeps a cold link to one of them inside the shell."""

from contextvars import ContextVar

import streamlit as st
from streamlit.navigation.page import StreamlitPage

_inside: ContextVar[bool] = ContextVar("inside_the_shell", default=False)


def pages() -> list[StreamlitPage]:
    """List the pages in the order of the top navigation."""
    return [
        st.Page("pages/explore.py", title="Explore", default=True),
        st.Page("pages/saturation.py", title="Saturation"),
        st.Page("pages/spectrum.py", title="Spectrum"),
        st.Page("pages/gate.py", title="Gate"),
        st.Page("pages/visibility.py", title="Visibility"),
        st.Page("pages/linearisation.py", title="Linearisation"),
        st.Page("pages/compare.py", title="Compare"),
        st.Page("pages/builder.py", title="Builder"),
        st.Page("pages/about.py", title="About"),
    ]


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
