"""The second parameter of the gate map: which settings it may be, and how a scenario moves along it."""

from typing import Any, NamedTuple

from pydantic_core import PydanticCustomError

from presets import rules
from presets.field import About, Model, about
from presets.gate import Gate, Injection
from presets.message import Complaint
from presets.schema import Scenario

ANGLE, GAIN, REFRESH = "angle", "gain", "refresh"
"""Second parameters of the gate, as the link names them; those of a family begin with `family.`."""

LONGEST_LIST = 8
"""Entries of a list that may be drawn over, counted from the first."""

UNSEEN = ("value",)
"""Fields that move V and M against each other, so that B and the loop stay as they are."""

WHOLE_TURN = (-180.0, 180.0)
"""Angles of ψ drawn when the current one lies outside the comfortable window, degrees."""


class Axis(NamedTuple):
    """One setting the map may be drawn over.

    **Fields:**

    - `name`: as the link says it: `angle`, `gain`, `refresh`, `family.turn`, `family.multipliers.1`.
    - `path`: the setting's dotted path in the scenario.
    - `entry`: which entry of a list, from 0; None for a single number.
    - `about`: what the schema says of it.
    """

    name: str
    path: str
    entry: int | None
    about: About

    @property
    def is_stepped(self) -> bool:
        """Whether it takes whole numbers only: one lane each, nothing in between."""
        return self.about.whole

    @property
    def is_of_family(self) -> bool:
        """Whether it changes the layers themselves."""
        return self.path.startswith("family.")


_ANGLE = Axis(ANGLE, "gate.injection.angle", None, about(Injection, "angle"))
_GAIN = Axis(GAIN, "gate.injection.gain", None, about(Injection, "gain"))
_REFRESH = Axis(REFRESH, "gate.refresh_period", None, about(Gate, "refresh_period"))


TOO_FINE = ("almost_mathieu",)
"""Families whose gap is lost and found again between two points of the map's grid: their lanes would lie."""


def axes(scenario: Scenario) -> dict[str, Axis]:
    """Return every second parameter of a scenario by name, the angle of ψ first."""
    gain = [_GAIN] if scenario.gate.injection.gain is not None else []
    offered = [_ANGLE, *gain, _REFRESH, *(axis for axis in _of_family(scenario) if _fits(axis, scenario))]
    return {axis.name: axis for axis in offered}


def axis_of(scenario: Scenario, name: str) -> Axis:
    """Return a second parameter by name; the angle of ψ where the scenario has no such parameter."""
    return _ANGLE if name == ANGLE else axes(scenario).get(name, _ANGLE)


def read(name: str, scenario: Scenario) -> tuple[str, list[Complaint]]:
    """Take a second parameter from a link; one the scenario does not have is refused, for the angle."""
    if name in axes(scenario):
        return name, []
    reason = f"is not a second parameter of the map; choose one of {', '.join(axes(scenario))}; using {ANGLE}"
    return ANGLE, [Complaint("map", name[:60], reason)]


def value(axis: Axis, scenario: Scenario) -> float | None:
    """Return where a scenario stands on an axis; None where it has no such number."""
    if axis.name == ANGLE and scenario.gate.injection.alignment != "angle":
        return None
    found = _setting(axis, scenario)
    return found if axis.entry is None else found[axis.entry]


def change(axis: Axis, scenario: Scenario, wanted: float) -> dict[str, Any]:
    """Return the setting, by dotted path, that puts a scenario at a place of the axis."""
    number = round(wanted) if axis.is_stepped else wanted
    if axis.entry is None:
        return {axis.path: number}
    entries = _setting(axis, scenario)
    return {axis.path: (*entries[: axis.entry], number, *entries[axis.entry + 1 :])}


def moved(axis: Axis, scenario: Scenario, wanted: float) -> Scenario:
    """Return the scenario at another place of the axis."""
    ((path, setting),) = change(axis, scenario, wanted).items()
    return _replaced(scenario, path.split("."), setting)


def ends(axis: Axis, scenario: Scenario) -> tuple[float, float]:
    """Return the range of an axis: its comfortable window, wide enough for where the scenario stands."""
    current = value(axis, scenario)
    lower, upper = axis.about.window
    if current is None or lower <= current <= upper:
        return lower, upper
    return WHOLE_TURN if axis.name == ANGLE else axis.about.reaching(current)


def periods(scenario: Scenario) -> list[int]:
    """Return the refresh periods that have a lane: the schema's options and the current one."""
    options = {int(option) for option in _REFRESH.about.ui.options or ()}
    current = scenario.gate.refresh_period
    return sorted(options if current is None else options | {current})


def _of_family(scenario: Scenario) -> list[Axis]:
    """Return the family's continuous numbers, then the entries of its lists."""
    family = scenario.family
    if family.kind in TOO_FINE:
        return []
    numbers: list[Axis] = []
    entries: list[Axis] = []
    for name in type(family).model_fields:
        setting, known = getattr(family, name), about(type(family), name)
        if name in UNSEEN or known.whole or known.choices or known.ui.window is None:
            continue
        path = f"family.{name}"
        if isinstance(setting, tuple):
            listed = range(min(len(setting), LONGEST_LIST))
            entries += [Axis(f"{path}.{entry + 1}", path, entry, known) for entry in listed]
        else:
            numbers.append(Axis(path, path, None, known))
    return numbers + entries


def _fits(axis: Axis, scenario: Scenario) -> bool:
    """Say whether the scenario stays a permitted one at both ends of the axis."""
    try:
        for end in ends(axis, scenario):
            rules.check(moved(axis, scenario, end))
    except PydanticCustomError:
        return False
    return True


def _setting(axis: Axis, scenario: Scenario) -> Any:
    found: Any = scenario
    for name in axis.path.split("."):
        found = getattr(found, name)
    return found


def _replaced(model: Model, names: list[str], setting: Any) -> Any:
    head, *rest = names
    inner = _replaced(getattr(model, head), rest, setting) if rest else setting
    return model.model_copy(update={head: inner})
