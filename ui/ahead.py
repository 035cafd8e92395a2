"""The next step of ϱ, computed while the visitor looks at this one.

Whoever presses an arrow key once presses it again. One thread, for all visitors, computes what the next equal
step would show; while it is busy, nobody's wish is taken, so it never adds more than one computation at
a time, and what it computes is only ever found through the same memory as everything else.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from presets.load import Refused, dump, validate
from presets.schema import Scenario
from ui.keys import tidy

PAUSE = 0.1
"""Seconds to wait first, so that the next computation does not compete with the browser drawing the last."""

_thread = ThreadPoolExecutor(1, "ahead")
_running: Future[None] | None = None


def next_step(before: Scenario, now: Scenario) -> Scenario | None:
    """Return the scenario one equal step of ϱ further; None when ϱ did not move or may not go there."""
    step = now.gate.amplitude - before.gate.amplitude
    if step == 0:
        return None
    content = dump(now)
    content["gate"]["amplitude"] = tidy(now.gate.amplitude + step)
    try:
        return validate(content)
    except Refused:
        return None


def prepare(computes: Sequence[Callable[[Scenario], object]], scenario: Scenario) -> None:
    """Have the computations run on a scenario in the background, unless others are running."""
    global _running
    if _running is None or _running.done():
        _running = _thread.submit(_run, tuple(computes), scenario)


def _run(computes: Sequence[Callable[[Scenario], object]], scenario: Scenario) -> None:
    time.sleep(PAUSE)
    for compute in computes:
        compute(scenario)
