"""Long computations in the background: one at a time for all visitors, while somebody watches it."""

import logging
import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Literal

from engine.steps import Steps

PATIENCE = 30.0
"""Seconds after which whoever has not looked at a computation counts as gone."""

WAIT = 0.2
"""Seconds between two looks at whether a computation that waits for its turn is still wanted."""

State = Literal["waiting", "running", "done", "failed"]


class Work:
    """One computation: how far it is, and who watches it.

    `share` is the share done; `state` is final once it is `done` or `failed`.
    """

    def __init__(self) -> None:
        self.share = 0.0
        self.state: State = "waiting"
        self.watchers: dict[Hashable, float] = {}

    @property
    def is_under_way(self) -> bool:
        """Say whether it waits or runs."""
        return self.state in ("waiting", "running")

    def is_wanted(self) -> bool:
        """Say whether anybody has looked at it lately."""
        now = time.monotonic()
        return any(now - seen < PATIENCE for seen in list(self.watchers.values()))


_turn = threading.Semaphore(1)
_lock = threading.Lock()
_works: dict[Hashable, Work] = {}
"""Computations by what they compute; forgotten when done or no longer wanted, failures a little later."""


def start(name: Hashable, visitor: Hashable, steps: Callable[[], Steps[Any]]) -> None:
    """Begin a computation, or join it where it is already under way."""
    with _lock:
        for old in [name for name, work in _works.items() if not (work.is_under_way or work.is_wanted())]:
            del _works[old]
        work = _works.get(name)
        is_new = work is None or not work.is_under_way
        if work is None or is_new:
            work = _works[name] = Work()
        work.watchers[visitor] = time.monotonic()
    if is_new:
        threading.Thread(target=_run, args=(name, work, steps), daemon=True).start()


def watched(name: Hashable, visitor: Hashable) -> Work | None:
    """Return a computation that this visitor started or joined, and note that it is still looked at."""
    with _lock:
        work = _works.get(name)
        if work is None or visitor not in work.watchers:
            return None
        work.watchers[visitor] = time.monotonic()
        return work


def leave(name: Hashable, visitor: Hashable) -> None:
    """Stop watching; a computation that nobody watches stops after its current step."""
    with _lock:
        work = _works.get(name)
        if work is not None:
            work.watchers.pop(visitor, None)
            if not work.watchers:
                del _works[name]


def _run(name: Hashable, work: Work, steps: Callable[[], Steps[Any]]) -> None:
    """Wait for the turn, then take step after step for as long as somebody wants the result."""
    while not _turn.acquire(timeout=WAIT):
        if not work.is_wanted():
            _forget(name, work)
            return
    try:
        work.state = "running"
        for share in steps():
            work.share = share
            if not work.is_wanted():
                break
        else:
            work.state = "done"
    except Exception:
        logging.getLogger(__name__).exception("a computation on demand failed")
        work.state = "failed"
        return
    finally:
        _turn.release()
    _forget(name, work)


def _forget(name: Hashable, work: Work) -> None:
    with _lock:
        if _works.get(name) is work:
            del _works[name]
