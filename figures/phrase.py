"""Turns of phrase that captions, labels and the verdict share."""

from figures.number import between, count, rate, typed
from presets import loop_quantities, quantities
from presets.gate_limit import CrossingKind
from presets.loop_quantities import Inside
from presets.schema import Scenario

CROSSINGS: dict[CrossingKind, str] = {
    "+1": "static",
    "-1": "flip",
    "complex": "oscillation",
    "gap-lost": "gap lost",
    "none": "none",
}
"""What happens at the limit: a multiplier passes 1 or −1 or leaves as a pair, or the certified gap closes."""


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


def single_edge(edges: tuple[float, float], rank: int, *, exact: bool) -> str:
    """Write the one edge there is when everything decays (rank 0) or everything grows."""
    if rank == 0:
        return f"the largest growth is {rate(edges[0], 'nearest' if exact else 'up')}"
    return f"the smallest growth is {rate(edges[1], 'nearest' if exact else 'down')}"


def is_split(rank: int | None, width: int) -> bool:
    """Say whether some directions grow while others decay; also when nothing is known about it."""
    return rank is None or 0 < rank < width


def kept(rank: int | None, width: int) -> str:
    """Name what the open loop has and the closed loop may keep."""
    if is_split(rank, width):
        return "the split is kept"
    return "everything decays" if rank == 0 else "everything grows"


def region_names(rank: int | None, width: int) -> tuple[str, str]:
    """Name the amplitudes at which that is kept, and those at which it has changed."""
    if is_split(rank, width):
        return "kept", "split changed"
    return ("all decay", "something grows") if rank == 0 else ("all grow", "something decays")


def fate(scenario: Scenario) -> str:
    """Say what the loop does to the split at the current ϱ."""
    limit = loop_quantities.boundary(scenario)
    if limit.status == "not-a-loop":
        return "no loop: never refreshed"
    if limit.status == "needs-trajectory":
        return "u* is too long to follow"
    rank = quantities.spectrum(scenario).persistent_rank
    words: dict[Inside, str] = {
        "kept": "kept",
        "changed": "changed",
        "undecided": "undecided",
        "lost": "u* is lost",
    }
    if not is_split(rank, scenario.family.width):
        words |= {"kept": "still so", "changed": "no longer"}
    if limit.resolution is None:
        words["undecided"] = "on a limit"
    return f"{words[loop_quantities.inside(scenario)]} at ϱ = {typed(scenario.gate.amplitude)}"


def _verb(number: int, verb: str) -> str:
    return f"{count(number)} {verb}{'s' if number == 1 else ''}"


LONGEST_CAPTION = 84

NOT_YET = "Not computed yet: the stack is long and wide, and this takes a while."
"""Caption of a figure that waits to be asked for."""


def fitting(*variants: str) -> str:
    """Return the first variant that fits on a caption's line, or the last."""
    return next((text for text in variants if len(text) <= LONGEST_CAPTION), variants[-1])
