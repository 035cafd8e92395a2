"""Sequences of tokens cut into blocks, and joined again."""

import numpy as np
from jaxtyping import Float

from engine.device import bucket


def in_blocks(states: Float[np.ndarray, "tokens d"], block_length: int) -> Float[np.ndarray, "blocks P d"]:
    """Cut a sequence into blocks, zeros behind the last token.

    **Arguments:**

    - `states`: one row per token.
    - `block_length`: tokens per block P.

    **Returns:** the blocks.
    """
    tokens, width = states.shape
    missing = -tokens % block_length
    return np.pad(states, ((0, missing), (0, 0))).reshape(-1, block_length, width)


def padded_blocks(
    states: Float[np.ndarray, "runs tokens d"], block_length: int
) -> Float[np.ndarray, "runs blocks slots d"]:
    """Cut sequences into blocks, with empty slots and blocks up to the next bucket; no token sees them."""
    cut = np.stack([in_blocks(sequence, block_length) for sequence in states])
    rest = [
        (0, 0),
        (0, bucket(cut.shape[1]) - cut.shape[1]),
        (0, bucket(block_length) - block_length),
        (0, 0),
    ]
    return np.pad(cut, rest)


def in_sequence(
    tokens: Float[np.ndarray, "depths runs blocks slots d"], length: int, block_length: int
) -> Float[np.ndarray, "depths runs tokens d"]:
    """Join the blocks of every run again and drop the empty slots."""
    depths, runs, _, _, width = tokens.shape
    return tokens[:, :, :, :block_length].reshape(depths, runs, -1, width)[:, :, :length]
