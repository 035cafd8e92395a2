"""The gate limit: where each sign of ϱ loses the split, how that was found, and what it rests on."""

import math
from typing import Literal, NamedTuple

from engine.crossing import Boundary
from engine.gate_window import WindowBoundary

Status = Literal["complete", "searched", "needs-trajectory", "not-a-loop"]
CrossingKind = Literal["+1", "-1", "complex", "gap-lost", "none"]


class GateLimit(NamedTuple):
    """The nearest amplitude on each side at which the loop loses its split.

    `negative` and `positive` are None only where the status says why; `crossings` are all amplitudes
    found, ascending; `resolution` is H in layers for a window; `string_limit` belongs to cascades.
    """

    status: Status
    searched_to: float | None
    negative: float | None
    negative_crossing: CrossingKind
    positive: float | None
    positive_crossing: CrossingKind
    crossings: tuple[float, ...]
    resolution: int | None
    string_limit: float | None


NO_LOOP = GateLimit("not-a-loop", None, -math.inf, "none", math.inf, "none", (), None, None)
NOT_FOLLOWED = GateLimit("needs-trajectory", None, None, "none", None, "none", (), None, None)


def of_cascade(string_limit: float | None) -> GateLimit:
    """The limit of a causal cascade: its spectrum never moves."""
    return GateLimit("complete", None, -math.inf, "none", math.inf, "none", (), None, string_limit)


def of_boundary(found: Boundary) -> GateLimit:
    """The limit of a loop that repeats."""
    return GateLimit(
        *found[:6],
        crossings=tuple(crossing.value for crossing in found.crossings),
        resolution=None,
        string_limit=None,
    )


def of_windows(found: list[WindowBoundary], resolution: int) -> GateLimit:
    """The limit of a window: the nearest of its independent loops."""
    lower = max(found, key=lambda side: side.negative)
    upper = min(found, key=lambda side: side.positive)
    return GateLimit(
        status="searched",
        searched_to=min((side.searched_to for side in found if side.searched_to is not None), default=None),
        negative=lower.negative,
        negative_crossing=lower.negative_crossing,
        positive=upper.positive,
        positive_crossing=upper.positive_crossing,
        crossings=(lower.negative, upper.positive),
        resolution=resolution,
        string_limit=None,
    )


def without_split(kind: CrossingKind, resolution: int | None) -> GateLimit:
    """The limit of an open loop that has no split to lose."""
    return GateLimit("complete", None, 0.0, kind, 0.0, kind, (0.0,), resolution, None)
