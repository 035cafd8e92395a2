"""One row of the kernel table: the engine against a plain way to the same numbers, timed in turns."""

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

TURNS = 3
"""Times the plain way is run; the engine is run `FASTER` times as often, in between."""

FASTER = 3

AGREES = 1e-6
"""Largest relative difference between two ways to the same numbers."""


class Row(NamedTuple):
    """Medians of one run.

    **Fields:**

    - `name`, `size`: the kernel, and what it was given.
    - `ours`, `plain`: milliseconds of the engine, and of the way it is compared with.
    - `target`: least ratio; None where none was set.
    """

    name: str
    size: str
    ours: float
    plain: float
    target: float | None

    @property
    def ratio(self) -> float:
        """Plain over ours."""
        return self.plain / self.ours


def compared(
    name: str,
    size: str,
    ours: Callable[[], Any],
    plain: Callable[[], Any],
    *,
    target: float | None = None,
    within: float = AGREES,
) -> Row:
    """Time both ways in turns, after checking that they agree.

    **Arguments:**

    - `name`, `size`: what is measured.
    - `ours`: the engine; called once beforehand, to compile.
    - `plain`: the plain way; both return the same numbers.
    - `target`: least ratio.
    - `within`: relative difference allowed, of the largest number.

    **Returns:** the row.

    **Raises:** `AssertionError` when they disagree.
    """
    found, expected = np.asarray(ours()), np.asarray(plain())
    np.testing.assert_allclose(
        found, expected, rtol=within, atol=within * np.abs(expected).max(), err_msg=name
    )
    times: dict[str, list[float]] = {"ours": [], "plain": []}
    for _ in range(TURNS):
        times["ours"] += [timed(ours) for _ in range(FASTER)]
        times["plain"].append(timed(plain))
    return Row(name, size, statistics.median(times["ours"]), statistics.median(times["plain"]), target)


def timed(call: Callable[[], Any]) -> float:
    """Return the milliseconds one call takes."""
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)
