"""A hidden mark, written last, that says which run and which scenario the page now shows."""

import hashlib

import streamlit as st

from presets.schema import Scenario
from ui.follow import follows
from ui.session import session


def fingerprint(scenario: Scenario) -> str:
    """Return a short name of a scenario's content."""
    return hashlib.sha256(scenario.model_dump_json(by_alias=True).encode()).hexdigest()[:12]


def mark() -> None:
    """Write the mark, with the run's number and the scenario's fingerprint, in short runs too."""
    place = st.empty()

    def write(name: str) -> None:
        place.html(f'<span class="settled" title="{session().runs} {name}"></span>')

    follows(fingerprint, write)
