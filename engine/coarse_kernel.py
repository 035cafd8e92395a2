r"""Blocks as single tokens: what the leaky kernel does to states that are constant on every block.

Such states stay constant on every block, so K rows carry the whole sequence. This takes
the place of the sectors, which the leaky kernel does not have.
"""

import numpy as np
from jaxtyping import Float

from engine.kernel import check_kernel, check_stack


def coarse_kernel(blocks: int, leak: float) -> Float[np.ndarray, "blocks blocks"]:
    r"""Attention between blocks, $\beta_{kk} = 1 - \varepsilon$, $\beta_{kq} = \varepsilon/(k-1)$ for q < k.

    The first block reads itself alone. Without a leak it is the identity: the blocks never meet.

    **Arguments:**

    - `blocks`: number of blocks K; the last one may be ragged.
    - `leak`: share ε of attention on earlier blocks.

    **Returns:** the row-stochastic lower triangular kernel β.

    **Raises:** `ValueError` without blocks or for a leak outside 0..1.
    """
    if blocks < 1:
        raise ValueError(f"blocks must be at least 1; got {blocks}.")
    check_kernel(1, "leaky", leak)
    kernel = np.tril(np.full((blocks, blocks), leak), -1) / np.maximum(np.arange(blocks), 1)[:, None]
    kernel[np.diag_indices(blocks)] = 1 - leak
    kernel[0, 0] = 1.0
    return kernel


def coarse_propagate(
    states: Float[np.ndarray, "blocks d"],
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    leak: float,
) -> Float[np.ndarray, "blocks d"]:
    r"""Carry the common states of the blocks through the stack, $Y \mapsto Y(I+M)^\top + \beta Y V^\top$.

    **Arguments:**

    - `states`: the state all tokens of a block share, one row per block.
    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `leak`: share ε of attention on earlier blocks.

    **Returns:** the common states behind the last layer.

    **Raises:** `ValueError` for stacks of different shape or a leak outside 0..1.
    """
    check_stack(mixing, value)
    kernel = coarse_kernel(len(states), leak)
    for mix, val in zip(mixing, value, strict=True):
        states = states + states @ mix.T + kernel @ states @ val.T
    return states
