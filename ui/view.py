"""How the page is looked at, apart from what it shows; carried in the link beside the scenario."""

from collections.abc import Mapping
from typing import NamedTuple

from presets import map_axis
from presets.map_axis import ANGLE
from presets.message import Complaint
from presets.schema import Scenario


class View(NamedTuple):
    """Settings of the looking.

    `present` enlarges everything for a projector and puts the sidebar away; `map` is the second parameter of
    the gate map, by its name in `presets.map_axis`.
    """

    present: bool = False
    map: str = ANGLE


NAMES = View._fields
"""Parameters of the link that belong to the view."""


def read(parameters: Mapping[str, str]) -> View:
    """Take the view out of a link."""
    return View(present=parameters.get("present") == "1", map=parameters.get("map", ANGLE))


def fitted(view: View, scenario: Scenario) -> tuple[View, list[Complaint]]:
    """Put back what a scenario has no use for, and say so."""
    over, refused = map_axis.read(view.map, scenario)
    return view._replace(map=over), refused


def write(view: View) -> dict[str, str]:
    """Write the view for a link; what is as usual takes no room."""
    return ({"present": "1"} if view.present else {}) | ({"map": view.map} if view.map != ANGLE else {})
