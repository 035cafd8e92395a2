"""The gate map: the limits of ϱ and what lies beyond them, over a second parameter."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine import dichotomy, gate_lanes, gate_map
from engine.dichotomy import SHORTEST_WINDOW_STACK
from presets import build, loop_quantities, map_axis, map_lanes, quantities, trajectory_quantities
from presets.loop_quantities import LOOP
from presets.map_axis import ANGLE, Axis
from presets.map_lanes import POINTS
from presets.remember import remembered
from presets.schema import Scenario

SECTIONS, ROUNDS = 8, 4
"""Where the count of growing directions changes between two lanes is found to the 4096th part."""


class LimitMap(NamedTuple):
    """Limits and regions over ϱ and a second parameter.

    **Fields:**

    - `values`: the second parameter of every lane, ascending; a single NaN where only the scenario's own
      lane is drawn.
    - `amplitude`: grid of ϱ, (points,).
    - `negative`, `positive`: limits, (lanes,), ±inf when none.
    - `region`: (lanes, points), 0 kept and joined to ϱ = 0, 1 undecided, 2 changed (or kept again but not
      joined).
    - `ranks`: directions that grow at ϱ = 0, (lanes,); −1 where there is no split.
    """

    values: np.ndarray
    amplitude: np.ndarray
    negative: np.ndarray
    positive: np.ndarray
    region: np.ndarray
    ranks: np.ndarray


def map_of_limits(scenario: Scenario, name: str = ANGLE) -> LimitMap | None:
    """Return limits and regions over ϱ and a second parameter; None where there is no limit to draw.

    Does not depend on the current ϱ, nor on the current second parameter but for the reach of both axes.
    A single lane is all there is where the scenario has no such number, or a map would take too long, as it
    would along u*.
    """
    limit, reach = loop_quantities.boundary(scenario), loop_quantities.amplitude_reach(scenario)
    if limit.negative is None or limit.status == "not-a-loop" or scenario.gate.topology == "cascade":
        return None
    if not loop_quantities.is_frozen(scenario):
        return _followed(scenario, reach)
    axis = map_axis.axis_of(scenario, name)
    values = map_lanes.values(scenario, axis)
    if not values:
        return _map(scenario, None, (), reach)
    return _map(map_axis.moved(axis, scenario, values[0]), axis, values, reach)


@remembered(*LOOP)
def _map(scenario: Scenario, axis: Axis | None, values: tuple[float, ...], reach: float) -> LimitMap:
    grid = np.linspace(-reach, reach, POINTS)
    if axis is None:
        return _lanes([math.nan], [scenario], grid)
    found = _lanes(values, [map_axis.moved(axis, scenario, value) for value in values], grid)
    edges = _changes_of_count(found, axis, scenario) if axis.is_of_family else []
    if not edges:
        return found
    return _merged(found, _lanes(edges, [map_axis.moved(axis, scenario, edge) for edge in edges], grid))


@remembered(*LOOP)
def _followed(scenario: Scenario, reach: float) -> LimitMap:
    """Follow u* over the axis: where it is lost, nothing is decided."""
    grid, limit = np.linspace(-reach, reach, POINTS), loop_quantities.boundary(scenario)
    assert limit.negative is not None
    assert limit.positive is not None
    region = np.full((1, POINTS), gate_lanes.UNDECIDED, dtype=np.int8)
    for point, closed in enumerate(trajectory_quantities.linearised_loops(scenario, grid)):
        if limit.negative < grid[point] < limit.positive:
            region[0, point] = gate_lanes.KEPT
        elif closed is not None:
            found = loop_quantities.spectrum_of(scenario, closed, float(grid[point]))
            region[0, point] = gate_lanes.CHANGED if found.verdict == "hyperbolic" else gate_lanes.UNDECIDED
    rank = quantities.spectrum(scenario).persistent_rank
    ends = np.array([limit.negative]), np.array([limit.positive])
    return LimitMap(np.array([math.nan]), grid, *ends, region, np.array([-1 if rank is None else rank]))


def _lanes(values: Sequence[float], lanes: list[Scenario], grid: np.ndarray) -> LimitMap:
    """Compute every lane, each by the method of its own stack."""
    phases = loop_quantities.loop_phases(lanes[0])
    windowed = np.array([quantities.layers(lane).recurrence == "window" for lane in lanes])
    loops, ranks = _loops(lanes), _ranks(lanes)
    negative, positive = np.zeros(len(lanes)), np.zeros(len(lanes))
    region = np.zeros((len(lanes), len(grid)), dtype=np.int8)
    for kind in np.unique(windowed):
        members = np.flatnonzero(windowed == kind).tolist()
        chosen = [loops[lane] for lane in members]
        if kind:
            windows = [loop_quantities.window_maps(lanes[lane]) for lane in members]
            part = gate_lanes.window_lanes(chosen, windows, [ranks[lane] for lane in members], grid, phases)
        else:
            part = gate_lanes.exact_lanes(chosen, grid, phases)
        negative[members], positive[members], region[members] = part.negative, part.positive, part.region
    inside = (grid > negative[:, None]) & (grid < positive[:, None])
    region = np.where(~inside & (region == gate_lanes.KEPT), gate_lanes.CHANGED, region)
    counts = np.array([-1 if rank is None else rank for rank in ranks])
    return LimitMap(np.array(values), grid, negative, positive, region, counts)


def _loops(lanes: list[Scenario]) -> list[loop_quantities.Loop]:
    """Close every lane; lanes that differ in W alone share the maps of their stack."""
    first, stack = lanes[0], quantities.layers(lanes[0])
    period = first.gate.refresh_period
    same = all(lane.family == first.family and lane.gate.refresh_period == period for lane in lanes)
    if not same or period is None:
        return [loop_quantities.loop(lane) for lane in lanes]
    injections = np.stack([loop_quantities.injection(lane) for lane in lanes])
    return gate_map.injected_loops(stack.factors, injections, period, periodic=stack.recurrence != "window")


def _ranks(lanes: list[Scenario]) -> list[int | None]:
    """Count the growing directions of every open loop; None without a split, or where few maps close."""
    if all(lane.family == lanes[0].family for lane in lanes):
        open_ranks = [quantities.spectrum(lanes[0]).persistent_rank] * len(lanes)
    else:
        open_ranks = _open_ranks(lanes)
    return [rank if _has_verdict(lane) else None for lane, rank in zip(lanes, open_ranks, strict=True)]


def _open_ranks(lanes: list[Scenario]) -> list[int | None]:
    stacks = [quantities.layers(lane) for lane in lanes]
    windowed = [lane for lane, stack in enumerate(stacks) if stack.recurrence == "window"]
    ranks = [
        dichotomy.exact_spectrum(stack.factors).persistent_rank if stack.recurrence != "window" else None
        for stack in stacks
    ]
    if windowed:
        together = np.stack([stacks[lane].factors for lane in windowed])
        found = dichotomy.certified_ranks(together, build.resolution(lanes[0]))
        for lane, rank in zip(windowed, found, strict=True):
            ranks[lane] = rank
    return ranks


def _has_verdict(lane: Scenario) -> bool:
    period = lane.gate.refresh_period or 1
    return quantities.layers(lane).recurrence != "window" or lane.depth // period >= SHORTEST_WINDOW_STACK


def _changes_of_count(found: LimitMap, axis: Axis, scenario: Scenario) -> list[float]:
    """Find where the open loop's count of growing directions begins or ends, as values close to both sides.

    Limits jump there: drawn from lane to lane they would slant.
    """
    edges: list[float] = []
    for lane in np.flatnonzero(np.diff(found.ranks)).tolist():
        lower, upper = found.values[lane : lane + 2].tolist()
        below, above = found.ranks[lane : lane + 2].tolist()
        for start, stop, rank in ((lower, upper, below), (upper, lower, above)):
            if rank >= 0:
                edges += _end_of_count(axis, scenario, start, stop, rank)
    return edges


def _end_of_count(
    axis: Axis, scenario: Scenario, start: float, stop: float, rank: int
) -> tuple[float, float]:
    """Walk from one lane to the next: the last value found with a given count, and the first without."""
    for _ in range(ROUNDS):
        places = np.linspace(start, stop, SECTIONS + 1)
        ranks = _open_ranks([map_axis.moved(axis, scenario, place) for place in places[1:-1].tolist()])
        lost = next((index for index, found in enumerate(ranks) if found != rank), SECTIONS - 1)
        start, stop = float(places[lost]), float(places[lost + 1])
    return start, stop


def _merged(found: LimitMap, more: LimitMap) -> LimitMap:
    values, unique = np.unique(np.append(found.values, more.values), return_index=True)

    def both(name: str) -> np.ndarray:
        return np.concatenate([getattr(found, name), getattr(more, name)])[unique]

    return LimitMap(
        values, found.amplitude, both("negative"), both("positive"), both("region"), both("ranks")
    )
