"""Which widget shows which setting, so that no word from an outdated widget is taken for a wish.

A setting may change elsewhere: undo, a preset, its twin (a slider and the box beside it), a refusal. Writing
the new value into the widget is not safe, since an event that left the browser earlier still brings the
old value and would take the change back. Instead the widget is replaced by a new one, under a new key,
that starts from the scenario; what outdated widgets still say is not heard.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from presets.field import tidy
from ui.session import session


def keyed(role: str, value: Any, variant: str = "") -> str:
    """Return the key of the widget that shows a value in a role.

    **Arguments:**

    - `role`: what the widget sets, without "~".
    - `value`: what it must show. A slider's rounding does not count as a difference, so the widget in
      hand stays, and keeps the focus.
    - `variant`: whatever else makes it another widget, such as its range: a slider re-created under its old
      key may start at its minimum.
    """
    current = session()
    base = f"{role}~{variant}"
    key = f"{base}#{current.revisions.get(base, 0)}"
    held = st.session_state.get(key, value)
    if (tidy(held) if isinstance(held, float) else held) != value:
        current.revisions[base] = current.revisions.get(base, 0) + 1
        key = f"{base}#{current.revisions[base]}"
    current.live[role] = key
    return key


def changed(key: str, take: Callable[..., None], *arguments: Any) -> None:
    """Pass a widget's new value on, unless the widget is outdated; the callback of every control."""
    if session().live.get(key.partition("~")[0]) == key:
        take(st.session_state[key], *arguments)
