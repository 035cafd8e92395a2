"""The panel a figure lives in: question, computed caption, chart or table, and how to read it."""

import logging
from functools import partial
from html import escape
from types import ModuleType
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from figures import FIGURES, MAP, click, depends_on
from figures.badge import Badge, badge
from figures.theme import projected
from presets.schema import Scenario
from ui import compression_group, map_view, on_demand, take_home
from ui.arrow import encoded
from ui.follow import follows
from ui.picture import picture
from ui.session import session
from ui.words import indexed

_MENUS = {MAP: map_view.menu, "late-switch": compression_group.menu}
"""Menus in the heads of panels."""


class Drawn(NamedTuple):
    """A figure's caption and the datasets of its chart, ready to be sent; its tables for those who ask."""

    caption: str
    badge: Badge
    datasets: dict[str, bytes]
    tables: Any


class Place(NamedTuple):
    """Where a figure is drawn, and drawn anew."""

    caption: DeltaGenerator
    figure: DeltaGenerator


class Failure(NamedTuple):
    """A figure that could not be computed, and the kind of error."""

    cause: str


def draw(slug: str, figure: ModuleType) -> None:
    """Draw one figure's panel; caption and chart follow ϱ where they depend on it.

    Every run makes the browser look at every element again, so a panel has as few as it can.
    """
    with st.container(border=True, key=f"panel-{slug}", gap=None):
        st.markdown(_head(figure), unsafe_allow_html=True)
        st.button(
            "Show the chart" if shows_table(slug) else "Show the table",
            key=f"toggle-{slug}",
            icon=":material/show_chart:" if shows_table(slug) else ":material/table_rows:",
            type="tertiary",
            on_click=_toggle,
            args=(slug,),
        )
        take_home.button(slug, figure)
        if slug in _MENUS:
            _MENUS[slug]()
        compute = partial(_computed, slug, map_view.arguments(slug))
        place = Place(st.empty(), st.container(key=f"figure-{slug}", gap=None))
        if depends_on(slug) is not None:
            _write(slug, figure, place, compute(session().scenario))
        else:
            follows(compute, partial(_write, slug, figure, place), costly=True)


def shows_table(slug: str) -> bool:
    """Say whether a panel shows its table."""
    return st.session_state.get(f"view-{slug}", False)


def theme() -> str:
    """Return the theme charts are drawn for, "light" or "dark"."""
    return st.context.theme.type or "light"


def _head(figure: ModuleType) -> str:
    """Write the question, and behind its question mark the formula, the statement and how to read it."""
    read = figure.READ_ME
    formulas = "\n\n".join(f"$$\n{part.strip().rstrip(',')}\n$$" for part in read.formula.split(r"\qquad"))
    return (
        f'<div class="question" role="heading" aria-level="2">{escape(figure.QUESTION)}</div>\n'
        '<details class="reading"><summary title="How to read this">How to read this</summary><div>\n\n'
        f"{formulas}\n\n{read.statement}\n\n**How to read it.** {read.reading}\n\n</div></details>"
    )


def _toggle(slug: str) -> None:
    st.session_state[f"view-{slug}"] = not shows_table(slug)


def _computed(slug: str, further: tuple[str, ...], scenario: Scenario) -> Drawn | Failure:
    """Compute a figure; one that fails says so in its own frame and leaves the others alone."""
    try:
        found = picture(slug, scenario, *further)
        datasets = {name: encoded(rows) for name, rows in found.datasets.items()}
        return Drawn(found.caption, badge(scenario, FIGURES[slug]), datasets, found.tables)
    except Exception as error:
        logging.getLogger(__name__).exception("figure %s failed", slug)
        return Failure(type(error).__name__)


def _write(slug: str, figure: ModuleType, place: Place, now: Drawn | Failure) -> None:
    """Write the caption, and the chart, the table or why there is none."""
    if isinstance(now, Failure):
        said = f"This figure could not be computed for these settings ({now.cause})."
        remedy = "Move the last control back, or reset the preset."
        place.caption.html('<p class="caption">&nbsp;</p>')
        place.figure.html(f'<p class="failure" role="status">{escape(said)} {remedy}</p>')
        return
    source = f'<span class="badge" title="{escape(now.badge.meaning)}">{now.badge.word}</span>'
    place.caption.html(f'<p class="caption">{indexed(now.caption)} {source}</p>')
    if on_demand.is_offered(slug, session().scenario):
        with place.figure.container():
            on_demand.draw(slug, session().scenario)
        return
    if shows_table(slug):
        table = figure.table(now.tables)
        place.figure.dataframe(table, hide_index=True, height="stretch", key=f"table-{slug}")
        return
    _chart(slug, figure, place.figure, now)


def _chart(slug: str, figure: ModuleType, place: DeltaGenerator, now: Drawn) -> None:
    """Draw the chart; the gate map answers to clicks."""
    spec, datasets, key = figure.TEMPLATE[theme()], now.datasets, f"chart-{slug}"
    answering: dict[str, Any] = {}
    if slug == MAP:
        spec = click.clickable(spec)
        datasets = datasets | {click.HITS: encoded(map_view.hits(now.tables))}
        answering = {"on_select": partial(map_view.take, key), "selection_mode": [click.PICK]}
    place.vega_lite_chart(
        {**(projected(spec) if session().view.present else spec), "datasets": datasets},
        theme=None,
        key=key,
        height="stretch",
        alt=figure.QUESTION,
        **answering,
    )
