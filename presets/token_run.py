"""The tokens of a run that is computed and not only described: how many, and the gate they meet."""

import numpy as np

from engine.summary_weights import summary_weights
from engine.token_gate import TokenGate
from presets import pooling, trajectory_quantities
from presets.schema import Scenario

MOST_TOKENS = 64
"""Tokens of a run, at most, but one block at least."""


def token_count(scenario: Scenario) -> int:
    """Count the tokens of a run: all of them, or as many whole blocks as there is time for."""
    length = scenario.block_length
    most = max(MOST_TOKENS // length, 1) * length
    return min(scenario.tokens or scenario.blocks * length, most)


def token_gate(scenario: Scenario) -> TokenGate:
    """Return ψ, Π, ϱ and the refresh period of a run; every block reads itself."""
    length, period = scenario.block_length, scenario.gate.refresh_period
    return TokenGate(
        trajectory_quantities.injection(scenario),
        summary_weights(pooling.pool(scenario.compression), token_count(scenario), length),
        scenario.gate.amplitude,
        scenario.depth + 1 if period is None else period,
    )


def random_tokens(scenario: Scenario) -> np.ndarray:
    """Draw tokens from the normal distribution, (tokens, d)."""
    random = np.random.Generator(np.random.PCG64(scenario.seed))
    return random.standard_normal((token_count(scenario), scenario.family.width))
