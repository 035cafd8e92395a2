"""How time and memory of the token flow grow with the number of tokens, up to a million."""

import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.ratio import timed
from benchmarks.token_kernels import stack
from engine.token_flow import propagate

TOKENS = (31_250, 62_500, 125_000, 250_000, 500_000, 1_000_000)
WIDTH, LAYERS, BLOCK = 16, 8, 64

RUNS = 3
"""Runs of every length; the fastest counts."""


class Growth(NamedTuple):
    """Time and memory over the number of tokens.

    **Fields:**

    - `seconds`: of one pass, per length.
    - `megabytes`: peak of the process above what it held before, per length.
    """

    tokens: tuple[int, ...]
    seconds: list[float]
    megabytes: list[float]

    def exponent(self, values: list[float]) -> float:
        """Fit the power of T with which values grow."""
        return float(np.polyfit(np.log(self.tokens), np.log(values), 1)[0])


def measure() -> Growth:
    """Run every length in a process of its own, whose memory nothing else has touched."""
    seconds, megabytes = [], []
    for tokens in TOKENS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            taken, used = pool.submit(_pass, tokens).result()
        seconds.append(taken)
        megabytes.append(used)
    return Growth(TOKENS, seconds, megabytes)


def _pass(tokens: int) -> tuple[float, float]:
    """Return the seconds of the fastest pass, and the megabytes it needed besides the program."""
    mixing, value = stack(LAYERS, WIDTH)
    propagate(np.zeros((BLOCK, WIDTH)), mixing, value, BLOCK, "causal")
    before = _peak()
    states = np.ones((tokens, WIDTH))
    fastest = min(timed(lambda: propagate(states, mixing, value, BLOCK, "causal")) for _ in range(1 + RUNS))
    return fastest / 1000, _peak() - before


def _peak() -> float:
    """Peak resident memory of this process, megabytes.

    Linux hands the peak of `getrusage` down from the parent, so there it is read from the kernel's own table.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
