"""A remembered quantity is computed once per value of what it depends on, and sees nothing else."""

import threading
import time

from presets.remember import remembered
from presets.schema import Scenario


def test_only_the_named_fields_matter():
    seen: list[Scenario] = []

    @remembered("depth", "gate.refresh_period")
    def quantity(scenario: Scenario) -> int:
        seen.append(scenario)
        return scenario.depth

    base = Scenario()
    quantity(base)
    quantity(base.model_copy(update={"tolerance": 0.5}))
    quantity(base.model_copy(update={"gate": base.gate.model_copy(update={"amplitude": 7.0})}))
    assert len(seen) == 1
    quantity(base.model_copy(update={"depth": 7}))
    quantity(base.model_copy(update={"gate": base.gate.model_copy(update={"refresh_period": 7})}))
    assert [entry.depth for entry in seen] == [64, 7, 64]
    assert all(entry.gate.amplitude == 0.1 for entry in seen)


def test_concurrent_callers_share_one_computation():
    calls: list[int] = []

    @remembered("depth")
    def slow(scenario: Scenario) -> int:
        calls.append(scenario.depth)
        time.sleep(0.05)
        return scenario.depth

    threads = [threading.Thread(target=slow, args=(Scenario(),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def test_the_store_is_bounded():
    calls: list[int] = []

    @remembered("depth", megabytes=4 / 1024)
    def small(scenario: Scenario) -> int:
        calls.append(scenario.depth)
        return scenario.depth

    for depth in [*range(1, 10), 1]:
        small(Scenario().model_copy(update={"depth": depth}))
    assert len(calls) == 10
