"""Scenarios from files: the presets that come with the explorer, and JSON text from anybody."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from engine.device import PRECISION
from presets import migration
from presets.message import Complaint, complaints
from presets.schema import Scenario
from presets.version import VERSION

FOLDER = Path(__file__).parent
DEFAULT = "turning-saddle"
MADE_WITH = "made_with"
"""Key of a file that says, for people, which version and precision wrote it."""

LARGEST_TEXT = 64 * 2**20
"""Longest scenario text that is read, in bytes."""


class Refused(ValueError):
    """A scenario that cannot be used, with one complaint per field."""

    def __init__(self, found: list[Complaint]) -> None:
        super().__init__("; ".join(map(str, found)))
        self.complaints = found

    @classmethod
    def one(cls, path: str, value: str, reason: str) -> "Refused":
        """Refuse one value."""
        return cls([Complaint(path, value, reason)])


class Opened(NamedTuple):
    """A scenario from a file, and a note for every setting of an earlier version that was read anew."""

    scenario: Scenario
    notes: list[Complaint]


@cache
def preset_names() -> tuple[str, ...]:
    """List the presets' slugs, the default first, the rest in their files' order of teaching."""
    order: list[str] = json.loads((FOLDER / "order.json").read_text(encoding="utf-8"))
    return tuple(order)


@cache
def preset(name: str) -> Scenario:
    """Return a preset by its slug.

    **Raises:** `Refused` when there is none of that name.
    """
    if name not in preset_names():
        known = ", ".join(preset_names())
        raise Refused.one("preset", name, f"is not a preset; choose one of {known}")
    return parse((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def parse(text: str) -> Scenario:
    """Read a scenario from JSON text.

    **Raises:** `Refused`, naming every field that is wrong.
    """
    return opened(text).scenario


def opened(text: str) -> Opened:
    """Read a scenario from JSON text of this version or an earlier one.

    **Raises:** `Refused`, naming every field that is wrong.
    """
    return opened_data(plain(text))


def opened_data(content: Any) -> Opened:
    """Turn a file's plain data, of this version or an earlier one, into a scenario.

    **Raises:** `Refused`, naming every field that is wrong.
    """
    if isinstance(content, dict):
        content = {key: entry for key, entry in content.items() if key != MADE_WITH}
    number = migration.number_of(content)
    if reason := migration.unreadable(number):
        raise Refused.one(migration.KEY, str(number), reason)
    current, notes = migration.migrated_file(content)
    return Opened(validate(current), notes)


def plain(text: str, what: str = "scenario") -> Any:
    """Read JSON text, bounded and without infinities, as plain data.

    **Raises:** `Refused`, naming `what` it was to be.
    """
    if len(text) > LARGEST_TEXT:
        raise Refused.one(what, f"{len(text)} bytes", f"must be at most {LARGEST_TEXT} bytes")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise Refused.one(what, text[:20], "is nested too deeply") from None
    except ValueError as error:
        raise Refused.one(what, text[:20], f"is not valid JSON: {error}") from None


def validate(content: Any) -> Scenario:
    """Turn plain data into a scenario.

    **Raises:** `Refused`, naming every field that is wrong.
    """
    try:
        return Scenario.model_validate(content)
    except ValidationError as error:
        raise Refused(complaints(error)) from None
    except RecursionError:
        raise Refused.one("scenario", "…", "is nested too deeply") from None


def dump(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as plain data, complete, defaults filled in."""
    return scenario.model_dump(mode="json", by_alias=True)


def stamped(content: dict[str, Any]) -> dict[str, Any]:
    """Add to a file's plain data what made it; reading the file passes over that."""
    return {**content, MADE_WITH: {"version": VERSION, "precision": PRECISION}}


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a finite number")
