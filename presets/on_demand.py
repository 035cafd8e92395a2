"""Quantities too heavy to follow every control: computed in steps when somebody asks, and kept by value."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from engine.steps import Steps, drained
from presets.remember import part, remembered
from presets.schema import Scenario

Quantity = TypeVar("Quantity")

AT_ONCE = 0.25
"""Seconds up to which a quantity is computed without being asked for."""

KEPT = 8
"""Values of each quantity kept for all visitors; the least recently used goes first."""


class OnDemand(Generic[Quantity]):
    """A quantity of a scenario that may take long.

    **Arguments:**

    - `fields`: dotted names of the settings it depends on, as for `presets.remember.remembered`.
    - `seconds`: estimates how long it takes on one core; 0 where there is nothing to compute.
    - `steps`: computes it from the part of the scenario that holds those settings.
    """

    def __init__(
        self,
        fields: tuple[str, ...],
        seconds: Callable[[Scenario], float],
        steps: Callable[[Scenario], Steps[Quantity]],
    ) -> None:
        self.fields = fields
        self.seconds = seconds
        self._steps = steps
        self._at_once = remembered(*fields)(lambda scenario: drained(steps(scenario)))
        self._kept: LRUCache[Any, Quantity] = LRUCache(KEPT)
        self._lock = Lock()

    def found(self, scenario: Scenario) -> Quantity | None:
        """Return the quantity where it takes no time or is kept; None until it has been asked for."""
        if self.seconds(scenario) <= AT_ONCE:
            return self._at_once(scenario)
        with self._lock:
            return self._kept.get(part(scenario, self.fields))

    def is_offered(self, scenario: Scenario) -> bool:
        """Say whether the quantity is missing and may be asked for."""
        return self.seconds(scenario) > AT_ONCE and self.found(scenario) is None

    def steps(self, scenario: Scenario) -> Steps[Quantity]:
        """Compute the quantity in steps that may be stopped; the last one keeps it."""
        own = part(scenario, self.fields)
        value = yield from self._steps(own)
        with self._lock:
            self._kept[own] = value
        return value

    def forget(self) -> None:
        """Let go of every value that was asked for."""
        with self._lock:
            self._kept.clear()

    def in_full(self, scenario: Scenario) -> None:
        """Compute and keep the quantity, however long it takes."""
        if self.is_offered(scenario):
            drained(self.steps(scenario))
