"""Long computations in steps: generators that yield the share done so far and return the result.

Whoever runs one may show how far it is, and may stop it between two steps by not asking for the next.
"""

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")

Steps = Generator[float, None, Result]
"""Yields shares between 0 and 1, ascending; returns the result."""


def drained(steps: Steps[Result]) -> Result:
    """Take every step and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def stretch(steps: Steps[Result], start: float, end: float) -> Steps[Result]:
    """Take steps as one stretch of something longer, from one share of it to another."""
    while True:
        try:
            share = next(steps)
        except StopIteration as last:
            return last.value
        yield start + share * (end - start)
