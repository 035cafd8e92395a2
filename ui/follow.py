"""The short run: what follows ϱ is redrawn alone, while the rest of the page stays as it is."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presets.schema import Scenario
from ui import ahead
from ui.session import modified, session, write_link

Content = TypeVar("Content")


def follows(
    compute: Callable[[Scenario], Content], write: Callable[[Content], object], *, costly: bool = False
) -> None:
    """Have a part of the page drawn at the end of every run, full or short.

    `write` fills containers made before, always with the same number of elements; a widget among them starts
    a short run. `costly` says that `compute` is worth doing ahead; it then must not touch the session.
    """
    if costly:
        session().computes.append(compute)

    def prepare() -> Callable[[], object]:
        content = compute(session().scenario)
        return partial(write, content)

    session().followers.append(prepare)


def leads(place: DeltaGenerator, draw: Callable[[Scenario], None]) -> None:
    """Have the controls of ϱ drawn in a place of the sidebar; they alone start short runs."""
    session().leader = (place, draw)


def finish() -> None:
    """Draw what leads and what follows; the last thing in every full run."""
    leader = session().leader
    with st.container(key="last") if leader is None else leader[0]:
        _short_run()


@st.fragment
def _short_run() -> None:
    """Draw the controls of ϱ and what follows them: part by part when the page is new, else in one go.

    If what is drawn outside has changed since the full run, it would stay behind, so a full run is asked for.
    """
    current = session()
    if current.is_full:
        current.outside, current.shown = _outside(current.scenario), current.scenario
    elif current.outside != _outside(current.scenario):
        st.rerun()
    if current.is_full:
        current.is_full = False
        _lead()
        for prepare in current.followers:
            prepare()()
        return
    current.runs += 1
    writes = [prepare() for prepare in current.followers]
    write_link()
    _lead()
    for write in writes:
        write()
    _look_ahead()


def _look_ahead() -> None:
    """Have the next equal step of ϱ computed in the background."""
    current = session()
    before, current.shown = current.shown, current.scenario
    following = None if before is None else ahead.next_step(before, current.scenario)
    if following is not None:
        ahead.prepare(current.computes, following)


def _lead() -> None:
    current = session()
    if current.leader is not None:
        current.leader[1](current.scenario)


def _outside(scenario: Scenario) -> tuple[Scenario, bool]:
    """Return what the rest of the page shows: every setting but ϱ, and whether the preset was left."""
    gate = scenario.gate.model_copy(update={"amplitude": 0.0})
    return scenario.model_copy(update={"gate": gate}), modified()
