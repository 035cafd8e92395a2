"""Every setting of a scenario in the words of the schema: label, value, unit."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from figures.number import power
from presets import field
from presets.field import Model

LONGEST_LIST = 12
"""Longer lists, and all matrices, are named by their size alone; the settings file has their entries."""

_UNNAMED = ("schema_number", "title", "note")
_KINDS = {"kernel": "Attention kernel", "family": "Generator family", "compression": "Compression"}
_ABSENT = {"tokens": "K·P", "window": "automatic", "refresh_period": "held for the whole pass"}
"""What the lack of a value means, where that is worth saying."""


class Setting(NamedTuple):
    """One setting: its dotted path, the schema's label, its value, and the value in words with its unit."""

    path: str
    label: str
    value: Any
    text: str


def settings(part: Model, prefix: str = "") -> Iterator[Setting]:
    """Name every setting of a scenario, or of a part of it; what has no effect is left out."""
    for name, info in type(part).model_fields.items():
        value, path = getattr(part, name), f"{prefix}{name}"
        if name in _UNNAMED or (value is None and name not in _ABSENT) or _is_idle(part, name):
            continue
        if name in _KINDS and value is not None:
            yield Setting(f"{path}.kind", _KINDS[name], value.kind, value.kind.replace("_", " "))
        if isinstance(value, Model):
            yield from settings(value, f"{path}.")
        elif info.title:
            yield _setting(part, name, value, path)


def _is_idle(part: Model, name: str) -> bool:
    """Say whether other settings leave this one without effect."""
    return name == "angle" and getattr(part, "alignment", "angle") != "angle"


def _setting(part: Model, name: str, value: Any, path: str) -> Setting:
    about = field.about(type(part), name)
    unit = about.ui.unit
    title = about.label.removesuffix(f" ({unit})")
    if value is None:
        return Setting(path, title, value, _ABSENT[name])
    space = "" if unit in ("", "°") else " "
    text = f"{_words(value)}{space}{unit.removesuffix('s') if value == 1 else unit}"
    return Setting(path, title, value, text)


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        if isinstance(value[0], tuple):
            return _size(value)
        return ", ".join(map(_words, value)) if len(value) <= LONGEST_LIST else f"{len(value)} entries"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _number(value) if isinstance(value, int | float) else str(value).replace("_", " ")


def _size(value: Any) -> str:
    sizes = []
    while isinstance(value, tuple):
        sizes.append(str(len(value)))
        value = value[0]
    return f"{'×'.join(sizes)} entries"


def _number(value: float) -> str:
    mantissa, _, exponent = f"{value:.12g}".replace("-", "−").partition("e")
    if not exponent:
        return mantissa
    factor = "" if mantissa == "1" else f"{mantissa}×"
    return factor + power(int(exponent.replace("−", "-")))
