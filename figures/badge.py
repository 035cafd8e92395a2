"""Where the layer maps of a scenario come from, in one word that stands on every figure."""

from typing import NamedTuple

from presets.schema import Scenario


class Badge(NamedTuple):
    """The word, and the sentence behind it."""

    word: str
    meaning: str


TOY = Badge("toy", "The layer maps are written down by a formula; no network was trained or run.")
LINEARISED = Badge(
    "linearised",
    "The layer maps are exact Jacobians of a Pre-LN block with random weights, along one run.",
)


def badge(scenario: Scenario) -> Badge:
    """Return the badge of a scenario's family."""
    return LINEARISED if scenario.family.kind == "transformer" else TOY
