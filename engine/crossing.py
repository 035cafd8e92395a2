"""Crossings of the gate, their summary, and the margins about the current amplitude."""

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

SAME_AMPLITUDE = 1e-7
ZERO_AMPLITUDE = 1e-8
"""Relative to the largest crossing: a rounded copy of the crossing of an open loop on the circle."""

Kind = Literal["+1", "-1", "complex"]
KindOrNone = Literal["+1", "-1", "complex", "none"]


class Crossing(NamedTuple):
    """One amplitude at which a multiplier of one closed period has modulus one, and which multiplier."""

    value: float
    kind: Kind


class Boundary(NamedTuple):
    """The nearest crossing of each sign, and every crossing found.

    - `status`: `complete` when the search is exhaustive, else `searched`.
    - `searched_to`: largest |ϱ| scanned, None when complete.
    - `negative`, `positive`: −inf and inf when there is none.
    - `negative_crossing`, `positive_crossing`: `+1`, `-1`, `complex` or `none`.
    - `crossings`: all of them, ascending.
    """

    status: Literal["complete", "searched"]
    searched_to: float | None
    negative: float
    negative_crossing: KindOrNone
    positive: float
    positive_crossing: KindOrNone
    crossings: tuple[Crossing, ...]


def summarised(crossings: list[Crossing], searched_to: float | None, at_rest: Crossing | None) -> Boundary:
    """Gather crossings into a `Boundary`.

    **Arguments:**

    - `crossings`: in any order, repeats allowed.
    - `searched_to`: largest |ϱ| scanned; None when the search is exhaustive.
    - `at_rest`: the crossing at ϱ = 0 of an open loop without a dichotomy.
    """
    distinct = _distinct(crossings, at_rest)
    negative = max((c for c in distinct if c.value <= 0), default=None)
    positive = min((c for c in distinct if c.value >= 0), default=None)
    return Boundary(
        status="complete" if searched_to is None else "searched",
        searched_to=searched_to,
        negative=-math.inf if negative is None else negative.value,
        negative_crossing="none" if negative is None else negative.kind,
        positive=math.inf if positive is None else positive.value,
        positive_crossing="none" if positive is None else positive.kind,
        crossings=tuple(distinct),
    )


def _distinct(crossings: list[Crossing], at_rest: Crossing | None) -> list[Crossing]:
    """Sort; drop repeats, complex copies of ±1 crossings and rounded copies of the crossing at zero."""
    kept: list[Crossing] = [] if at_rest is None else [at_rest]
    spread = max((abs(crossing.value) for crossing in crossings), default=0.0)
    for crossing in sorted(crossings, key=lambda each: each.kind == "complex"):
        reach = max(SAME_AMPLITUDE * abs(crossing.value), 1e-12 * spread)
        at_zero = at_rest is not None and abs(crossing.value) <= ZERO_AMPLITUDE * spread
        repeat = at_zero or any(
            abs(crossing.value - other.value) <= reach and crossing.kind in {other.kind, "complex"}
            for other in kept
        )
        if not repeat:
            kept.append(crossing)
    return sorted(kept)


def margins(crossings: Iterable[float], amplitude: float) -> tuple[float, float]:
    r"""Factors by which ϱ may be multiplied, down and up, before it meets a crossing.

    **Arguments:**

    - `crossings`: amplitudes of all crossings; infinite ones are ignored.
    - `amplitude`: the current ϱ.

    **Returns:** (`gain_down` in [0, 1], `gain_up` in [1, inf]); 0 and inf when there is no
    crossing between ϱ and 0, or beyond ϱ on its ray; (0, inf) for ϱ = 0; (1, 1) on a crossing.
    """
    if amplitude == 0.0:
        return 0.0, math.inf
    factors = [value / amplitude for value in crossings if math.isfinite(value)]
    down = max((factor for factor in factors if 0.0 <= factor <= 1.0), default=0.0)
    return abs(down), min((factor for factor in factors if factor >= 1.0), default=math.inf)
