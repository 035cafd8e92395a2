"""Controls of the gate: ϱ, the injection ψ, how often and along which route the summary returns."""

import streamlit as st

from presets import rules
from presets.field import about
from presets.gate import Gate, Injection
from presets.loop_quantities import amplitude_reach
from presets.schema import Scenario
from ui import compression_group, controls, matrix_text, words
from ui.follow import leads
from ui.keys import changed, keyed
from ui.session import put

TIED_ONLY = ("aligned", "worst")


def draw(scenario: Scenario) -> None:
    """Draw the group."""
    gate = scenario.gate
    leads(controls.beside_box(about(Gate, "amplitude"), "gate.amplitude"), _amplitude)
    _direction(scenario)
    controls.control(Injection, "kind", "gate.injection.kind", gate.injection.kind)
    if gate.injection.gain is not None:
        controls.control(Injection, "gain", "gate.injection.gain", gate.injection.gain)
    controls.line(about(Injection, "bias"), "gate.injection.bias", _bias(gate.injection), _push)
    controls.select_slider(
        about(Gate, "refresh_period"), "gate.refresh_period", gate.refresh_period, extra=(None,)
    )
    controls.control(Gate, "topology", "gate.topology", gate.topology)
    compression_group.draw(scenario)
    for remark in _remarks(scenario):
        st.caption(remark)


def _amplitude(scenario: Scenario) -> None:
    reach = amplitude_reach(scenario)
    controls.slider(about(Gate, "amplitude"), "gate.amplitude", scenario.gate.amplitude, reach=reach)


def _direction(scenario: Scenario) -> None:
    """Draw the menu of directions, and the one control that belongs to the chosen direction."""
    injection, entry, path = (
        scenario.gate.injection,
        about(Injection, "alignment"),
        "gate.injection.alignment",
    )
    tied = rules.is_tied(scenario)
    options = [name for name in entry.choices if tied or name not in TIED_ONLY]
    if injection.matrix is not None:
        options.append("matrix")
    current = injection.alignment or "matrix"
    key = keyed(path, current, "~".join(options))
    st.selectbox(
        entry.label,
        options,
        options.index(current),
        key=key,
        format_func=lambda name: words.choice("alignment", name),
        help=entry.help + ("" if tied else " Along the split and worst case need a tied family."),
        on_change=changed,
        args=(key, _turn),
    )
    if current == "angle":
        controls.control(Injection, "angle", "gate.injection.angle", injection.angle)
    elif current == "random":
        controls.control(Scenario, "seed", "seed", scenario.seed)
    elif current == "matrix":
        _matrix(scenario)
    else:
        st.caption("No angle to set: this direction fixes W.")


def _bias(injection: Injection) -> str:
    bias = injection.bias
    entries = bias if isinstance(bias, tuple) else () if bias is None else (bias,)
    return ", ".join(map(words.typed, entries))


def _push(text: str) -> None:
    """Take a typed bias: nothing, one number along (1, …, 1)/√d, or d numbers."""
    entries = matrix_text.from_row(text)
    put({"gate.injection.bias": None if not entries else entries[0] if len(entries) == 1 else entries})


def _turn(alignment: str) -> None:
    if alignment != "matrix":
        put({"gate.injection.matrix": None, "gate.injection.alignment": alignment})


def _matrix(scenario: Scenario) -> None:
    path, entry = "gate.injection.matrix", about(Injection, "matrix")
    text = matrix_text.to_text(scenario.gate.injection.matrix)
    if len(text) > matrix_text.LONGEST:
        st.caption(f"{entry.label}: {scenario.family.width}×{scenario.family.width}, as given.")
    else:
        controls.long_text(entry, path, text, matrix_text.from_text, matrix_text.HELP)


def _remarks(scenario: Scenario) -> list[str]:
    """Say which of the controls above cannot change anything now, and why."""
    gate = scenario.gate
    said = []
    if gate.refresh_period is None:
        said.append("Held for the whole pass, the summary is a constant push: ϱ cannot move the spectrum.")
    elif gate.topology == "cascade":
        said.append("A finite cascade never changes its spectrum: here ϱ moves nothing in the panels.")
    elif gate.topology == "ring" and scenario.blocks == 1:
        said.append("A ring of one block is the self-loop; set Blocks K under Tokens.")
    if gate.injection.kind == "linear" and gate.injection.bias is not None:
        said.append("A bias moves the state u*, not the spectrum, as long as ψ is linear.")
    if gate.injection.gain == 0:
        said.append("With gain 0 nothing is injected: ϱ has no effect.")
    return said
