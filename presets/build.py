"""From a scenario to the engine's arrays: the last place that knows pydantic."""

import math
from typing import Literal, NamedTuple

import numpy as np

from engine.projector import persistent_projector, worst_injection
from presets.family import Explicit
from presets.gate import Injection
from presets.layers import mixing_and_value
from presets.rules import is_tied
from presets.schema import Scenario

Recurrence = Literal["tied", "periodic", "window"]


class Stack(NamedTuple):
    """M(ℓ) and V(ℓ), each (n, d, d), per layer; n = 1 when tied, the period when periodic, else the depth."""

    mixing: np.ndarray
    value: np.ndarray
    recurrence: Recurrence

    @property
    def factors(self) -> np.ndarray:
        """Layer maps B = I + M + V, (n, d, d)."""
        return np.eye(self.mixing.shape[-1]) + self.mixing + self.value

    def to_depth(self, depth: int) -> "Stack":
        """Repeat the layers until there are `depth` of them, (L, d, d)."""
        layer = np.arange(depth) % len(self.mixing)
        return self._replace(mixing=self.mixing[layer], value=self.value[layer])


def stack(scenario: Scenario) -> Stack:
    """Build the layers of a scenario's family."""
    family = scenario.family
    tied = is_tied(scenario)
    mixing, value = mixing_and_value(family, 1 if tied else scenario.depth)
    recurrence = "tied" if tied else "periodic" if repeats(scenario) else "window"
    return Stack(mixing, value, recurrence)


def repeats(scenario: Scenario) -> bool:
    """Say whether explicit matrices repeat for ever: as set, else unless they fill the depth."""
    family = scenario.family
    if not isinstance(family, Explicit):
        return False
    return family.period == 1 or (family.period != scenario.depth if family.repeat is None else family.repeat)


def filled(scenario: Scenario) -> Scenario:
    """Write out the one default that depends on another field: whether explicit matrices repeat."""
    if not isinstance(scenario.family, Explicit):
        return scenario
    family = scenario.family.model_copy(update={"repeat": repeats(scenario)})
    return scenario.model_copy(update={"family": family})


def resolution(scenario: Scenario) -> int:
    """Layers H over which a window averages growth: as set, else clamp(L/4, 8, 64), at most L/2."""
    depth = scenario.depth
    automatic = min(max(depth // 4, 8), 64, max(depth // 2, 1))
    return min(scenario.window or automatic, depth)


def block_tokens(scenario: Scenario) -> int:
    """Tokens in the longest block: P, or T when a single ragged block is all there is."""
    return min(scenario.block_length, scenario.tokens or scenario.block_length)


def leak(scenario: Scenario) -> float:
    """Share ε of attention that really leaves a block: none where there is no other block."""
    kernel = scenario.kernel
    return kernel.leak if kernel.kind == "leaky" and scenario.blocks > 1 else 0.0


def block_kernel(scenario: Scenario) -> Literal["causal", "bidirectional"]:
    """Kernel inside a block; under a leak the first block is causal, and later ones but for a factor."""
    return "bidirectional" if scenario.kernel.kind == "bidirectional" else "causal"


def injection_matrix(injection: Injection, layers: Stack, seed: int) -> np.ndarray:
    """Build W of ψ(u) = W u + b, (d, d), scaled to ‖W‖₂ = gain when a gain is given."""
    width = layers.mixing.shape[-1]
    match injection.alignment:
        case None:
            direction = np.array(injection.matrix, dtype=np.float64)
        case "identity":
            direction = np.eye(width)
        case "angle":
            angle = math.radians(injection.angle)
            direction = math.cos(angle) * np.eye(width) + math.sin(angle) * _swap(width)
        case "random":
            direction = np.random.Generator(np.random.PCG64(seed)).standard_normal((width, width))
        case "aligned":
            direction = 2 * persistent_projector(layers.factors[0]) - np.eye(width)
        case "worst":
            direction = worst_injection(layers.factors[0])
    if injection.gain is None:
        return direction
    norm = float(np.linalg.norm(direction, 2))
    return direction * (injection.gain / norm) if norm > 0 else direction


def bias_vector(injection: Injection, width: int) -> np.ndarray:
    """Build b of ψ(u) = W u + b, (d,)."""
    if injection.bias is None:
        return np.zeros(width)
    if isinstance(injection.bias, tuple):
        return np.array(injection.bias, dtype=np.float64)
    return np.full(width, injection.bias / math.sqrt(width))


def _swap(width: int) -> np.ndarray:
    """J: coordinates 1↔2, 3↔4, …; an odd last one stays."""
    order = np.arange(width)
    pairs = width - width % 2
    order[:pairs] ^= 1
    return np.eye(width)[order]
