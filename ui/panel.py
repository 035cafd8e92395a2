"""The panel a figure lives in: question, computed caption, chart or table, and how to read it."""

import logging
from html import escape
from types import ModuleType

import streamlit as st

from presets.schema import Scenario


def draw(slug: str, figure: ModuleType, scenario: Scenario) -> None:
    """Draw one figure's panel; a figure that fails says so in its own frame and leaves the others alone."""
    with st.container(border=True, key=f"panel-{slug}", gap=None):
        _head(slug, figure)
        try:
            tables = figure.compute(scenario)
            caption = figure.caption(tables)
            content = figure.table(tables) if shows_table(slug) else figure.datasets(tables)
        except Exception as error:
            logging.getLogger(__name__).exception("figure %s failed", slug)
            _failure(error)
            return
        st.html(f'<p class="caption">{escape(caption)}</p>')
        if shows_table(slug):
            with st.container(key=f"table-{slug}"):
                st.dataframe(content, hide_index=True, height="stretch", key=f"frame-{slug}")
        else:
            _chart(slug, figure, content)


def shows_table(slug: str) -> bool:
    """Say whether a panel shows its table."""
    return st.session_state.get(f"view-{slug}", False)


def theme() -> str:
    """Return the theme charts are drawn for, "light" or "dark"."""
    return st.context.theme.type or "light"


def _head(slug: str, figure: ModuleType) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"head-{slug}", gap=None):
        st.html(f'<h2 class="question">{escape(figure.QUESTION)}</h2>')
        other = "chart" if shows_table(slug) else "table"
        st.button(
            f"Show the {other}",
            key=f"toggle-{slug}",
            icon=":material/show_chart:" if other == "chart" else ":material/table_rows:",
            type="tertiary",
            help=f"Show the {other}",
            on_click=_toggle,
            args=(slug,),
        )
        with st.popover("How to read this", icon=":material/help:", type="tertiary", key=f"read-{slug}"):
            st.latex(figure.READ_ME.formula)
            st.markdown(figure.READ_ME.statement)
            st.markdown(f"**How to read it.** {figure.READ_ME.reading}")


def _toggle(slug: str) -> None:
    st.session_state[f"view-{slug}"] = not shows_table(slug)


def _chart(slug: str, figure: ModuleType, datasets: dict) -> None:
    st.vega_lite_chart(
        {**figure.TEMPLATE[theme()], "datasets": datasets},
        theme=None,
        key=f"chart-{slug}",
        height="stretch",
        alt=figure.QUESTION,
    )


def _failure(error: Exception) -> None:
    st.html(
        '<p class="failure" role="status">This figure could not be computed for these settings '
        f"({escape(type(error).__name__)}). Move the last control back, or reset the preset.</p>"
    )
