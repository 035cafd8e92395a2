"""Refresh and gate: the limit of ϱ for every refresh period, lane by lane."""

import math
from itertools import pairwise
from typing import NamedTuple

import altair as alt
import pandas as pd

from figures import lane_label, limit_lanes
from figures.label import label_rows
from figures.limit_lanes import Lanes
from figures.number import rate
from figures.phrase import at_resolution, fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import ladder_quantities, loop_quantities, quantities, refresh_quantities
from presets.gate_limit import GateLimit
from presets.schema import Scenario

QUESTION = "Is a slower refresh safer?"

OWN_AXES = ("y",)
"""Axes that mean something else in every scenario, so that none is shared with another's chart."""

SAME = 1e-6
"""Relative difference up to which two limits are the same."""


class Tables(NamedTuple):
    """Limits over the refresh period.

    **Fields:**

    - `found`: the lanes, and where the scenario stands.
    - `estimate`: the paper's margin, |ϱ|; None without a split.
    - `is_proved`: whether it is a theorem for this ψ.
    - `resolutions`: values of H in the lanes, layers; none when the limits are exact.
    - `cascade`: whether blocks form a causal cascade, whose split never changes.
    """

    found: Lanes
    estimate: float | None
    is_proved: bool
    resolutions: tuple[int, ...]
    cascade: bool


