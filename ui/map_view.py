"""The gate map's own controls: the menu of its second parameter, and the click that sets both."""

import math
from typing import Any

import streamlit as st

from figures import click, further, gate_axis
from figures.gate_map import Tables
from figures.rows import Rows
from presets import limit_map, map_axis, map_lanes
from presets.field import tidy
from presets.map_axis import Axis
from presets.schema import Scenario
from ui.keys import changed, keyed
from ui.session import choose_map, put, session

COLUMNS = 80
"""Steps of ϱ over the width of the map that a click can set."""

MOST_ROWS = 50
"""Steps over its height."""


def arguments(slug: str) -> tuple[str, ...]:
    """Return what a figure is told besides the scenario, as the visitor has chosen."""
    return further(slug, session().view.map)


def menu(*, labelled: bool = False) -> None:
    """Draw the menu of second parameters, with its label where it does not stand on the map."""
    scenario = session().scenario
    axes, over = map_axis.axes(scenario), session().view.map
    key = keyed("map", over, f"{scenario.family.kind}{len(axes)}")
    st.selectbox(
        "Second parameter of the map",
        list(axes),
        list(axes).index(over),
        key=key,
        format_func=lambda name: f"by {gate_axis.name(axes[name])}",
        label_visibility="visible" if labelled else "collapsed",
        on_change=changed,
        args=(key, choose_map),
    )


def hits(tables: Tables) -> Rows:
    """Span the places a click can set, and number the click that comes next."""
    place = gate_axis.heights(tables.axis, tables.map)
    rows, (lower, upper) = 1, place.ends
    if not place.joined:
        rows, lower, upper = len(place.lanes), place.lanes[0], place.lanes[-1]
    elif place.ends != gate_axis.ALONE:
        rows = _steps(tables.axis, upper - lower) + 1
    return click.grid((-tables.reach, tables.reach), (lower, upper), COLUMNS + 1, rows, session().picks)


def take(key: str) -> None:
    """Set ϱ and the second parameter to where the map was clicked."""
    chosen = st.session_state[key].selection.get(click.PICK) or []
    place = chosen[0] if isinstance(chosen, list) else {}
    if not all(_is_number(place.get(name)) for name in ("x", "y")):
        return
    session().picks += 1
    put({"gate.amplitude": tidy(place["x"]), **_second(session().scenario, place["y"])})


def _second(scenario: Scenario, height: float) -> dict[str, Any]:
    """Return the setting that belongs to a height of the map; none where the map has a single lane."""
    axis = map_axis.axis_of(scenario, session().view.map)
    lanes = map_lanes.values(scenario, axis)
    if not lanes or limit_map.map_of_limits(scenario, axis.name) is None:
        return {}
    if not axis.is_stepped:
        return map_axis.change(axis, scenario, tidy(min(max(height, lanes[0]), lanes[-1])))
    return map_axis.change(axis, scenario, lanes[min(max(round(height), 0), len(lanes) - 1)])


def _steps(axis: Axis, span: float) -> int:
    """Count the steps of a grid that meets the slider's own steps, or some of them evenly."""
    step = axis.about.ui.step
    count = round(span / step) if step else 0
    if not step or count < 1 or not math.isclose(count * step, span):
        return MOST_ROWS
    every = next(every for every in range(1, count + 1) if count % every == 0 and count // every <= MOST_ROWS)
    return count // every


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
