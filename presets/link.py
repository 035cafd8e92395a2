"""The link: a scenario as its difference from a preset, in the address bar, and back."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from presets import migration, packed
from presets.family import FAMILIES
from presets.load import DEFAULT, Refused, dump, preset, validate
from presets.message import Complaint
from presets.path import flatten
from presets.schema import Scenario

PRESET_KEY = "preset"
WORDS = ("title", "note")
"""Parameters that are text even when they look like numbers."""

LONGEST_PLAIN = 1500
"""Longest text of a family's matrices that a link writes out as it is."""

LONGEST_VALUE = 4000
"""Longest text of one parameter that is read."""


class Read(NamedTuple):
    """What a link said: the scenario, the preset it starts from, and what was refused or read anew."""

    scenario: Scenario
    preset: str
    refused: list[Complaint]


def with_value(content: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of nested settings with one dotted path changed.

    A new `kind` (of family, kernel or compression) starts from that kind's own defaults.
    """
    head, _, rest = path.partition(".")
    if not rest:
        return {**content, head: value}
    inner = content.get(head)
    if rest == "kind" and head in ("family", "kernel", "compression"):
        return {**content, head: _defaults_of(head, value)}
    return {**content, head: with_value(inner if isinstance(inner, dict) else {}, rest, value)}


def write(scenario: Scenario, name: str) -> dict[str, str]:
    """Return the query parameters of a scenario: the preset's slug and every difference from it."""
    base = dump(preset(name))
    content = dump(scenario)
    for union in ("family", "kernel", "compression"):
        if content[union]["kind"] != base[union]["kind"]:
            base = with_value(base, f"{union}.kind", content[union]["kind"])
            base[union]["kind"] = None
    flat, reference = flatten(content), flatten(base)
    changed = {path: _text(entry) for path, entry in flat.items() if reference.get(path, _ABSENT) != entry}
    number = {migration.KEY: str(migration.CURRENT)} if migration.CURRENT != migration.UNNUMBERED else {}
    return {PRESET_KEY: name, **number, **_shortened(changed, content)}


def read(
    parameters: Mapping[str, str], ignore: Iterable[str] = (), families: Mapping[str, Any] | None = None
) -> Read:
    """Read a link; refuse, one by one and by name, what cannot be used.

    `families` are families too large for a link that are known here, by digest.

    All parameters are applied together, so that fields that depend on each other arrive at once; those a
    refusal names are dropped and the rest is tried again.
    """
    skipped = set(ignore) | {PRESET_KEY}
    refused: list[Complaint] = []
    name = parameters.get(PRESET_KEY, DEFAULT)
    try:
        base = dump(preset(name))
    except Refused as error:
        refused += error.complaints
        name = DEFAULT
        base = dump(preset(name))
    wanted, notes = _of_today({path: text for path, text in parameters.items() if path not in skipped})
    base, wanted, lost = _with_family(base, wanted, families or {})
    refused += lost
    while True:
        try:
            scenario = validate(_apply(base, wanted))
        except Refused as error:
            blamed = _blamed(error.complaints, wanted, base)
            if not blamed:
                return Read(preset(name), name, notes + refused + error.complaints)
            refused += blamed.values()
            wanted = {path: text for path, text in wanted.items() if path not in blamed}
        else:
            return Read(scenario, name, notes + [_with_used(found, scenario) for found in refused])


_ABSENT = object()


def _of_today(wanted: dict[str, str]) -> tuple[dict[str, str], list[Complaint]]:
    """Read the parameters of a link of an earlier version under today's schema; drop those of a newer one."""
    number = _value(wanted.get(migration.KEY, str(migration.UNNUMBERED)))
    if reason := migration.unreadable(number):
        used = f"{reason}; showing the preset as it is here"
        return {}, [Complaint(migration.KEY, str(number), used)]
    if number == migration.CURRENT or not isinstance(number, int):
        return wanted, []
    values = {path: text if path in WORDS else _value(text) for path, text in wanted.items()}
    found = migration.migrated(flatten(values), number)
    return {path: _short_text(value) for path, value in found.settings.items()}, found.notes


def _shortened(changed: dict[str, str], content: dict[str, Any]) -> dict[str, str]:
    """Pack a family whose matrices make the link long; name what does not fit even so by its digest."""
    own = {path: text for path, text in changed.items() if path.startswith("family.")}
    if sum(map(len, own.values())) <= LONGEST_PLAIN:
        return changed
    rest = {path: text for path, text in changed.items() if path not in own}
    return {**rest, "family": packed.pack(content["family"]) or packed.digest(content["family"])}


def _defaults_of(union: str, kind: Any) -> dict[str, Any]:
    if union == "family" and kind in FAMILIES:
        return FAMILIES[kind][0]().model_dump(mode="json")
    return {"kind": kind}


def _apply(base: dict[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    content = base
    for path in sorted(wanted, key=lambda key: (key != "family", not key.endswith(".kind"))):
        content = with_value(content, path, wanted[path] if path in WORDS else _value(wanted[path]))
    if "gate.injection.matrix" in wanted and "gate.injection.alignment" not in wanted:
        content = with_value(content, "gate.injection.alignment", None)
    return content


def _with_family(
    base: dict[str, Any], wanted: dict[str, str], families: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str], list[Complaint]]:
    """Put in a family that the link only names by its digest, or complain that it is not here."""
    name = wanted.get("family", "")
    if not name.startswith(packed.DIGEST_MARK):
        return base, wanted, []
    rest = {path: text for path, text in wanted.items() if path != "family"}
    if name in families:
        return {**base, "family": families[name]}, rest, []
    reason = "these matrices are too large for a link; open the scenario's file instead"
    return base, rest, [Complaint("family", name[:60], reason)]


def _blamed(found: list[Complaint], wanted: Mapping[str, str], base: dict[str, Any]) -> dict[str, Complaint]:
    """Match complaints to the parameters that caused them.

    A rule across fields may name a field the link does not set: then the parameter of the same part of the
    scenario is to blame, or the one without which the link can be used, or all of them.
    """
    blamed: dict[str, Complaint] = {}
    for complaint in found:
        part = complaint.path.partition(".")[0]
        close = (
            [path for path in wanted if _related(path, complaint.path)]
            or [path for path in wanted if path.partition(".")[0] == part]
            or [path for path in wanted if _valid(base, {key: wanted[key] for key in wanted if key != path})][
                :1
            ]
            or list(wanted)
        )
        for path in close:
            blamed[path] = Complaint(path, wanted[path][:60], complaint.reason)
    return blamed


def _valid(base: dict[str, Any], wanted: Mapping[str, str]) -> bool:
    try:
        validate(_apply(base, wanted))
    except Refused:
        return False
    return True


def _related(path: str, blamed: str) -> bool:
    return path == blamed or blamed.startswith(f"{path}.") or path.startswith(f"{blamed}.")


def _with_used(complaint: Complaint, scenario: Scenario) -> Complaint:
    used = flatten(dump(scenario)).get(complaint.path, _ABSENT)
    suffix = "" if used is _ABSENT else f"; using {'the automatic value' if used is None else _text(used)}"
    return complaint._replace(reason=complaint.reason + suffix)


def _unpacked(text: str) -> Any:
    try:
        return packed.unpack(text)
    except ValueError:
        return text


def _text(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, list) and all(
        isinstance(part, int | float) and not isinstance(part, bool) for part in entry
    ):
        return ",".join(json.dumps(part) for part in entry) + ("," if len(entry) == 1 else "")
    return json.dumps(entry, separators=(",", ":"))


def _short_text(entry: Any) -> str:
    """Write one parameter, packed where it is longer than what is read as it stands."""
    text = _text(entry)
    return text if len(text) <= LONGEST_VALUE else packed.pack(entry) or text


def _value(text: str) -> Any:
    """Read one parameter: JSON where it is JSON, a comma-separated list, else text."""
    if text.startswith(packed.MARK) and len(text) <= packed.LONGEST:
        return _unpacked(text)
    if len(text) > LONGEST_VALUE:
        return text[:LONGEST_VALUE]
    for candidate in (text, f"[{text.rstrip(',')}]" if "," in text else text):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return text
