"""Scenarios from files: the presets that come with the explorer, and JSON text from anybody."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from presets.message import Complaint, complaints
from presets.schema import Scenario

FOLDER = Path(__file__).parent
DEFAULT = "turning-saddle"
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
    if len(text) > LARGEST_TEXT:
        raise Refused.one("scenario", f"{len(text)} bytes", f"must be at most {LARGEST_TEXT} bytes")
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Refused.one("scenario", text[:20], f"is not valid JSON: {error}") from None
    return validate(content)


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


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a finite number")
