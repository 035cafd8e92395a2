"""The lanes of the gate map: which values of its second parameter are computed, as many as time allows."""

import numpy as np

from engine.dichotomy import SHORTEST_WINDOW_STACK
from presets import loop_quantities, map_axis, quantities
from presets.loop_quantities import LOOP
from presets.map_axis import Axis
from presets.remember import remembered
from presets.schema import Scenario

POINTS = 41
"""Amplitudes at which every lane has its own verdict."""

LANES, COARSE_LANES = 19, 7

FAMILY_LANES = 11
"""Most lanes of a window over a parameter of its family, whose layers are built anew in each."""

LARGEST_WINDOW_MAP = 2**24
"""Largest lanes · points · depth · d³ of a window's map."""

LONGEST_EXACT_MAP = 3000.0
"""Longest that the map of a stack that repeats may take, in rough milliseconds of one core."""

HELD_COPY = 8
"""Work of following a loop layer by layer, with the held copy of its state, against its maps alone."""


def values(scenario: Scenario, axis: Axis) -> tuple[float, ...]:
    """Choose the lanes, ascending; none where there is nothing to vary, or no time for it."""
    if axis.is_stepped:
        return _periods(scenario, axis)
    if map_axis.value(axis, scenario) is None:
        return ()
    ends = map_axis.ends(axis, scenario)
    affordable = min(_affordable(map_axis.moved(axis, scenario, end)) for end in ends)
    rebuilt = axis.is_of_family and quantities.layers(scenario).recurrence == "window"
    wanted = (FAMILY_LANES if rebuilt else LANES, COARSE_LANES)
    lanes = next((lanes for lanes in wanted if lanes * (2 if rebuilt else 1) <= affordable), 0)
    return tuple(np.linspace(*ends, lanes).tolist())


def _periods(scenario: Scenario, axis: Axis) -> tuple[float, ...]:
    """Keep the refresh periods whose loop closes often enough and in time; the current one in any case."""
    wanted = map_axis.periods(scenario)
    windowed = quantities.layers(scenario).recurrence == "window"
    longest = scenario.depth // SHORTEST_WINDOW_STACK if windowed else max(wanted)
    return tuple(
        float(period)
        for period in wanted
        if period == scenario.gate.refresh_period
        or (period <= longest and _affordable(map_axis.moved(axis, scenario, period)) >= len(wanted))
    )


@remembered(*LOOP)
def _affordable(scenario: Scenario) -> int:
    """Say how many lanes like the scenario's own may be computed."""
    closed = loop_quantities.loop(scenario)
    widths = [scenario.family.width * copies for _, copies in loop_quantities.loop_phases(scenario)]
    if quantities.layers(scenario).recurrence == "window":
        layers = scenario.depth * (1 if closed.layers is None else HELD_COPY)
        return LARGEST_WINDOW_MAP // (POINTS * layers * sum(width**3 for width in widths))
    if closed.layers is not None:
        work = sum(0.2 * closed.layers.maps * width**3 for width in widths)
    else:
        work = sum(4 + 2 * closed.maps * width + width**2 / 16 for width in widths)
    return int(LONGEST_EXACT_MAP / work)
