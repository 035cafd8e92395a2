"""Wiring and gate: the limit of ϱ for the self-loop, for rings and for causal cascades."""

import math
from typing import NamedTuple

import altair as alt
import pandas as pd

from figures import lane_label, limit_lanes
from figures.label import label_rows
from figures.limit_lanes import Lanes
from figures.number import rate, toward_zero
from figures.phrase import at_resolution, fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from presets import ladder_quantities, loop_quantities, quantities, topology_quantities
from presets.schema import Scenario

QUESTION = "Does the wiring matter?"

OWN_AXES = ("y",)
"""Axes that mean something else in every scenario, so that none is shared with another's chart."""

SAME = 1e-6
"""Relative difference up to which two limits are the same."""


class Tables(NamedTuple):
    """Limits of all wirings.

    **Fields:**

    - `found`: the lanes, and where the scenario stands.
    - `rings`: blocks of the rings, ascending.
    - `resolution`: H in layers; None when the limits are exact.
    - `rank`: directions that grow in the open loop; None when unknown.
    """

    found: Lanes
    rings: tuple[int, ...]
    resolution: int | None
    rank: int | None


def compute(scenario: Scenario) -> Tables:
    """Collect the limits of all wirings."""
    wirings = topology_quantities.topology_limits(scenario)
    best, rank = ladder_quantities.certificate(scenario), quantities.spectrum(scenario).persistent_rank
    lanes = tuple(_lane(wiring, 0.0 if best is None else best.value, rank) for wiring in wirings)
    topology = scenario.gate.topology
    blocks = scenario.blocks if topology == "ring" else None
    own = ("self", None) if blocks == 1 else (topology, blocks)
    return Tables(
        found=Lanes(
            lanes,
            next((n for n, wiring in enumerate(wirings) if (wiring.kind, wiring.blocks) == own), None),
            scenario.gate.amplitude,
            limit_lanes.reach_of(lanes, loop_quantities.amplitude_reach(scenario)),
        ),
        rings=tuple(wiring.blocks for wiring in wirings if wiring.blocks is not None),
        resolution=next((w.limit.resolution for w in wirings if w.limit is not None), None),
        rank=rank,
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    return limit_lanes.layers(palette, None)


TEMPLATE = themed(_layers)


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place lanes and words."""
    labels = label_rows(lane_label.labels(tables.found))
    return {**limit_lanes.datasets(tables.found, None), "labels": labels}


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per wiring."""
    return limit_lanes.table(tables.found, "wiring")


def caption(tables: Tables) -> str:
    """Compare the largest ring with the self-loop, and name what limits a chain."""
    at = at_resolution(tables.resolution)
    own, *rings, _, string = tables.found.lanes
    chain = _chain(string, tables.rank)
    if own.negative is None or own.positive is None:
        return f"The limits of loops and rings are not known here; {chain}."
    near = min(-own.negative, own.positive)
    if near == 0:
        return f"There is no split to keep in any wiring{at}."
    ring = next((lane for lane in reversed(rings) if lane.negative is not None), None)
    if ring is None or ring.negative is None or ring.positive is None:
        return f"A self-loop keeps the split up to |ϱ| = {rate(near, 'down')}{at}; {chain}."
    closest = min(-ring.negative, ring.positive)
    if (ring.negative, ring.positive) == (own.negative, own.positive) or _same(ring, own):
        text = f"Not for rings: a {ring.name} has the limits of the self-loop"
    elif math.isinf(closest):
        text = f"Yes: a {ring.name} keeps the split at every ϱ"
    else:
        text = f"Yes: a {ring.name} keeps the split for |ϱ| < {rate(closest, 'down')}"
        if math.isclose(closest, near, rel_tol=SAME):
            sides = f"a self-loop from {toward_zero(own.negative)} to {toward_zero(own.positive)}"
            return fitting(f"{text}, {sides}{at}; {chain}.", f"{text}, {sides}{at}.", f"{text}, {sides}.")
    return fitting(f"{text}{at}; {chain}.", f"{text}{at}.")


READ_ME = ReadMe(
    formula=(
        r"\text{ring: }\bigcup_j \operatorname{spec}(B+\varrho e^{2\pi ij/K}D\psi),\qquad "
        r"r^*=\frac{1}{\max_\theta\operatorname{spr}((e^{i\theta}-B)^{-1}D\psi)}"
    ),
    statement=(
        "A ring splits into K independent loops, one per phase; an even ring feels both signs of ϱ alike. "
        "A causal cascade of finitely many blocks has the spectrum of a single open block whatever ϱ is. "
        "What ϱ changes there is the gain from block to block: beyond r* a ripple grows along the chain. "
        "While some direction persists there is no such limit, since every chain amplifies."
    ),
    reading=(
        "Each lane is one wiring. Light: the split is kept. Green: certified, the same for every wiring. "
        "Dashed ends: r*, beyond which long chains amplify although nothing in their spectrum moves."
    ),
)


def _lane(wiring: topology_quantities.Wiring, certificate: float, rank: int | None) -> limit_lanes.Lane:
    name = {"self": "self-loop", "ring": f"ring of {wiring.blocks}", "cascade": "cascade"}.get(
        wiring.kind, "cascade, K → ∞"
    )
    limit = wiring.limit
    if wiring.kind == "string" and limit is None:
        why = "no limit: what grows is amplified" if rank else "no limit is defined here"
        return limit_lanes.Lane(name, None, None, 0.0, None, why)
    if limit is None or limit.negative is None or limit.positive is None:
        note = "too long to compute here" if limit is None else "u* is too long to follow here"
        return limit_lanes.Lane(name, None, None, certificate, None, note)
    soft = wiring.kind == "string"
    note = ""
    if wiring.kind == "cascade":
        note = "spectrum never moves" if rank is not None else "no split to keep"
    elif math.isinf(limit.positive) and math.isinf(limit.negative) and limit.searched_to is None:
        note = "never amplifies" if soft else "kept at every ϱ"
    return limit_lanes.Lane(
        name, limit.negative, limit.positive, certificate, limit.searched_to, note, is_soft=soft
    )


def _same(ring: limit_lanes.Lane, own: limit_lanes.Lane) -> bool:
    pairs = [(ring.negative, own.negative), (ring.positive, own.positive)]
    return all(math.isclose(a or 0.0, b or 0.0, rel_tol=SAME) for a, b in pairs)


def _chain(string: limit_lanes.Lane, rank: int | None) -> str:
    """Say what limits a long chain."""
    if string.positive is None:
        return "a chain amplifies what grows" if rank else "a chain keeps its spectrum"
    if math.isinf(string.positive):
        return "a chain never amplifies"
    return f"chains amplify beyond {rate(string.positive, 'down')}"
