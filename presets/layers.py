"""The formulas of the generator families: from a family's few numbers to M(ℓ) and V(ℓ)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.preln_stack import random_stack
from presets import family as families

GOLDEN = (math.sqrt(5) - 1) / 2
"""ω of the quasi-periodic families, in turns per layer."""

Pair = tuple[np.ndarray, np.ndarray]


def mixing_and_value(family: families.Family, depth: int) -> Pair:
    """Return M(ℓ) and V(ℓ), each (n, d, d), per layer.

    **Arguments:**

    - `family`: which formula, and its numbers.
    - `depth`: layers to build; families of one repeated layer give one, `explicit` gives its period.
    """
    return _FORMULAS[family.kind](family, depth)


def _split(factor: np.ndarray, value: np.ndarray) -> Pair:
    """Return M = B − I − V beside V."""
    value = np.broadcast_to(value, factor.shape)
    return factor - np.eye(factor.shape[-1]) - value, np.array(value)


def _superdiagonal(width: int, shear: float) -> np.ndarray:
    return shear * np.eye(width, k=1)


def _explicit(family: families.Explicit, _depth: int) -> Pair:
    layer = np.arange(family.period)
    mixing = np.array(family.sequence("mixing"), dtype=np.float64)
    value = np.array(family.sequence("value"), dtype=np.float64)
    return mixing[layer % len(mixing)], value[layer % len(value)]


def _tied(family: families.Tied, _depth: int) -> Pair:
    factor = np.diag(family.multipliers) + _superdiagonal(family.width, family.shear)
    return _split(factor[None], np.diag(family.value))


def _rotation(family: families.Rotation, _depth: int) -> Pair:
    frame = np.array([[1.0, family.shear], [0.0, 1.0]])
    inverse = np.array([[1.0, -family.shear], [0.0, 1.0]])
    return _split(
        (family.modulus * frame @ _rotations(np.array([family.angle]), 2)[0] @ inverse)[None],
        family.value * np.eye(2),
    )


def _rotations(angles: np.ndarray, width: int) -> np.ndarray:
    """Turn planes (1,2), (3,4), … by the given angles, every second plane at 0.6 of the rate; (n, d, d)."""
    turned = np.tile(np.eye(width), (len(angles), 1, 1))
    for plane in range(width // 2):
        angle = angles * (0.6 if plane % 2 else 1.0)
        i, j = 2 * plane, 2 * plane + 1
        turned[:, i, i] = turned[:, j, j] = np.cos(angle)
        turned[:, j, i] = np.sin(angle)
        turned[:, i, j] = -np.sin(angle)
    return turned


def _turning(family: families.Turning, depth: int) -> Pair:
    width = family.width
    tilt = np.eye(width)
    for source, target in ((2, 0), (3, 1)):
        if source < width:
            tilt[target, source] = family.skew
    frames = _rotations(family.turn * np.arange(depth + 1), width) @ tilt
    untilt = 2 * np.eye(width) - tilt
    back = untilt @ np.swapaxes(_rotations(family.turn * np.arange(depth), width), 1, 2)
    rate = np.exp(family.modulation * np.cos(2 * math.pi * GOLDEN * np.arange(depth)))[:, None]

    def seen(growths: tuple[float, ...]) -> np.ndarray:
        return (frames[1:] * (rate * np.array(growths))[:, None, :]) @ back

    return _split(seen(family.multipliers), seen(family.value))


def _switching(family: families.Switching, depth: int) -> Pair:
    factors: list[float] = []
    block = 0
    while len(factors) < depth:
        length = 2**block if family.pattern == "doubling" else 1 + block // 2
        factors += [family.down if block % 2 else family.up] * min(length, depth - len(factors))
        block += 1
    return _split(np.array(factors).reshape(-1, 1, 1), np.zeros((1, 1)))


def _almost_mathieu(family: families.AlmostMathieu, depth: int) -> Pair:
    factors = np.tile(np.array([[0.0, -1.0], [1.0, 0.0]]), (depth, 1, 1))
    turns = GOLDEN * np.arange(depth) + family.phase
    factors[:, 0, 0] = family.energy - 2 * family.coupling * np.cos(2 * math.pi * turns)
    return _split(factors, np.zeros((2, 2)))


def _random(family: families.Random, depth: int) -> Pair:
    draws = np.random.Generator(np.random.PCG64(family.seed)).standard_normal(
        (depth, 2, family.width, family.width)
    )
    draws /= math.sqrt(family.width)
    eye = np.eye(family.width)
    return family.mean * eye + family.scale * draws[
        :, 0
    ], family.value_mean * eye + family.value_scale * draws[:, 1]


def _drifting(family: families.Drifting, depth: int) -> Pair:
    progress = np.linspace(0.0, 1.0, depth)[:, None] if depth > 1 else np.zeros((1, 1))
    growths = (1 - progress) * np.array(family.start) + progress * np.array(family.end)
    factors = growths[:, :, None] * np.eye(family.width) + _superdiagonal(family.width, family.shear)
    return _split(factors, np.diag(family.value))


def _looped(family: families.Looped, _depth: int) -> Pair:
    factor = np.diag(np.exp(-np.exp(family.log_rate) * family.step))
    return _split(factor[None], np.diag(family.value))


def _transformer(family: families.Transformer, depth: int) -> Pair:
    mixing, value = random_stack(depth=depth, **family.model_dump(exclude={"kind"}))
    return mixing, value


_FORMULAS: dict[str, Callable[[Any, int], Pair]] = {
    "explicit": _explicit,
    "tied": _tied,
    "rotation": _rotation,
    "turning": _turning,
    "switching": _switching,
    "almost_mathieu": _almost_mathieu,
    "random": _random,
    "drifting": _drifting,
    "looped": _looped,
    "transformer": _transformer,
}
