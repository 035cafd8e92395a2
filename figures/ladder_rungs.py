"""The rungs of the ladder of gate limits: their names, values and kinds, and the axis they need."""

import math
from typing import Literal, NamedTuple

import numpy as np

from engine.ladder import Certificate, Name
from figures.number import rate
from presets.gate_limit import GateLimit

NAMES = (
    "roughness theorem",
    "one constant C",
    "constants C₋, C₊",
    "Green sum",
    "ℓ² radius",
    "paper’s margin",
    "true limit, ϱ < 0",
    "true limit, ϱ > 0",
)
"""Rungs from the top down."""

RUNGS: tuple[Name, ...] = (
    "roughness_bound",
    "green_bound",
    "green_bound_split",
    "green_norm_bound",
    "radius_bound",
)
"""The certificates among them."""

ESTIMATE, TRUE = 5, (6, 7)

TOP, BOTTOM = -1.1, 7.6

SMALLEST = 1e-9
"""Limits below this are not drawn; they are still named."""

BEFORE, BEHIND, LEAST_SPAN = 0.25, 0.55, 0.5
"""Room left and right of the limits, in shares of what they span, and the least span, in decades."""

Kind = Literal["certified", "proved", "estimate", "true"]


class Tables(NamedTuple):
    """Limits on |ϱ|, rung by rung.

    **Fields:**

    - `values`: one per rung; None where a rung does not apply or is not known, inf where nothing limits.
    - `best`: the best certificate; None without a split.
    - `is_proved`: whether the paper's margin is a theorem for this ψ.
    - `limit`: the true limits.
    - `amplitude`: the current ϱ.
    - `resolution`: H in layers; None when the open loop is exact.
    - `missing`: why there is no ℓ² radius, in words.
    """

    values: tuple[float | None, ...]
    best: Certificate | None
    is_proved: bool
    limit: GateLimit
    amplitude: float
    resolution: int | None
    missing: str


def kinds_of(tables: Tables) -> list[Kind]:
    """Say what every rung is worth."""
    estimate: Kind = "proved" if tables.is_proved else "estimate"
    certified: list[Kind] = ["certified"] * ESTIMATE
    return [*certified, estimate, "true", "true"]


def ends_of(tables: Tables) -> tuple[float, float]:
    """Choose the axis from the limits drawn, with the current ϱ when it is not far off."""
    drawn = [value for value in tables.values if value is not None and SMALLEST < value < math.inf]
    logs = np.log10(drawn) if drawn else np.array([-1.0, 0.0])
    least, most = float(logs.min()), float(logs.max())
    span = max(most - least, LEAST_SPAN)
    return least - BEFORE * span, most + BEHIND * span


TONES = {"certified": "certified", "proved": "certified", "estimate": "paper", "true": "ink"}


def searched(limit: GateLimit) -> str:
    """Say how far a search for a limit went; nothing where it was exhaustive."""
    return "" if limit.searched_to is None else f" up to {rate(limit.searched_to, 'down')}"
