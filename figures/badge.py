"""Where the layer maps of a scenario come from, in one word that stands on every figure."""

from types import ModuleType
from typing import NamedTuple

from presets.real_block import has_blocks
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
REAL = Badge("real block", "Pre-LN blocks with random weights are run as they are; none was trained.")
DEMONSTRATION = Badge(
    "demo block",
    "A small Pre-LN block with random weights is run instead: this family has no block of its own.",
)


def badge(scenario: Scenario, figure: ModuleType | None = None) -> Badge:
    """Return the badge of a scenario's family; a figure with `RUNS_BLOCKS` runs the blocks themselves."""
    blocks = has_blocks(scenario)
    if getattr(figure, "RUNS_BLOCKS", False):
        return REAL if blocks else DEMONSTRATION
    return LINEARISED if blocks else TOY
