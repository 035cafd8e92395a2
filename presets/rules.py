"""Rules that span several fields of a scenario; each refusal names the field to change."""

import math
from typing import TYPE_CHECKING

from presets.compression import Multilevel, Scored, Select
from presets.family import Explicit
from presets.field import refusal

if TYPE_CHECKING:
    from presets.schema import Scenario

LARGEST_WINDOW = 2**24
"""Largest depth·d³, summed over the phases of a ring, that a stack without repetition may have."""

LARGEST_FLOW = 2**26
"""Largest number of entries depth·(P·d)² the token flow may need before a scenario is refused."""


def check(scenario: "Scenario") -> None:
    """Raise the first refusal, if any."""
    _check_tokens(scenario)
    _check_window(scenario)
    _check_compression(scenario)
    _check_repetition(scenario)
    _check_injection(scenario)
    _check_cost(scenario)
    _check_window_cost(scenario)


def _check_tokens(scenario: "Scenario") -> None:
    full = scenario.blocks * scenario.block_length
    if scenario.tokens is not None and not full - scenario.block_length < scenario.tokens <= full:
        least = full - scenario.block_length + 1
        raise refusal(
            "tokens", scenario.tokens, f"must lie in {least}…{full}, so that only the last block is ragged"
        )


def _check_window(scenario: "Scenario") -> None:
    if scenario.window is not None and scenario.window > max(scenario.depth, 2):
        raise refusal("window", scenario.window, f"must be at most the depth {scenario.depth}")


def _check_compression(scenario: "Scenario") -> None:
    compression, length = scenario.compression, scenario.block_length
    if isinstance(compression, Select) and max(compression.positions) >= length:
        raise refusal(
            "compression.positions", max(compression.positions), f"positions run from 0 to {length - 1}"
        )
    if isinstance(compression, Scored) and len(compression.scores) != length:
        raise refusal(
            "compression.scores", len(compression.scores), f"give {length} scores, one per position"
        )
    if isinstance(compression, Multilevel) and math.prod(compression.levels) != length:
        raise refusal(
            "compression.levels", compression.levels, f"the product must be the block length {length}"
        )


def _check_repetition(scenario: "Scenario") -> None:
    family = scenario.family
    if not isinstance(family, Explicit) or family.period == 1:
        return
    if family.repeat is False and family.period != scenario.depth:
        raise refusal(
            "family.repeat",
            False,
            f"a window of {family.period} layers needs depth {family.period}, not {scenario.depth}",
        )
    if family.repeat is None and family.period > scenario.depth:
        raise refusal(
            "depth", scenario.depth, f"is less than the {family.period} matrices given; set repeat or depth"
        )


def _check_injection(scenario: "Scenario") -> None:
    injection, width = scenario.gate.injection, scenario.family.width
    if injection.matrix is not None and {len(injection.matrix), *map(len, injection.matrix)} != {width}:
        raise refusal(
            "gate.injection.matrix",
            f"{len(injection.matrix)} rows",
            f"must be {width}×{width}, the width of the family",
        )
    if isinstance(injection.bias, tuple) and len(injection.bias) != width:
        raise refusal("gate.injection.bias", len(injection.bias), f"give {width} numbers, one per direction")
    if injection.alignment in ("aligned", "worst") and not is_tied(scenario):
        raise refusal(
            "gate.injection.alignment",
            injection.alignment,
            "needs a tied family: one layer map for the whole stack",
        )


def _check_cost(scenario: "Scenario") -> None:
    entries = (
        scenario.depth * (min(scenario.block_length, scenario.tokens or 256) * scenario.family.width) ** 2
    )
    if scenario.kernel.kind != "bidirectional" and entries > LARGEST_FLOW:
        raise refusal(
            "block_length",
            scenario.block_length,
            f"depth·(P·d)² = {entries:.1e} exceeds {LARGEST_FLOW:.1e}; lower block length, width or depth",
        )


def _check_window_cost(scenario: "Scenario") -> None:
    family = scenario.family
    if is_tied(scenario) or (isinstance(family, Explicit) and family.repeat is not False):
        return
    ring = scenario.gate.topology == "ring"
    work = scenario.depth * family.width**3 * (4 * scenario.blocks if ring else 1)
    if work > LARGEST_WINDOW:
        raise refusal(
            "depth",
            scenario.depth,
            f"depth·d³{'·4K' if ring else ''} = {work:.1e} exceeds {LARGEST_WINDOW:.1e}; lower d or L",
        )


def is_tied(scenario: "Scenario") -> bool:
    """Say whether every layer map of the scenario is the same by construction."""
    family = scenario.family
    match family.kind:
        case "tied" | "rotation" | "looped":
            return True
        case "explicit":
            return family.period == 1
        case "turning":
            return family.turn == 0 and family.modulation == 0
        case "switching":
            return family.up == family.down
        case "almost_mathieu":
            return family.coupling == 0
        case "random":
            return family.scale == 0 and family.value_scale == 0
        case "drifting":
            return family.start == family.end
        case _:
            return False
