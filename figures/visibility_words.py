"""What the figures of visibility say where there is nothing to draw, and what they add beside a drawing."""

import math

from figures.number import layers, typed
from figures.phrase import at_resolution
from presets import quantities
from presets.schema import Scenario
from presets.visibility_quantities import FEWEST_LAYERS, LARGEST_STACK, LENT_BIAS, State

SHORT: dict[State, str] = {
    "no-split": "no split",
    "nothing-persists": "nothing persists",
    "nothing-decays": "nothing decays",
    "too-wide": "too wide to solve here",
    "shut": "the gate is shut: u* = 0",
    "lost": "no closed-loop split",
    "leaky": "blocks are mixed",
}
"""A state in the middle of an empty plot."""


def absence(state: State, scenario: Scenario) -> str:
    """Say in one sentence why there is nothing to draw."""
    at = at_resolution(quantities.spectrum(scenario).resolution)
    widest = math.isqrt(LARGEST_STACK // FEWEST_LAYERS)
    amplitude = typed(scenario.gate.amplitude)
    return {
        "no-split": f"No split{at}: there is no persistent coordinate to look at.",
        "nothing-persists": f"Nothing persists{at}: there is no slow path that could see a change.",
        "nothing-decays": f"Nothing decays{at}: there are no fast directions to hide a change in.",
        "too-wide": f"Not solved for u* at width {scenario.family.width}: lower it to {widest} or less.",
        "shut": "The gate is shut (ϱ = 0): u* = 0, and no change of the layers moves it.",
        "lost": f"At ϱ = {amplitude} the closed loop keeps no split, or has no bounded u*.",
        "leaky": "A leaky kernel mixes the blocks: Theorem 9 is about blocks that keep to themselves.",
    }[state]


LENT = ["ψ(0) = 0 injects nothing: set a bias", f"drawn with b = {LENT_BIAS:g}·(1,…,1)/√d"]
"""Why a bias was lent, and which."""


def solution_remarks(scenario: Scenario, studied: int, *, lent: bool) -> list[str]:
    """Say what was taken instead of the scenario's own settings."""
    gate, stack = scenario.gate, quantities.layers(scenario)
    loop = gate.topology == "self" and gate.refresh_period == 1
    return [
        *(LENT if lent else []),
        *([] if loop else ["for a self-loop with Lᵣ = 1"]),
        *([] if studied == len(stack.factors) else [f"first {layers(studied)} only"]),
    ]
