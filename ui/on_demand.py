"""What a panel shows in place of a figure that takes long: an offer, and how far it is."""

from typing import Any

import streamlit as st

from figures import on_demand
from figures.number import duration
from presets.on_demand import OnDemand
from presets.remember import part
from presets.schema import Scenario
from ui import work
from ui.session import session

POLL = 0.5
"""Seconds between two looks at how far it is."""


def is_offered(slug: str, scenario: Scenario) -> bool:
    """Say whether a figure waits to be asked for."""
    demand = on_demand(slug)
    return demand is not None and demand.is_offered(scenario)


def draw(slug: str, scenario: Scenario) -> None:
    """Offer to compute a figure, or show how far it is in a fragment of the panel's own."""
    demand = on_demand(slug)
    assert demand is not None
    with st.container(key=f"demand-{slug}"):
        name = _name(slug, demand, scenario)
        found = work.watched(name, session().visitor)
        if found is not None and found.is_under_way:
            _progress(slug, demand, scenario)
            return
        if found is not None:
            st.html('<p role="status">The computation failed; it may be tried again.</p>')
        label = f"Compute (about {duration(demand.seconds(scenario))})"
        st.button(label, key=f"compute-{slug}", on_click=_start, args=(slug, demand, scenario))


@st.fragment(run_every=POLL)
def _progress(slug: str, demand: OnDemand[Any], scenario: Scenario) -> None:
    """Show how far it is; once it is over, draw the page anew."""
    name = _name(slug, demand, scenario)
    found = work.watched(name, session().visitor)
    if found is None or not found.is_under_way:
        st.rerun()
    waits = found.state == "waiting"
    said = "Waits for another computation" if waits else f"{found.share:.0%} done"
    st.progress(found.share, said)
    st.button("Cancel", key=f"cancel-{slug}", on_click=work.leave, args=(name, session().visitor))


def _start(slug: str, demand: OnDemand[Any], scenario: Scenario) -> None:
    name = _name(slug, demand, scenario)
    work.start(name, session().visitor, lambda: demand.steps(scenario))


def _name(slug: str, demand: OnDemand[Any], scenario: Scenario) -> tuple[str, Scenario]:
    """Name a computation by what it depends on, so that no other change starts it again."""
    return slug, part(scenario, demand.fields)
