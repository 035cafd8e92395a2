"""Controls of the reading: the tolerance of "washed out", and the resolution of the spectrum."""

import streamlit as st

from presets.build import resolution
from presets.field import about
from presets.quantities import layers
from presets.schema import Scenario
from ui import controls
from ui.keys import changed, keyed
from ui.session import present, put, session


def draw(scenario: Scenario) -> None:
    """Draw the group."""
    key = keyed("present", session().view.present)
    st.toggle(
        "Projector mode",
        session().view.present,
        key=key,
        help="Larger type, no sidebar; a bar at the bottom keeps one slider in reach.",
        on_change=changed,
        args=(key, present),
    )
    entry = about(Scenario, "tolerance")
    with controls.beside_box(entry, "tolerance"):
        controls.select_slider(entry, "tolerance", scenario.tolerance)
    if layers(scenario).recurrence != "window":
        st.caption("Resolution H: not used, since this stack repeats and its spectrum is exact.")
        return
    entry, used = about(Scenario, "window"), resolution(scenario)
    automatic = scenario.window is None
    key = keyed("window.automatic", automatic)
    st.toggle(
        f"Automatic resolution H = {used}" if automatic else "Automatic resolution H",
        automatic,
        key=key,
        help="Growth is averaged over every stretch of H layers; automatic takes H from the depth.",
        on_change=changed,
        args=(key, _switch, used),
    )
    if scenario.window is not None:
        controls.slider(entry, "window", scenario.window)


def _switch(automatic: bool, used: int) -> None:
    put({"window": None if automatic else used})
