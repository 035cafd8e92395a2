"""Controls drawn from the schema: each shows the scenario, and changes it only through its callback."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presets import field
from presets.field import About, Model, rounded_up, tidy
from ui import words
from ui.keys import changed, keyed
from ui.session import number, put, setting

SLIDER_STEPS = 200
"""Steps of a slider whose schema names none."""


def commit(value: Any, path: str, read: Callable[[Any], Any] = lambda value: value) -> None:
    """Take a widget's value into the scenario."""
    put({path: read(value)})


def slider(about: About, path: str, value: float, *, reach: float | None = None, role: str = "") -> None:
    """Draw a slider; its range widens to the next 1-2-5 number when the value lies outside.

    `role` tells a second slider of one setting from the first. `reach` replaces the window by ±reach. The
    range is part of the key: a slider re-created under its old key may start at its minimum.
    """
    limits = widened(about, value, reach)
    step = None if reach is None else (limits[1] - limits[0]) / SLIDER_STEPS
    _slider(about, f"{role}{path}", limits, value, step, _slid, path)


def entry_slider(about: About, path: str, values: tuple[float, ...], index: int, label: str) -> None:
    """Draw a slider for one entry of a list."""
    entry = about._replace(label=label, help="")
    limits = widened(about, values[index])
    _slider(entry, f"{path}.{index}", limits, values[index], None, _slid_entry, path, index)


def _slider(
    about: About,
    role: str,
    limits: tuple[float, float],
    value: float,
    step: float | None,
    take: Callable[..., None],
    *arguments: Any,
) -> None:
    step = step or about.ui.step or (limits[1] - limits[0]) / SLIDER_STEPS
    limits = aligned(limits, step, value)
    kind: type = int if about.whole else float
    key = keyed(role, kind(value), f"{limits[0]:g}~{limits[1]:g}")
    st.slider(
        about.label,
        kind(limits[0]),
        kind(limits[1]),
        kind(value),
        step=kind(step),
        format="%d" if about.whole else f"%.{max(decimals(step), decimals(value))}f",
        key=key,
        help=about.help or None,
        on_change=changed,
        args=(key, take, *arguments),
    )


def _slid(value: float, path: str) -> None:
    put({path: value if isinstance(value, int) else tidy(value)})


def _slid_entry(value: float, path: str, index: int) -> None:
    values = setting(path)
    put({path: (*values[:index], tidy(value), *values[index + 1 :])})


def select_slider(
    about: About, path: str, value: float | None, *, extra: Sequence[Any] = (), role: str = ""
) -> None:
    """Draw a slider over the schema's options; a value in between joins them."""
    options = [*sorted({*(about.ui.options or ()), *([] if value is None else [value])}), *extra]
    key = keyed(f"{role}{path}", value, "~".join(map(str, options)))
    st.select_slider(
        about.label,
        options,
        value,
        key=key,
        format_func=words.value,
        help=about.help,
        on_change=changed,
        args=(key, commit, path),
    )


def box(about: About, path: str) -> None:
    """Draw a small text box for typing any value; it empties itself, and the slider shows the result."""
    key = keyed(f"{path}.typed", "")
    st.text_input(
        f"{about.label}, typed",
        key=key,
        max_chars=24,
        placeholder="type",
        label_visibility="collapsed",
        on_change=changed,
        args=(key, _typed, path),
    )


def _typed(text: str, path: str) -> None:
    if text.strip():
        put({path: number(text)})


def beside_box(about: About, path: str) -> DeltaGenerator:
    """Draw a box for typing, and return the place beside it for the slider."""
    place = st.container(key=f"typed-{path.replace('.', '-')}")
    with place:
        box(about, path)
    return place


def integer(about: About, path: str, value: int, *, disabled: bool = False) -> None:
    """Draw a number box for a whole number."""
    key = keyed(path, value)
    st.number_input(
        about.label.partition(" (")[0],
        int(about.lower),
        int(about.upper),
        value,
        step=1,
        key=key,
        help=about.help,
        disabled=disabled,
        on_change=changed,
        args=(key, commit, path),
    )


def menu(
    label: str, path: str, value: Any, options: Sequence[Any], words_of: Callable[[Any], str], help: str
) -> None:
    """Draw a menu whose entry becomes the setting."""
    key = keyed(path, value, "~".join(map(str, options)))
    st.selectbox(
        label,
        options,
        list(options).index(value),
        key=key,
        format_func=words_of,
        help=help,
        on_change=changed,
        args=(key, commit, path),
    )


def choice(about: About, path: str, value: str, options: Sequence[str]) -> None:
    """Draw a menu of a field's choices."""
    menu(about.label, path, value, options, partial(words.choice, path.rpartition(".")[2]), about.help)


def switch(about: About, path: str, value: bool) -> None:
    """Draw an on-off switch."""
    key = keyed(path, value)
    st.toggle(about.label, value, key=key, help=about.help, on_change=changed, args=(key, commit, path))


def line(about: About, path: str, text: str, take: Callable[[str], None]) -> None:
    """Draw a one-line text box that shows a setting."""
    key = keyed(f"{path}.typed", text)
    st.text_input(about.label, text, key=key, help=about.help, on_change=changed, args=(key, take))


def long_text(about: About, path: str, text: str, read: Callable[[str], Any], help: str = "") -> None:
    """Draw a text area for a list or matrix."""
    key, lines = keyed(f"{path}.typed", text), text.count("\n") + 1
    st.text_area(
        about.label,
        text,
        height=min(max(34 + 23 * lines, 68), 220),
        key=key,
        help=f"{about.help} {help}".strip(),
        on_change=changed,
        args=(key, commit, path, read),
    )


def control(model: type[Model], name: str, path: str, value: Any) -> None:
    """Draw the control that suits a field of the schema."""
    about = field.about(model, name)
    if about.choices:
        choice(about, path, value, about.choices)
    elif isinstance(value, bool):
        switch(about, path, value)
    elif about.ui.options:
        select_slider(about, path, value)
    else:
        slider(about, path, value)


def widened(about: About, value: float, reach: float | None = None) -> tuple[float, float]:
    """Return the slider's range: the window, or a 1-2-5 number beyond it that holds the value."""
    if reach is None:
        return about.reaching(value)
    bound = reach if abs(value) <= reach else min(rounded_up(abs(value)), about.upper)
    return -bound, bound


def aligned(limits: tuple[float, float], step: float, value: float) -> tuple[float, float]:
    """Draw a range in by less than a step, so that a value between two steps lies on one.

    The browser rounds what a slider shows to its steps, counted from the lower end.
    """
    beyond = tidy(math.fmod(value - limits[0], step))
    if beyond < step * 1e-6 or step - beyond < step * 1e-6:
        return limits
    return tidy(limits[0] + beyond), tidy(limits[1] - step + beyond)


def decimals(value: float) -> int:
    """Count the decimals a number needs, at most 6."""
    text = f"{value:.6f}".rstrip("0")
    return len(text.partition(".")[2])
