"""Links and files of earlier versions, read under today's schema, with a note for every change.

A schema number rises when a setting is renamed, leaves, or means something else. Whoever raises it writes
into `STEPS`, under the number that is left, how each such setting is read from then on; nothing else needs to
know. The published presets keep their settings, since links are differences from them.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from presets.message import Complaint
from presets.path import flatten, nested

UNNUMBERED = 1
"""Schema of a link or file that names none: the first one published."""

CURRENT = 1
"""Schema of this version."""

KEY = "schema"


class Reading(NamedTuple):
    """How one setting of a schema is read under the next.

    **Fields:**

    - `old`: its dotted path.
    - `new`: its path from then on; None when nothing takes its place.
    - `convert`: from the old value to the new one.
    """

    old: str
    new: str | None
    convert: Callable[[Any], Any] = lambda value: value


STEPS: dict[int, tuple[Reading, ...]] = {}
"""The readings that lead from a schema number to the next one."""


class Migrated(NamedTuple):
    """Settings under today's schema, without its number, and a note for every one that was read anew."""

    settings: dict[str, Any]
    notes: list[Complaint]


def unreadable(number: Any) -> str | None:
    """Say why settings of a schema number cannot be read; None when they can, or when it is no number."""
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    if number > CURRENT:
        return f"was made with a newer version of the explorer; this one knows schema {CURRENT} and older"
    if number != CURRENT and number not in STEPS:
        return f"is no schema of the explorer; the oldest is {min([*STEPS, CURRENT])}"
    return None


def migrated(flat: Mapping[str, Any], number: int) -> Migrated:
    """Read settings, by dotted path, of a schema that is not `unreadable` under today's."""
    settings = {path: value for path, value in flat.items() if path != KEY}
    notes: list[Complaint] = []
    for step in range(number, CURRENT):
        for reading in STEPS[step]:
            if reading.old in settings:
                settings, note = _read(reading, settings, number)
                notes += note
    return Migrated(settings, notes)


def number_of(content: Any) -> Any:
    """Return the schema number of a scenario's plain data, whatever stands there."""
    return content.get(KEY, UNNUMBERED) if isinstance(content, Mapping) else CURRENT


def migrated_file(content: Any) -> tuple[Any, list[Complaint]]:
    """Read a scenario's plain data, complete or not, under today's schema; what needs no step stays."""
    number = number_of(content)
    if not isinstance(number, int) or isinstance(number, bool) or number == CURRENT:
        return content, []
    found = migrated(flatten(content), number)
    return {KEY: CURRENT, **nested(found.settings)}, found.notes


def _read(reading: Reading, settings: dict[str, Any], number: int) -> tuple[dict[str, Any], list[Complaint]]:
    """Follow one reading, in place of the old path, and say what changed."""
    old = settings[reading.old]
    new = {} if reading.new is None else {reading.new: reading.convert(old)}
    moved: dict[str, Any] = {}
    for path, value in settings.items():
        moved |= new if path == reading.old else {path: value}
    if new == {reading.old: old}:
        return settings, []
    how = "left out, as nothing takes its place"
    if reading.new is not None:
        how = f"read as {reading.new} = {new[reading.new]}"
    reason = f"made with an earlier version (schema {number}), {how}"
    return moved, [Complaint(reading.old, str(old)[:60], reason, is_note=True)]
