"""The figures of the compared scenarios, side by side on the same axes."""

import logging
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from figures import FIGURES, MAP, PAGES, further, own_axes
from figures.badge import Badge, badge
from figures.comparison import LETTERS, same_axes
from figures.rows import Rows
from figures.theme import projected
from presets import board, map_axis
from presets.schema import Scenario
from ui import map_view
from ui.arrow import encoded
from ui.compare_tables import compared
from ui.follow import follows
from ui.keys import changed, keyed
from ui.panel import theme
from ui.picture import picture
from ui.session import look, session
from ui.words import indexed


class Pair(NamedTuple):
    """One scenario's side of a figure: caption and chart, or no datasets where it could not be computed."""

    caption: str
    badge: Badge
    datasets: dict[str, Rows] | None


def draw() -> None:
    """Draw the menu of figures, and each chosen figure of every scenario."""
    others = session().view.others
    if not others:
        return
    with st.container(key="figures-menu", horizontal=True, vertical_alignment="bottom"):
        _menu()
        if MAP in _chosen():
            map_view.menu(labelled=True)
        _axes()
    for slug in _chosen():
        with st.container(key=f"pairs-{slug}", gap=None):
            _head(slug, len(others) + 1)
            with st.container(key=f"beside-{len(others) + 1}-{slug}"):
                letters = LETTERS[: len(others) + 1]
                places = [st.container(key=f"cell-{slug}-{letter}", gap=None) for letter in letters]
            follows(partial(_computed, slug), partial(_write, slug, places))


def _chosen() -> Sequence[str]:
    wanted = session().view.figures
    return PAGES.get(wanted, (wanted,))


def _menu() -> None:
    wanted = session().view.figures
    options = [*PAGES, *FIGURES]
    key = keyed("compare.figures", wanted)
    st.selectbox(
        "Figures",
        options,
        options.index(wanted),
        key=key,
        format_func=words,
        on_change=changed,
        args=(key, lambda chosen: look(figures=chosen)),
    )


def _axes() -> None:
    shared = session().view.shared
    key = keyed("compare.axes", shared)
    st.toggle(
        "Same axes",
        shared,
        key=key,
        help="Every chart of a figure reaches as far as the widest; where an axis means something else in "
        "every scenario, it stays as it is.",
        on_change=changed,
        args=(key, lambda chosen: look(shared=chosen)),
    )


def words(choice: str) -> str:
    """Name a page's figures, or one figure by the page it stands on and its question."""
    if choice in PAGES:
        return f"All of {choice.capitalize()}"
    page = next(page for page, slugs in PAGES.items() if choice in slugs)
    return f"{page.capitalize()}: {FIGURES[choice].QUESTION}"


def _head(slug: str, count: int) -> None:
    st.html(f'<h2 class="question">{escape(FIGURES[slug].QUESTION)}</h2>')
    pressed = st.button(
        "Draw them together",
        key=f"build-{slug}",
        icon=":material/dashboard:",
        type="tertiary",
        on_click=_build,
        args=(slug, count),
    )
    if pressed:
        st.switch_page("pages/builder.py")


def _build(slug: str, count: int) -> None:
    """Arrange one figure of every scenario in the builder."""
    look(board=board.layout({"panels": [{"figure": slug, "scenario": place} for place in range(count)]}))


def _computed(slug: str, scenario: Scenario) -> list[Pair]:
    """Compute a figure of every scenario; those that can be drawn share their axes."""
    found = [_pair(slug, each) for each in compared(scenario)]
    if not session().view.shared:
        return found
    drawn = [pair.datasets for pair in found if pair.datasets is not None]
    shared = iter(same_axes(drawn, own_axes(slug)))
    return [pair if pair.datasets is None else pair._replace(datasets=next(shared)) for pair in found]


def _pair(slug: str, scenario: Scenario) -> Pair:
    source = badge(scenario, FIGURES[slug])
    over = map_axis.axis_of(scenario, session().view.map).name
    try:
        found = picture(slug, scenario, *further(slug, over))
        return Pair(found.caption, source, found.datasets)
    except Exception:
        logging.getLogger(__name__).exception("figure %s failed", slug)
        return Pair("This figure could not be computed for these settings.", source, None)


def _write(slug: str, places: Sequence[DeltaGenerator], pairs: Sequence[Pair]) -> None:
    spec = FIGURES[slug].TEMPLATE[theme()]
    spec = projected(spec) if session().view.present else spec
    for letter, place, pair in zip(LETTERS, places, pairs, strict=False):
        mark = f'<span class="badge" title="{escape(pair.badge.meaning)}">{pair.badge.word}</span>'
        place.html(f'<p class="caption"><b>{letter}</b> {indexed(pair.caption)} {mark}</p>')
        if pair.datasets is not None:
            place.vega_lite_chart(
                {**spec, "datasets": {name: encoded(rows) for name, rows in pair.datasets.items()}},
                theme=None,
                key=f"chart-{slug}-{letter}",
                height="stretch",
                alt=f"{FIGURES[slug].QUESTION} {letter}",
            )
