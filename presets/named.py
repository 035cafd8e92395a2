"""A whole scenario in one parameter of a link: a preset's name, or its packed difference from one."""

import json
from collections.abc import Iterable, Mapping
from threading import Condition
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from cachetools import LRUCache, cached

from presets import link, packed
from presets.load import Refused, dump, opened, preset_names
from presets.message import Complaint
from presets.schema import Scenario

NOT_ONE = "is neither a preset’s name nor a packed scenario"


class Named(NamedTuple):
    """A scenario that a text names, and what of it could not be used."""

    scenario: Scenario
    refused: list[Complaint]


@cached(LRUCache(maxsize=256), condition=Condition())
def nearest(scenario: Scenario) -> Mapping[str, str]:
    """Return the shortest link of a scenario: the one from the preset it differs least from."""
    links = (link.write(scenario, name) for name in preset_names())
    return min(links, key=lambda found: len(json.dumps(found)))


def parameters(scenario: Scenario) -> Mapping[str, str]:
    """Return the link that names a scenario; matrices that do not fit are only named, by their digest.

    **Raises:** `Refused` when the rest does not fit into a parameter either.
    """
    shortest = nearest(scenario)
    if packed.pack(dict(shortest)):
        return shortest
    rest = {path: text for path, text in shortest.items() if path.partition(".")[0] != "family"}
    found = {**rest, "family": packed.digest(dump(scenario)["family"])}
    if packed.pack(found) is None:
        raise Refused.one("with", scenario.title[:60] or "scenario", "is too large for a link")
    return found


def write(scenario: Scenario) -> str:
    """Name a scenario in few characters without a comma.

    **Raises:** `Refused` when it does not fit into a parameter.
    """
    found = parameters(scenario)
    return found[link.PRESET_KEY] if len(found) == 1 else packed.pack(dict(found)) or ""


def read(text: str, families: Mapping[str, Any] | None = None) -> Named:
    """Read what `write` wrote; single settings that cannot be used are refused, as in any link.

    **Arguments:**

    - `text`: the name.
    - `families`: matrices too large for a link that are known here, by digest.

    **Raises:** `Refused` when the text names no scenario at all.
    """
    if not text.startswith(packed.MARK) and text not in preset_names():
        raise Refused.one("with", text[:60], NOT_ONE)
    linked = _unpacked(text) if text.startswith(packed.MARK) else {link.PRESET_KEY: text}
    family = linked.get("family", "")
    if family.startswith(packed.DIGEST_MARK) and family not in (families or {}):
        raise Refused.one(
            "with", family, "these matrices are too large for a link; paste the scenario instead"
        )
    return _of_link(link.read(linked, families=families))


def pasted(text: str, ignore: Iterable[str] = ()) -> Named:
    """Read a scenario from what a visitor has at hand: a link, a scenario's JSON, or a preset's name.

    **Arguments:**

    - `text`: what was pasted.
    - `ignore`: parameters of a link that do not belong to the scenario.

    **Raises:** `Refused` when it is none of the three.
    """
    tidy = text.strip()
    if tidy.startswith("{"):
        return Named(*opened(tidy))
    if tidy in preset_names() or tidy.startswith(packed.MARK):
        return read(tidy)
    _, found, query = tidy.rpartition("?")
    if not found and "=" not in tidy:
        raise Refused.one("with", tidy[:60], "is neither a link, nor a scenario’s JSON, nor a preset’s name")
    return _of_link(link.read(dict(parse_qsl(query if found else tidy, keep_blank_values=True)), ignore))


def _of_link(found: link.Read) -> Named:
    """Say of everything refused that it belongs to a scenario that is compared."""
    return Named(found.scenario, [entry._replace(path=f"with {entry.path}") for entry in found.refused])


def _unpacked(text: str) -> dict[str, str]:
    if len(text) > packed.LONGEST:
        raise Refused.one("with", text[:60], "is too long for a link")
    try:
        content = packed.unpack(text)
    except ValueError:
        raise Refused.one("with", text[:60], "is a packed scenario that does not unpack") from None
    if not isinstance(content, dict) or not all(isinstance(entry, str) for entry in content.values()):
        raise Refused.one("with", text[:60], NOT_ONE)
    return content
