"""Rows of the kernel table about tokens and blocks."""

from collections.abc import Iterator

import numpy as np

from benchmarks import plain_tokens
from benchmarks.ratio import Row, compared
from engine.compressions import mean_weights
from engine.duality import duality_surface
from engine.fluctuation import fluctuation_norms
from engine.sectors import sector_norms
from engine.token_flow import propagate

LAYERS, WIDTH = 64, 8
FLOW_TOKENS, FLOW_WIDTH, FLOW_LAYERS = 65_536, 64, 8


def rows() -> Iterator[Row]:
    """Measure every kernel of tokens and blocks."""
    mixing, value = stack(LAYERS, WIDTH)
    size = f"L = {LAYERS}, d = {WIDTH}"
    weights = mean_weights(16)
    yield compared(
        "E(s,ℓ), every pair of depths",
        f"{size}, P = 16",
        lambda: np.exp(duality_surface(mixing, value, weights, "causal", np.arange(LAYERS + 1)).log_absolute),
        lambda: plain_tokens.switch_errors(mixing, value, weights),
        target=10,
    )
    for tokens in (16, 64):
        yield compared(
            "norm of token differences",
            f"{size}, P = {tokens}",
            lambda tokens=tokens: np.exp(fluctuation_norms(mixing, value, tokens, "causal").log_absolute),
            lambda tokens=tokens: plain_tokens.fluctuations(mixing, value, tokens),
            target=2.5,
        )
    yield compared(
        "norms of all sectors",
        f"{size}, P = 64",
        lambda: np.exp(sector_norms(mixing, value, np.arange(1.0, 65.0))),
        lambda: plain_tokens.sectors(mixing, value, 64),
        target=4,
    )
    yield _flow()


def _flow() -> Row:
    mixing, value = stack(FLOW_LAYERS, FLOW_WIDTH)
    states = np.random.default_rng(0).standard_normal((FLOW_TOKENS, FLOW_WIDTH))
    return compared(
        "token flow",
        f"T = {FLOW_TOKENS}, L = {FLOW_LAYERS}, d = {FLOW_WIDTH}",
        lambda: propagate(states, mixing, value, 64, "causal"),
        lambda: plain_tokens.flow(states, mixing, value, 64),
        target=4,
    )


def stack(layers: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw layers in which differences decay and the shared state lives on."""
    random = np.random.default_rng(1)
    mixing, value = 0.15 * random.standard_normal((2, layers, width, width)) / np.sqrt(width)
    return mixing - 0.35 * np.eye(width), value + 0.35 * np.eye(width)
