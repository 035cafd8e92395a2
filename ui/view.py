"""How the page is looked at, apart from what it shows; carried in the link beside the scenario."""

from collections.abc import Mapping
from typing import NamedTuple


class View(NamedTuple):
    """Settings of the looking: `present` enlarges everything for a projector and puts the sidebar away."""

    present: bool = False


NAMES = View._fields
"""Parameters of the link that belong to the view."""


def read(parameters: Mapping[str, str]) -> View:
    """Take the view out of a link."""
    return View(present=parameters.get("present") == "1")


def write(view: View) -> dict[str, str]:
    """Write the view for a link; what is as usual takes no room."""
    return {"present": "1"} if view.present else {}
