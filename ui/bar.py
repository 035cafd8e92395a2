"""The bar at the bottom of phones and projectors: one slider, and which setting it moves."""

import streamlit as st

from presets.field import About, about
from presets.gate import Gate, Injection
from presets.loop_quantities import amplitude_reach
from presets.schema import Scenario
from ui import controls
from ui.session import present, session, setting

ROLE = "bar"


def draw() -> None:
    """Draw the bar; the style sheet shows it on narrow screens and in projector mode only."""
    scenario = session().scenario
    offered = _offered(scenario)
    with st.container(key="bar"):
        path = st.selectbox(
            "Setting",
            list(offered),
            format_func=lambda name: offered[name].label,
            label_visibility="collapsed",
        )
        entry = offered[path]._replace(label=f"Move {offered[path].label}", help="")
        if entry.ui.options:
            controls.select_slider(entry, path, setting(path), role=ROLE)
        else:
            reach = amplitude_reach(scenario) if path == "gate.amplitude" else None
            controls.slider(entry, path, setting(path), reach=reach, role=ROLE)
        if session().view.present:
            st.button("Leave projector mode", key="leave", type="tertiary", on_click=present, args=(False,))


def _offered(scenario: Scenario) -> dict[str, About]:
    """Settings the bar may move: ϱ first, the block length, the angle, and the family's own numbers."""
    offered = {"gate.amplitude": about(Gate, "amplitude"), "block_length": about(Scenario, "block_length")}
    if scenario.gate.injection.alignment == "angle":
        offered["gate.injection.angle"] = about(Injection, "angle")
    family = scenario.family
    for name in type(family).model_fields:
        if isinstance(getattr(family, name), float):
            offered[f"family.{name}"] = about(type(family), name)
    return offered
