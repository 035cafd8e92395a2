"""The visitor's one scenario: read from the link, changed through one door, written back to the link."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from figures import board_layout
from presets import link, named, packed
from presets.board import Board, Layout
from presets.load import Refused, dump, preset, validate
from presets.message import Complaint
from presets.path import flatten
from presets.schema import Scenario
from ui import view
from ui.view import View

_KEY = "session"

MOST_FAMILIES = 8

_YIELDING: dict[str, dict[str, Any]] = {
    "window": {"window": None},
    "tokens": {"tokens": None},
    "compression": {"compression.kind": "mean"},
    "gate.injection": {
        "gate.injection.matrix": None,
        "gate.injection.alignment": "angle",
        "gate.injection.bias": None,
    },
}
"""Settings that give way, back to their defaults, when a change elsewhere leaves no room for them."""


@dataclass
class Session:
    """What one visitor sees: the scenario, the preset it started from, what was refused, and the view.

    `runs` counts script runs, short ones too, and `picks` clicks into the gate map; `revisions`, `live` and
    `grids` belong to the widgets; `families` are the last ones that were too large for a link; the rest
    belongs to what follows ϱ alone, but for `visitor`, which tells this session from every other.
    """

    scenario: Scenario
    preset: str
    complaints: list[Complaint] = field(default_factory=list)
    view: View = field(default_factory=View)
    runs: int = 0
    picks: int = 0
    revisions: dict[str, int] = field(default_factory=dict)
    live: dict[str, str] = field(default_factory=dict)
    outside: tuple[Scenario, bool] | None = None
    is_full: bool = True
    leader: tuple[DeltaGenerator, Callable[[Scenario], None]] | None = None
    families: dict[str, Any] = field(default_factory=dict)
    grids: dict[str, tuple[tuple[tuple[float, ...], ...], int]] = field(default_factory=dict)
    computes: list[Callable[[Scenario], object]] = field(default_factory=list)
    shown: Scenario | None = None
    followers: list[Callable[[], Callable[[], object]]] = field(default_factory=list)
    visitor: object = field(default_factory=object)


def session() -> Session:
    """Return the running visitor's session."""
    return st.session_state[_KEY]


def start_run() -> None:
    """Bring session and link together, first thing in every full run.

    The link is read at the session's start and after the browser's back and forward, and at no other time:
    an event sent before the newest link reached the browser still carries the old one. Everything else
    writes the link, before the navigation, so that a switch of page is one history entry.
    """
    parameters = st.query_params.to_dict()
    if _KEY not in st.session_state:
        read = link.read(parameters, view.NAMES)
        looked, refused = view.read(parameters, {})
        st.session_state[_KEY] = Session(read.scenario, read.preset, read.refused + refused, looked)
    elif parameters and _through_history():
        current = session()
        read = link.read(parameters, view.NAMES, current.families)
        current.scenario, current.preset, current.complaints = read
        current.view, refused = view.read(parameters, current.families)
        current.complaints = current.complaints + refused
    current = session()
    current.view, refused = view.fitted(current.view, current.scenario)
    current.complaints = current.complaints + refused
    current.runs += 1
    current.is_full, current.leader, current.followers, current.computes = True, None, [], []
    write_link()


def write_link() -> None:
    """Write the session's link into the address bar, as one history entry, if it is not there yet."""
    current = session()
    wanted = link.write(current.scenario, current.preset)
    _hold_family(wanted.get("family", ""), current.scenario)
    wanted |= view.write(current.view)
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _hold_family(name: str, scenario: Scenario) -> None:
    """Keep a family that the link only names, so that back and forward find it."""
    kept = session().families
    if name.startswith(packed.DIGEST_MARK) and name not in kept:
        kept[name] = dump(scenario)["family"]
        while len(kept) > MOST_FAMILIES:
            kept.pop(next(iter(kept)))


