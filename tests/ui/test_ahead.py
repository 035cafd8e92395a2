"""The next step of ϱ: what it is, and that computing it never queues up."""

import threading

from presets.load import preset
from presets.schema import Scenario
from ui import ahead


def at(amplitude: float) -> Scenario:
    base = preset("turning-saddle")
    return base.model_copy(update={"gate": base.gate.model_copy(update={"amplitude": amplitude})})


def test_the_next_step_is_as_long_as_the_last() -> None:
    found = ahead.next_step(at(0.11), at(0.12))
    assert found == at(0.13)
    assert ahead.next_step(at(0.12), at(0.12)) is None


def test_no_step_leads_beyond_the_limits() -> None:
    assert ahead.next_step(at(0.0), at(100.0)) is None


def test_what_is_busy_takes_no_further_wish() -> None:
    done, hold, seen = threading.Event(), threading.Event(), []

    def compute(scenario: Scenario) -> None:
        seen.append(scenario.gate.amplitude)
        hold.wait(10)
        done.set()

    ahead.prepare([compute], at(0.1))
    ahead.prepare([compute], at(0.2))
    hold.set()
    assert done.wait(10)
    assert seen == [0.1]
