"""A part of the walk over everything; `python -m tests.browser.walk` takes the rest."""

import pytest

from presets.load import DEFAULT
from tests.browser.visitor import Visitor
from tests.browser.walk import faults, stops
from tests.figures.scenarios import EDGES
from ui.navigation import ADDRESSES

SPECIAL = ("one token per block", "contains 1", "singular layer in a window", "bias")


@pytest.mark.parametrize("page", ADDRESSES)
def test_special_values_on_every_page(visitor: Visitor, page: str) -> None:
    """N77."""
    for stop in stops({name: (DEFAULT, EDGES[name]) for name in SPECIAL}, [page]):
        assert faults(visitor, stop) == [], stop.name