def compute(scenario: Scenario) -> Tables:
    """Collect the limits of all refresh periods."""
    found = refresh_quantities.refresh_limits(scenario)
    has_split = quantities.spectrum(scenario).persistent_rank is not None
    lanes = tuple(_lane(lane, has_split=has_split) for lane in found)
    windows = {lane.limit.resolution for lane in found if lane.limit is not None}
    own = str(scenario.gate.refresh_period)
    rungs = ladder_quantities.ladder(scenario)
    return Tables(
        found=Lanes(
            lanes,
            next((n for n, lane in enumerate(lanes) if lane.name == own), None),
            scenario.gate.amplitude,
            limit_lanes.reach_of(lanes, loop_quantities.amplitude_reach(scenario)),
        ),
        estimate=None if rungs is None else rungs.paper_estimate,
        is_proved=ladder_quantities.estimate_is_proved(scenario),
        resolutions=tuple(sorted(window for window in windows if window is not None)),
        cascade=scenario.gate.topology == "cascade",
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    return limit_lanes.layers(palette, "refresh period Lᵣ (layers)")


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place lanes and words."""
    estimate = None if tables.is_proved else tables.estimate
    words = [*lane_label.labels(tables.found), *lane_label.estimate_label(tables.found, estimate)]
    return {**limit_lanes.datasets(tables.found, estimate), "labels": label_rows(words)}


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per refresh period."""
    return limit_lanes.table(tables.found, "refresh period (layers)")


def caption(tables: Tables) -> str:
    """Say whether the nearest limit rises with the refresh period, by its numbers."""
    near, at = _nearest(tables.found), _resolutions(tables.resolutions)
    if near and all(value == 0 for _, value in near):
        return f"There is no split to keep at any refresh period{at}."
    if tables.cascade:
        return "A finite cascade keeps its split at every ϱ, however often it is refreshed."
    if not near:
        return f"The limits are not known at any of these periods{at}."
    (first, start), (last, end) = near[0], near[-1]
    if len(near) == 1 and len(tables.found.lanes) > 1:
        return f"At Lᵣ = {first} the safe |ϱ| is {_size(start)}{at}; no other period has a verdict here."
    (low, least), (high, most) = (choose(near, key=lambda entry: entry[1]) for choose in (min, max))
    if most - least <= SAME * most or math.isinf(least):
        return _unmoved(tables.found, least, at)
    steps = [after - before for (_, before), (_, after) in pairwise(near)]
    moves = f"from {_size(start)} at Lᵣ = {first} to {_size(end)} at Lᵣ = {last}"
    if min(steps) >= -SAME * least:
        return fitting(f"Yes, here: the safe |ϱ| rises {moves}{at}.", f"Yes, here: it rises {moves}.")
    if max(steps) <= SAME * least:
        return fitting(f"No: the safe |ϱ| falls {moves}{at}.", f"No: it falls {moves}.")
    between = f"the safe |ϱ| is {_size(least)} at Lᵣ = {low} but {_size(most)} at Lᵣ = {high}"
    return fitting(f"Not always: {between}{at}.", f"Not always: {between}.")


def _unmoved(found: Lanes, least: float, at: str) -> str:
    """Say that the nearest limit stays, and how far the other one moves."""
    if math.isinf(least):
        return f"It makes no difference here: the split is kept at every ϱ and every Lᵣ{at}."
    known = [lane for lane in found.lanes if lane.negative is not None]
    far = [(lane.name, max(abs(lane.negative or 0.0), abs(lane.positive or 0.0))) for lane in known]
    (first, start), (last, end) = far[0], far[-1]
    if abs(start - end) <= SAME * max(start, end) or math.isinf(end):
        return f"It makes no difference here: the safe |ϱ| is {_size(least)} at every Lᵣ{at}."
    verb = "falls" if end < start else "rises"
    moves = f"the other side {verb} from {_size(start)} (Lᵣ = {first}) to {_size(end)} ({last})"
    text = f"The safe |ϱ| stays {_size(least)}; {moves}"
    return fitting(f"{text}{at}.", f"{text}.")


READ_ME = ReadMe(
    formula=(
        r"u(\ell+1)=B(\ell)u(\ell)+\varrho\,D\psi\,\hat u,\qquad "
        r"\Phi_{L_r}+\varrho\sum_{s<L_r}\Phi(L_r,s+1)\,D\psi\ \text{ has } |\mu|=1"
    ),
    statement=(
        "Between refreshes the summary û is held. For one repeated layer the static limit (a multiplier "
        "passes 1) is the same for every Lᵣ, while flips and oscillations move; as Lᵣ → ∞ only static gain "
        "is left. So “rare refreshes are safer” is not a law. The Green bounds hold for every Lᵣ, the ℓ² "
        "radius for Lᵣ = 1 alone."
    ),
    reading=(
        "Each lane is one refresh period; nothing is drawn between lanes, since the limit may jump from one "
        "whole number to the next. Light: the split is kept. Green: certified. Dashed upright: the paper’s "
        "margin, an estimate. A window needs at least four refreshes for a verdict."
    ),
)


def _lane(lane: refresh_quantities.Lane, *, has_split: bool) -> limit_lanes.Lane:
    name = "∞" if lane.period is None else str(lane.period)
    limit = lane.limit
    if limit is None or limit.negative is None or limit.positive is None:
        few = limit is None and lane.refreshes is not None
        note = f"refreshes: {lane.refreshes}, too few" if few else "u* is not followed here"
        return limit_lanes.Lane(name, None, None, lane.certificate, None, note)
    if has_split and limit.resolution is not None and limit.positive == limit.negative:
        note = f"no gap certified at H = {limit.resolution}"
        return limit_lanes.Lane(name, None, None, lane.certificate, None, note)
    note = "kept at every ϱ" if math.isinf(limit.positive - limit.negative) and _both(limit) else ""
    return limit_lanes.Lane(name, limit.negative, limit.positive, lane.certificate, limit.searched_to, note)


def _both(limit: GateLimit) -> bool:
    """Whether neither sign of ϱ has a limit, and the search was exhaustive."""
    return limit.negative == -math.inf and limit.positive == math.inf and limit.searched_to is None


def _nearest(found: Lanes) -> list[tuple[str, float]]:
    """The nearest limit of every lane that has one."""
    return [
        (lane.name, min(-lane.negative, lane.positive))
        for lane in found.lanes
        if lane.negative is not None and lane.positive is not None
    ]


def _resolutions(windows: tuple[int, ...]) -> str:
    """Say ` at H = n`, or from which H to which; nothing for exact limits."""
    if len(windows) < 2:
        return at_resolution(windows[0] if windows else None)
    return f" at H = {windows[0]}–{windows[-1]}"


def _size(value: float) -> str:
    return rate(value, "down")
