"""The panel a figure lives in: question, computed caption, chart or table, and how to read it."""

import logging
from functools import partial
from html import escape
from types import ModuleType
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presets.schema import Scenario
from ui.arrow import encoded
from ui.follow import follows
from ui.picture import DEPENDS_ON, Picture, picture
from ui.session import session


class Failure(NamedTuple):
    """A figure that could not be computed, and the kind of error."""

    cause: str


def draw(slug: str, figure: ModuleType) -> None:
    """Draw one figure's panel; caption and chart follow ϱ where they depend on it."""
    with st.container(border=True, key=f"panel-{slug}", gap=None):
        _head(slug, figure)
        places = st.container(key=f"caption-{slug}"), st.container(key=f"figure-{slug}")
        if slug in DEPENDS_ON:
            _write(slug, figure, *places, _computed(slug, session().scenario))
        else:
            follows(partial(_computed, slug), partial(_write, slug, figure, *places))


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
        reading = st.popover(
            "How to read this",
            icon=":material/help:",
            type="tertiary",
            key=f"read-{slug}",
            on_change="rerun",
        )
        if reading.open:
            with reading:
                for formula in figure.READ_ME.formula.split(r"\qquad"):
                    st.latex(formula.strip().rstrip(","))
                st.markdown(figure.READ_ME.statement)
                st.markdown(f"**How to read it.** {figure.READ_ME.reading}")


def _toggle(slug: str) -> None:
    st.session_state[f"view-{slug}"] = not shows_table(slug)


def _computed(slug: str, scenario: Scenario) -> Picture | Failure:
    """Compute a figure; one that fails says so in its own frame and leaves the others alone."""
    try:
        return picture(slug, scenario)
    except Exception as error:
        logging.getLogger(__name__).exception("figure %s failed", slug)
        return Failure(type(error).__name__)


def _write(
    slug: str, figure: ModuleType, words: DeltaGenerator, place: DeltaGenerator, now: Picture | Failure
) -> None:
    """Write the caption, and the chart, the table or why there is none."""
    if isinstance(now, Failure):
        said = f"This figure could not be computed for these settings ({now.cause})."
        remedy = "Move the last control back, or reset the preset."
        words.html('<p class="caption">&nbsp;</p>')
        place.html(f'<p class="failure" role="status">{escape(said)} {remedy}</p>')
        return
    words.html(f'<p class="caption">{escape(now.caption)}</p>')
    if shows_table(slug):
        place.dataframe(figure.table(now.tables), hide_index=True, height="stretch", key=f"table-{slug}")
        return
    datasets = {name: encoded(frame) for name, frame in now.datasets.items()}
    place.vega_lite_chart(
        {**figure.TEMPLATE[theme()], "datasets": datasets},
        theme=None,
        key=f"chart-{slug}",
        height="stretch",
        alt=figure.QUESTION,
    )
