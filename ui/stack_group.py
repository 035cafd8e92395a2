"""Controls of the stack: depth, family, and the family's own numbers."""

from typing import Any

import streamlit as st

from presets.family import FAMILIES, LARGEST_WIDTH, Explicit
from presets.field import about
from presets.schema import Scenario
from ui import controls, matrix_editor, matrix_text, words
from ui.keys import changed, keyed
from ui.session import put

LISTED = 8
"""Longest list that gets a slider per entry; longer ones are typed."""

OPEN_LISTS = 2
"""Widest list that is shown without asking."""


def draw(scenario: Scenario) -> None:
    """Draw the group."""
    family = scenario.family
    names = [name for name in type(family).model_fields if name != "kind"]
    lists = [name for name in names if isinstance(getattr(family, name), tuple)]
    matrices = isinstance(family, Explicit)
    with st.container(horizontal=True, gap="small", key="sizes"):
        controls.integer(about(Scenario, "depth"), "depth", scenario.depth)
        _width(scenario, [] if matrices else lists)
    controls.menu(
        "Generator family",
        "family.kind",
        family.kind,
        list(FAMILIES),
        words.family,
        "How the layer maps are described. A new family starts from its own defaults.",
    )
    for name in names:
        if name not in lists and name != "width" and not (matrices and family.period == 1):
            _scalar(scenario, name)
    if matrices:
        _matrices(family)
    elif lists:
        _lists(scenario, lists)


def _width(scenario: Scenario, lists: list[str]) -> None:
    """Draw the width: a setting of some families, the length of the lists in others, else a given."""
    family = scenario.family
    if "width" in type(family).model_fields:
        controls.integer(about(type(family), "width"), "family.width", family.width)
        return
    key = keyed("family.width", family.width)
    st.number_input(
        "Width d",
        1,
        LARGEST_WIDTH,
        family.width,
        step=1,
        key=key,
        disabled=not lists,
        help="Feature dimension." if lists else "Feature dimension; this family fixes it.",
        on_change=changed,
        args=(key, _resize, family, lists),
    )


def _resize(width: int, family: Any, lists: list[str]) -> None:
    """Cut every list to the new width, or repeat its last entry up to it."""
    entries = {name: getattr(family, name) for name in lists}
    put({f"family.{name}": (entry + entry[-1:] * width)[:width] for name, entry in entries.items()})


def _scalar(scenario: Scenario, name: str) -> None:
    family, path = scenario.family, f"family.{name}"
    if name != "repeat":
        controls.control(type(family), name, path, getattr(family, name))
        return
    entry, said = about(Explicit, name), {None: "Automatic", True: "For ever", False: "A window"}
    controls.menu(entry.label, path, getattr(family, name), list(said), said.__getitem__, entry.help)


def _lists(scenario: Scenario, lists: list[str]) -> None:
    """Draw the lists side by side, one row a direction, folded away when they are long."""
    family = scenario.family
    title = " · ".join(about(type(family), name).label.partition(" (")[0] for name in lists)
    key = f"lists-{family.kind}"
    folder = st.expander(title, expanded=family.width <= OPEN_LISTS, key=key, on_change="rerun")
    if not folder.open:
        return
    with folder:
        if family.width > LISTED:
            for name in lists:
                _typed_list(family, name)
            return
        for column, name in zip(st.columns(len(lists), gap="small"), lists, strict=True):
            with column:
                _sliders(family, name)


def _sliders(family: Any, name: str) -> None:
    entry = about(type(family), name)
    values = getattr(family, name)
    symbol = entry.label.partition(" (")[0].rpartition(" ")[2]
    for index in range(len(values)):
        label = f"{symbol if len(symbol) == 1 else entry.label} {index + 1}"
        controls.entry_slider(entry, f"family.{name}", values, index, label)


def _typed_list(family: Any, name: str) -> None:
    text = matrix_text.to_text((getattr(family, name),))
    controls.long_text(about(type(family), name), f"family.{name}", text, matrix_text.from_row)


def _matrices(family: Explicit) -> None:
    for name in ("mixing", "value"):
        entry, text = about(Explicit, name), matrix_text.to_text(getattr(family, name))
        if matrix_editor.fits(family.sequence(name)):
            matrix_editor.draw(entry, f"family.{name}", family.sequence(name))
        elif len(text) > matrix_text.LONGEST:
            st.caption(f"{entry.label}: {family.period} layers of {family.width}×{family.width}, as given.")
        else:
            controls.long_text(entry, f"family.{name}", text, matrix_text.from_text, matrix_text.HELP)
