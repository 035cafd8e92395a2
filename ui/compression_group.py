"""Controls of the compression Π: which summary of a block the slow path holds."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from presets.compression import COMPRESSIONS, Multilevel, Scored, Select
from presets.field import about
from presets.schema import Scenario
from ui import controls, matrix_text, words
from ui.keys import changed, keyed
from ui.session import put, session


def draw(scenario: Scenario) -> None:
    """Draw the menu of compressions and the numbers of the chosen one."""
    compression = scenario.compression
    about_it = "How a block of P tokens becomes the one summary that is held and injected."
    _menu(scenario, "compression.kind", "Compression Π", words.compression, help=about_it)
    for name in _LISTS.get(compression.kind, ()):
        entries = getattr(compression, name)
        text = ", ".join(words.typed(entry) for entry in entries)
        controls.line(
            about(type(compression), name), f"compression.{name}", text, partial(_listed, name, entries)
        )
    if isinstance(compression, Scored):
        controls.control(Scored, "temperature", "compression.temperature", compression.temperature)
    st.caption(_remark(scenario))


def menu() -> None:
    """Draw the menu of compressions a second time, for the head of a panel."""
    _menu(
        session().scenario, "summary", "Compression of the panel", words.summary, label_visibility="collapsed"
    )


def _menu(scenario: Scenario, role: str, label: str, written: Callable[[str], str], **look: Any) -> None:
    kind = scenario.compression.kind
    key = keyed(role, kind, str(scenario.block_length))
    st.selectbox(
        label,
        list(COMPRESSIONS),
        list(COMPRESSIONS).index(kind),
        key=key,
        format_func=written,
        on_change=changed,
        args=(key, _compress, scenario.block_length),
        **look,
    )


_LISTS = {"select": ("positions", "weights"), "scored": ("scores",), "multilevel": ("levels",)}


def _compress(kind: str, length: int) -> None:
    put({"compression.kind": kind, **_fitting(kind, length)})


def _listed(name: str, before: tuple[float, ...], text: str) -> None:
    """Take a typed list; as many positions as weights, so a new number of positions weighs all alike."""
    entries = matrix_text.from_row(text)
    changes: dict[str, Any] = {f"compression.{name}": entries}
    if name == "positions" and len(entries) != len(before) and entries:
        changes["compression.weights"] = (1 / len(entries),) * len(entries)
    put(changes)


def _fitting(kind: str, length: int) -> dict[str, Any]:
    """Start a compression from values that suit the block length."""
    if kind == Select().kind:
        chosen = (0, length // 2) if length > 1 else (0,)
        return {"compression.positions": chosen, "compression.weights": (1 / len(chosen),) * len(chosen)}
    if kind == Scored().kind:
        return {"compression.scores": tuple(float(position) for position in range(length))}
    if kind == Multilevel().kind:
        halves = next((factor for factor in range(2, length) if length % factor == 0), length)
        return {"compression.levels": (halves, length // halves)}
    return {}


def _remark(scenario: Scenario) -> str:
    if isinstance(scenario.compression, Scored) and scenario.compression.temperature == 0:
        return "A hard choice of one token is not differentiable in the scores: assumption A3 fails."
    return (
        "Where all tokens agree, every Π returns the common value: it matters only while they still differ."
    )
