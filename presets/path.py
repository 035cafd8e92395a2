"""Nested settings as dotted paths, and back."""

from collections.abc import Mapping
from typing import Any


def flatten(content: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings as dotted paths; lists stay whole."""
    flat: dict[str, Any] = {}
    for key, entry in content.items():
        path = f"{prefix}{key}"
        flat |= flatten(entry, f"{path}.") if isinstance(entry, Mapping) else {path: entry}
    return flat


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted paths as nested settings."""
    content: dict[str, Any] = {}
    for path, entry in flat.items():
        *outer, name = path.split(".")
        inside = content
        for part in outer:
            inside = inside.setdefault(part, {})
        inside[name] = entry
    return content
