"""Controls of the reading: the tolerance of "washed out", and the resolution of the spectrum."""

import streamlit as st

from presets.build import resolution
from presets.quantities import layers
from presets.schema import Scenario
from ui import controls
from ui.fields import field
from ui.keys import changed, keyed
from ui.session import put


def draw(scenario: Scenario) -> None:
    """Draw the group."""
    controls.with_box(field(Scenario, "tolerance"), "tolerance", scenario.tolerance, controls.select_slider)
    if layers(scenario).recurrence != "window":
        st.caption("Resolution H: not used, since this stack repeats and its spectrum is exact.")
        return
    about, used = field(Scenario, "window"), resolution(scenario)
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
        controls.slider(about, "window", scenario.window)


def _switch(automatic: bool, used: int) -> None:
    put({"window": None if automatic else used})
