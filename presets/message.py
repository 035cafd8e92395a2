"""Refusals in words: which field, which value, what would be accepted."""

from collections import Counter
from typing import Any, NamedTuple

from pydantic import ValidationError


class Complaint(NamedTuple):
    """One refused value: `path` is the dotted key, `value` what was given, `reason` why and what to do.

    With `is_note` it was not refused, but read otherwise than written.
    """

    path: str
    value: str
    reason: str
    is_note: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.reason} (got {self.value})"


LONGEST_ECHO = 60
_UNION_TAGS = frozenset({"constrained-float", "float", "int", "constrained-int", "function-after"})


def complaints(error: ValidationError) -> list[Complaint]:
    """Turn pydantic's errors into complaints, one per field, in the order found."""
    found: dict[str, Complaint] = {}
    for entry in _meant(error.errors(include_url=False)):
        complaint = _complaint(entry)
        found.setdefault(complaint.path, complaint)
    return list(found.values())


def _meant(errors: list[Any]) -> list[Any]:
    """Keep what is wrong with a value itself.

    A value that may be lists of several depths is blamed as the depth with the fewest missing lists; a list
    whose entries are wrong is not blamed for lacking them.
    """
    readings = [_reading(entry["loc"]) for entry in errors]
    missing = Counter(
        own for own, entry in zip(readings, errors, strict=True) if entry["type"] == "tuple_type"
    )
    best: dict[Any, Any] = {}
    for own in sorted(set(readings), key=lambda own: missing[own], reverse=True):
        best[own[0]] = own
    inner = {entry["loc"][:end] for entry in errors for end in range(len(entry["loc"]))}
    return [
        entry
        for entry, own in zip(errors, readings, strict=True)
        if own == best[own[0]] and not (entry["type"] == "too_short" and entry["loc"] in inner)
    ]


def _reading(location: tuple[int | str, ...]) -> tuple[tuple[int | str, ...], str]:
    """Split a location into its field and the depth of lists it was read as, if any."""
    for place, part in enumerate(location):
        if "[" in str(part):
            return location[:place], str(part)
    return location, ""


def _complaint(entry: Any) -> Complaint:
    context = entry.get("ctx", {})
    path = context["path"] if entry["type"] == "refused" else _path(entry["loc"], entry["type"])
    value = context["value"] if entry["type"] == "refused" else entry["input"]
    if entry["type"] == "union_tag_invalid":
        value = context["tag"]
    return Complaint(path, _echo(value), _reason(entry, context))


def _path(location: tuple[int | str, ...], kind: str) -> str:
    """Drop the names of union members that pydantic mixes into a location."""
    parts: list[str] = []
    for index, part in enumerate(location):
        text = str(part)
        follows_union = index > 0 and location[index - 1] in ("family", "kernel", "compression")
        if (follows_union and isinstance(part, str)) or "[" in text or text in _UNION_TAGS:
            continue
        parts.append(text)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        parts.append("kind")
    return ".".join(parts) or "scenario"


def _echo(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= LONGEST_ECHO else text[: LONGEST_ECHO - 1] + "…"


def _reason(entry: Any, context: dict[str, Any]) -> str:
    match entry["type"]:
        case "refused":
            return context["reason"]
        case "greater_than_equal":
            return f"must be at least {context['ge']:g}"
        case "less_than_equal":
            return f"must be at most {context['le']:g}"
        case "finite_number":
            return "must be a finite number"
        case "int_type" | "int_from_float" | "int_parsing":
            return "must be a whole number"
        case "float_type" | "float_parsing":
            return "must be a number"
        case "bool_type" | "bool_parsing":
            return "must be true or false"
        case "tuple_type" | "list_type":
            return "must be a list"
        case "string_type":
            return "must be text"
        case "string_too_long":
            return f"must have at most {context['max_length']} characters"
        case "too_long":
            return f"must have at most {context['max_length']} entries"
        case "too_short":
            return f"must have at least {context['min_length']} entries"
        case "literal_error":
            return f"must be one of {context['expected']}"
        case "union_tag_invalid":
            return f"is not available; choose one of {context['expected_tags']}"
        case "union_tag_not_found":
            return "must say which kind it is"
        case "extra_forbidden":
            return "is not a known key"
        case "missing":
            return "is missing"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "must be an object with keys"
        case "json_invalid":
            return f"is not valid JSON: {context.get('error', entry['msg'])}"
        case _:
            return entry["msg"]
