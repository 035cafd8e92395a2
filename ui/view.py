"""How the page is looked at, apart from what it shows; carried in the link beside the scenario."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from figures import FIGURES, PAGES, board_layout
from presets import board, map_axis, named
from presets.board import Layout
from presets.load import Refused
from presets.map_axis import ANGLE
from presets.message import Complaint
from presets.schema import Scenario

FIRST_FIGURES = "explore"
"""What the Compare page shows at first: a page of `figures.PAGES`, or one figure."""

OWN = "own"
"""What the link says of the compared figures' axes when each has its own."""

FIRST_BOARD = board.layout({"panels": [{"figure": slug} for slug in PAGES["explore"]]})
MOST_OTHERS = board.MOST_SCENARIOS - 1


class View(NamedTuple):
    """Settings of the looking.

    `present` enlarges everything for a projector and puts the sidebar away; `map` is the second parameter of
    the gate map, by its name in `presets.map_axis`; `others` are the scenarios compared with the visitor's
    own, `figures` what is shown of all of them, and `shared` whether on the same axes; `board` is what the
    builder arranges.
    """

    present: bool = False
    map: str = ANGLE
    others: tuple[Scenario, ...] = ()
    figures: str = FIRST_FIGURES
    shared: bool = True
    board: Layout = FIRST_BOARD


NAMES = ("present", "map", "with", "figures", "axes", "board")
"""Parameters of the link that belong to the view."""


def read(parameters: Mapping[str, str], families: Mapping[str, Any]) -> tuple[View, list[Complaint]]:
    """Take the view out of a link; what cannot be used is refused by name."""
    others, lost = _others(parameters.get("with", ""), families)
    shown, unknown = _figures(parameters.get("figures", FIRST_FIGURES))
    arranged, misplaced = _board(parameters.get("board"), len(others))
    looked = View(
        present=parameters.get("present") == "1",
        map=parameters.get("map", ANGLE),
        others=others,
        figures=shown,
        shared=parameters.get("axes") != OWN,
        board=arranged,
    )
    return looked, lost + unknown + misplaced


def fitted(view: View, scenario: Scenario) -> tuple[View, list[Complaint]]:
    """Put back what a scenario has no use for, and say so."""
    over, refused = map_axis.read(view.map, scenario)
    return view._replace(map=over), refused


def write(view: View) -> dict[str, str]:
    """Write the view for a link; what is as usual takes no room."""
    texts = {
        "present": "1" if view.present else "",
        "map": view.map if view.map != ANGLE else "",
        "with": ",".join(map(named.write, view.others)),
        "figures": view.figures if view.figures != FIRST_FIGURES else "",
        "axes": "" if view.shared else OWN,
        "board": board.layout_text(view.board) if view.board != FIRST_BOARD else "",
    }
    return {name: text for name, text in texts.items() if text}


def _others(text: str, families: Mapping[str, Any]) -> tuple[tuple[Scenario, ...], list[Complaint]]:
    """Read the scenarios to compare with, each by itself, so that one that is broken leaves the others."""
    found: list[Scenario] = []
    refused: list[Complaint] = []
    for entry in filter(None, text.split(",")):
        if len(found) == MOST_OTHERS:
            refused.append(Complaint("with", entry[:60], f"leaves no room; {MOST_OTHERS} may be named"))
            break
        try:
            scenario, said = named.read(entry, families)
        except Refused as error:
            refused += error.complaints
        else:
            found.append(scenario)
            refused += said
    return tuple(found), refused


def _figures(text: str) -> tuple[str, list[Complaint]]:
    if text in PAGES or text in FIGURES:
        return text, []
    reason = f"is neither a page nor a figure; using {FIRST_FIGURES}"
    return FIRST_FIGURES, [Complaint("figures", text[:60], reason)]


def _board(text: str | None, others: int) -> tuple[Layout, list[Complaint]]:
    """Read the builder's layout; a panel of a scenario that is not there is drawn of the visitor's own."""
    if text is None:
        return FIRST_BOARD, []
    try:
        layout = board.read_layout(text)
        board_layout.check(layout)
    except Refused as error:
        return FIRST_BOARD, [Complaint("board", found.value, found.reason) for found in error.complaints]
    if all(panel.scenario <= others for panel in layout.panels):
        return layout, []
    said = "a panel names a scenario that is not compared; drawn of the current one"
    panels = [panel if panel.scenario <= others else _of_own(panel) for panel in layout.panels]
    return layout.model_copy(update={"panels": tuple(panels)}), [Complaint("board", text[:60], said)]


def _of_own(panel: board.Panel) -> board.Panel:
    return panel.model_copy(update={"scenario": 0})
