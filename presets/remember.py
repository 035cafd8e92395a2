"""Quantities remembered by the part of the scenario they depend on."""

from collections.abc import Callable
from functools import wraps
from threading import Condition
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache, cached

from presets.gate import Gate
from presets.schema import Scenario

Quantity = TypeVar("Quantity")
Further = ParamSpec("Further")

_NEUTRAL = Scenario()


def part(scenario: Scenario, fields: tuple[str, ...]) -> Scenario:
    """Keep the named fields and put every other back to its default.

    Two scenarios that agree on `fields` have equal parts. `gate.x` names one field of the gate.
    """
    kept = {name: getattr(scenario, name) for name in fields if "." not in name}
    inner = {name.partition(".")[2]: None for name in fields if name.startswith("gate.")}
    if inner:
        kept["gate"] = Gate().model_copy(update={name: getattr(scenario.gate, name) for name in inner})
    return _NEUTRAL.model_copy(update=kept)


def remembered(
    *fields: str, megabytes: float = 8
) -> Callable[
    [Callable[Concatenate[Scenario, Further], Quantity]], Callable[Concatenate[Scenario, Further], Quantity]
]:
    """Remember a quantity of a scenario, keyed by `fields` and by further hashable arguments, if any.

    The function only ever sees `part(scenario, fields)`, so what it returns cannot depend on anything
    else. Concurrent callers of one value wait for the first instead of computing it again.

    **Arguments:**

    - `fields`: dotted names of the fields the quantity depends on.
    - `megabytes`: size of the store; the least recently used values go first.
    """

    def decorate(
        function: Callable[Concatenate[Scenario, Further], Quantity],
    ) -> Callable[Concatenate[Scenario, Further], Quantity]:
        kept: LRUCache[Any, Quantity] = LRUCache(megabytes * 2**20, getsizeof=_bytes)
        lookup = cached(kept, condition=Condition())(function)

        @wraps(function)
        def quantity(scenario: Scenario, *further: Further.args, **named: Further.kwargs) -> Quantity:
            return lookup(part(scenario, fields), *further, **named)

        return quantity

    return decorate


OVERHEAD = 1024
"""Bytes counted for a value besides its arrays."""


def _bytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return OVERHEAD + value.nbytes
    return OVERHEAD + sum(map(_bytes, value)) if isinstance(value, tuple) else OVERHEAD
