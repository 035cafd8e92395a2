r"""The weights with which the blocks of a sequence are pooled into their summaries."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float


def summary_weights(
    pool: Callable[[int], Float[np.ndarray, " present"]], tokens: int, block_length: int
) -> Float[np.ndarray, "blocks P"]:
    r"""Pool every block of a sequence, the ragged last one by the tokens it has.

    **Arguments:**

    - `pool`: weights for a number of tokens present, as in `engine.compressions`.
    - `tokens`: length T of the sequence.
    - `block_length`: tokens per block P.

    **Returns:** one row of weights per block, zero at the positions a ragged block lacks.

    **Raises:** `ValueError` for an empty sequence or an empty block, and as `pool` does.
    """
    if tokens < 1 or block_length < 1:
        raise ValueError(f"tokens and block_length must be at least 1; got {tokens} and {block_length}.")
    blocks = -(-tokens // block_length)
    rows = np.zeros((blocks, block_length))
    rows[:] = pool(block_length) if blocks > 1 else 0.0
    present = tokens - (blocks - 1) * block_length
    rows[-1] = np.pad(pool(present), (0, block_length - present))
    return rows
