"""The real Pre-LN blocks of a scenario, or those of a small demonstration where its layers are formulas."""

from itertools import islice
from typing import NamedTuple

import numpy as np

from engine.preln_stack import random_blocks
from engine.preln_weights import Block, BlockKind
from presets.family import Transformer
from presets.schema import Scenario
from presets.token_run import random_tokens

DEMONSTRATION = Scenario(family=Transformer(), depth=32, block_length=8, blocks=2)
"""What is run where the scenario's family has no block to run: nothing of the scenario enters."""

MOST_LAYERS = 256


class RealStack(NamedTuple):
    """Blocks and the tokens to run through them.

    **Fields:**

    - `blocks`: the layers, first one first.
    - `start`: the common state x, (d,).
    - `differences`: D, (tokens, d); the longest row is as long as x, so that the amplitude a of
      X(0) = 1xᵀ + aD is a share of |x|.
    - `kind`: which of the eight kinds of block.
    """

    blocks: list[Block]
    start: np.ndarray
    differences: np.ndarray
    kind: BlockKind


def has_blocks(scenario: Scenario) -> bool:
    """Say whether the scenario's layers come from blocks that can be run."""
    return isinstance(scenario.family, Transformer)


def studied(scenario: Scenario) -> Scenario:
    """Return the scenario, or the demonstration where it has no blocks."""
    return scenario if has_blocks(scenario) else DEMONSTRATION


def real_stack(scenario: Scenario) -> RealStack:
    """Draw the blocks of a transformer as its linearisation does, and the differences between tokens."""
    family = scenario.family
    assert isinstance(family, Transformer)
    generator = np.random.Generator(np.random.PCG64(family.seed))
    start = generator.standard_normal(family.width)
    drawn = random_blocks(
        generator,
        width=family.width,
        heads=family.heads,
        kv_heads=family.kv_heads,
        hidden=family.hidden,
        attention_scale=family.attention_scale,
        mlp_scale=family.mlp_scale,
    )
    depth = min(scenario.depth, MOST_LAYERS)
    differences = random_tokens(scenario)
    return RealStack(
        blocks=[next(drawn)] * depth if family.tied else list(islice(drawn, depth)),
        start=start,
        differences=differences * np.linalg.norm(start) / np.linalg.norm(differences, axis=1).max(),
        kind={"norm": family.norm, "activation": family.activation, "order": family.order},
    )