def put(changes: Mapping[str, Any]) -> None:
    """Change settings by dotted path, all together; what cannot be used is refused and the old stays.

    A setting elsewhere that no longer fits goes back to its default, and that is said.
    """
    current = session()
    content = _with(dump(current.scenario), changes)
    said: list[Complaint] = []
    while True:
        try:
            current.scenario = validate(content)
        except Refused as error:
            blamed = _yielding(error.complaints, changes, said)
            if not blamed:
                current.complaints = [_keeping(found, current.scenario) for found in error.complaints]
                return
            said += [
                found._replace(reason=f"{found.reason}; back to its default") for found in error.complaints
            ]
            for part in blamed:
                content = _with(content, _YIELDING[part])
        else:
            current.complaints = said
            return


def setting(path: str) -> Any:
    """Return the current value of a setting by its dotted path."""
    value: Any = session().scenario
    for name in path.split("."):
        value = getattr(value, name)
    return value


def choose(name: str) -> None:
    """Replace every setting by a preset's."""
    current = session()
    current.scenario, current.preset, current.complaints = preset(name), name, []


def present(chosen: bool) -> None:
    """Turn projector mode on or off."""
    current = session()
    current.view = current.view._replace(present=chosen)


def choose_map(over: str) -> None:
    """Draw the gate map over another second parameter."""
    current = session()
    current.view = current.view._replace(map=over)


def look(**changes: Any) -> None:
    """Change how the page is looked at, by the names of `View`."""
    current = session()
    current.view, current.complaints = current.view._replace(**changes), []


def compare_with(scenario: Scenario, notes: Sequence[Complaint] = ()) -> None:
    """Set one more scenario beside the visitor's own; refuse it where none can follow or no link holds it."""
    current = session()
    if len(current.view.others) == view.MOST_OTHERS:
        reason = f"leaves no room; at most {view.MOST_OTHERS} are compared with yours"
        raise Refused.one("with", scenario.title[:60] or "scenario", reason)
    _hold_family(named.parameters(scenario).get("family", ""), scenario)
    look(others=(*current.view.others, scenario))
    current.complaints = list(notes)


def open_scenario(scenario: Scenario, notes: Sequence[Complaint] = ()) -> None:
    """Replace every setting by a file's; the preset becomes the one it differs least from."""
    current = session()
    current.scenario, current.complaints = scenario, list(notes)
    current.preset = named.nearest(scenario)[link.PRESET_KEY]


def open_board(board: Board, notes: Sequence[Complaint] = ()) -> None:
    """Take a board from a file: its first scenario becomes the visitor's own, the others stand beside it."""
    board_layout.check(board)
    own, *others = board.scenarios
    for other in others:
        named.parameters(other)
    open_scenario(own, notes)
    layout = Layout(width=board.width, columns=board.columns, panels=board.panels)
    current = session()
    current.view = current.view._replace(others=tuple(others), board=layout, map=board.map)


def refuse(error: Refused) -> None:
    """Say why something from outside could not be used; every setting stays."""
    session().complaints = error.complaints


def modified() -> bool:
    """Say whether a setting has left the preset."""
    current = session()
    return current.scenario != preset(current.preset)


def number(text: str) -> Any:
    """Read a typed number; anything else stays text, for the schema to refuse by name."""
    tidy = text.strip().replace("\N{MINUS SIGN}", "-")
    try:
        return json.loads(tidy)
    except ValueError:
        return tidy


def _through_history() -> bool:
    return getattr(get_script_run_ctx(), "is_history_navigation", False)


def _with(content: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    for path, value in changes.items():
        content = link.with_value(content, path, value)
    return content


def _yielding(found: list[Complaint], changes: Mapping[str, Any], said: list[Complaint]) -> set[str]:
    """Name the parts that may give way: only if they alone are to blame, and were not changed just now."""
    parts = {part for part in _YIELDING if any(_within(complaint.path, part) for complaint in found)}
    alone = all(any(_within(complaint.path, part) for part in parts) for complaint in found)
    touched = any(_within(path, part) for path in changes for part in parts)
    again = any(_within(complaint.path, part) for complaint in said for part in parts)
    return parts if alone and not touched and not again else set()


def _within(path: str, part: str) -> bool:
    return path == part or path.startswith(f"{part}.")


def _keeping(complaint: Complaint, scenario: Scenario) -> Complaint:
    kept = flatten(dump(scenario)).get(complaint.path)
    return complaint if kept is None else complaint._replace(reason=f"{complaint.reason}; keeping {kept}")
