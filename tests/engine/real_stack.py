"""One small real stack, shared so that its kernels are compiled once for all tests."""

from itertools import islice
from typing import Any

import numpy as np

from engine.compressions import mean_weights
from engine.injection import Injection
from engine.preln_stack import random_blocks
from engine.preln_weights import Block
from engine.summary_weights import summary_weights
from engine.token_gate import TokenGate

WIDTH, LENGTH, TOKENS, DEPTH = 4, 3, 8, 5
SHAPE: dict[str, Any] = {"width": WIDTH, "heads": 2, "kv_heads": 1, "hidden": 6}
SCALES: dict[str, Any] = {"attention_scale": 0.8, "mlp_scale": 0.8}
KIND: dict[str, Any] = {"norm": "rms", "activation": "swiglu", "order": "sequential"}
AMPLITUDES = np.array([1e-4, 1e-3, 1e-2])


def real_blocks(depth: int = DEPTH, seed: int = 0) -> list[Block]:
    return list(islice(random_blocks(np.random.default_rng(seed), **SHAPE, **SCALES), depth))


def state_and_differences(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.standard_normal(WIDTH), random.standard_normal((TOKENS, WIDTH))


def mean_gate(amplitude: float, *, saturating: bool = True, refresh_period: int = 1) -> TokenGate:
    random = np.random.default_rng(7)
    injection = Injection(
        0.5 * random.standard_normal((WIDTH, WIDTH)), random.standard_normal(WIDTH), saturating
    )
    return TokenGate(injection, summary_weights(mean_weights, TOKENS, LENGTH), amplitude, refresh_period)
