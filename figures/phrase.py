"""Turns of phrase that captions, labels and the verdict share."""

from figures.number import between, count, rate, typed
from presets import loop_quantities
from presets.loop_quantities import CrossingKind, Inside
from presets.schema import Scenario

CROSSINGS: dict[CrossingKind, str] = {
    "+1": "static",
    "-1": "flip",
    "complex": "oscillation",
    "gap-lost": "split lost",
    "none": "none",
}
"""What a multiplier does at the limit: passes 1, passes −1, or leaves the circle as a pair."""


def crossing(kind: CrossingKind, resolution: int | None) -> str:
    """Name a limit by its crossing, with the resolution it was found at."""
    return CROSSINGS[kind] + at_resolution(resolution)


def at_resolution(resolution: int | None) -> str:
    """Say ` at H = n`, or nothing for an exact result."""
    return "" if resolution is None else f" at H = {resolution}"


def growing(rank: int, width: int) -> str:
    """Count the directions that grow and those that decay."""
    return f"{_verb(rank, 'grow')}, {_verb(width - rank, 'decay')}"


def gap(edges: tuple[float, float], *, exact: bool) -> str:
    """Write the gap around 1."""
    return f"gap {between(*edges, certified=not exact)}"


def single_edge(edges: tuple[float, float], rank: int) -> str:
    """Write the one edge there is when everything decays (rank 0) or everything grows."""
    if rank == 0:
        return f"the largest growth is {rate(edges[0], 'up')}"
    return f"the smallest growth is {rate(edges[1], 'down')}"


def fate(scenario: Scenario) -> str:
    """Say what the loop does to the split at the current ϱ."""
    status = loop_quantities.boundary(scenario).status
    at = f"at ϱ = {typed(scenario.gate.amplitude)}"
    if status == "not-a-loop":
        return "no loop: never refreshed"
    if status == "needs-trajectory":
        return f"open {at}: needs the trajectory"
    words: dict[Inside, str] = {"kept": "kept", "changed": "changed", "undecided": "undecided"}
    return f"{words[loop_quantities.inside(scenario)]} {at}"


def _verb(number: int, verb: str) -> str:
    return f"{count(number)} {verb}{'s' if number == 1 else ''}"


LONGEST_CAPTION = 84


def fitting(*variants: str) -> str:
    """Return the first variant that fits on a caption's line, or the last."""
    return next((text for text in variants if len(text) <= LONGEST_CAPTION), variants[-1])
