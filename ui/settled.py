"""A hidden mark, written last, that says which run and which scenario the page now shows."""

import hashlib

import streamlit as st

from presets.schema import Scenario


def fingerprint(scenario: Scenario) -> str:
    """Return a short name of a scenario's content."""
    return hashlib.sha256(scenario.model_dump_json(by_alias=True).encode()).hexdigest()[:12]


def mark(run: int, scenario: Scenario) -> None:
    """Write the mark, with the run's number and the scenario's fingerprint."""
    with st.container(key="settled"):
        st.html(f'<span class="settled" title="{run} {fingerprint(scenario)}"></span>')
