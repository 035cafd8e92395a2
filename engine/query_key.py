r"""What the query and key weights can change: nothing while tokens agree, and how much once they differ.

Without positions the scores of equal tokens are equal, so attention averages evenly whatever
the queries and keys are, and changing them moves the output at second order in the differences
between tokens. Rotary positions make the weights uneven at once: first order.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.order_fit import FittedOrder, fitted_order
from engine.preln_tokens import token_runs
from engine.preln_weights import Activation, Block, Norm, Order
from engine.token_gate import TokenGate

ROUNDOFF = 1e-13
"""Changes below this share of the largest state are round-off."""


class QueryKeyResponse(NamedTuple):
    """Change of the tokens behind the last layer, at growing amplitude of their differences.

    **Fields:**

    - `amplitudes`: of the inhomogeneity.
    - `change`: largest change of a token, state units; nan where a run is not finite.
    - `first_change`: the same over the first tokens of the blocks, which see only themselves.
    - `order`: exponent of `change` in the amplitude: 2 without positions, 1 with rotary ones.
    """

    amplitudes: Float[np.ndarray, " runs"]
    change: Float[np.ndarray, " runs"]
    first_change: Float[np.ndarray, " runs"]
    order: FittedOrder


def query_key_response(
    blocks: Sequence[Block],
    start: Float[np.ndarray, " d"],
    differences: Float[np.ndarray, "tokens d"],
    *,
    block_length: int,
    norm: Norm,
    activation: Activation,
    order: Order,
    amplitudes: Float[np.ndarray, " runs"],
    seed: int,
    gate: TokenGate | None = None,
    rotary: bool = False,
) -> QueryKeyResponse:
    r"""Draw all queries and keys anew and see how far the output of the same tokens moves.

    **Arguments:**

    - `blocks`: the layers, first one first.
    - `start`, `differences`, `amplitudes`: $X(0) = \mathbf 1 x^\top + a\,D$ for every amplitude a > 0.
    - `block_length`, `norm`, `activation`, `order`, `gate`, `rotary`: as for `token_runs`.
    - `seed`: of the new weights.

    **Returns:** the changes and their order.

    **Raises:** as `token_runs`.
    """
    states = start + amplitudes[:, None, None] * differences
    before, after = (
        token_runs(
            stack,
            states,
            block_length=block_length,
            norm=norm,
            activation=activation,
            order=order,
            gate=gate,
            rotary=rotary,
        )[-1]
        for stack in (blocks, with_other_queries_and_keys(blocks, seed))
    )
    finite = (np.isfinite(before) & np.isfinite(after)).all(axis=(1, 2))
    sizes = np.where(finite[:, None], np.linalg.norm(after - before, axis=2), np.nan)
    change = sizes.max(axis=1)
    floor = ROUNDOFF * float(np.abs(before[finite]).max(initial=0.0))
    fitted = fitted_order(amplitudes, change, floor)
    return QueryKeyResponse(amplitudes, change, sizes[:, ::block_length].max(axis=1), fitted)


def with_other_queries_and_keys(blocks: Sequence[Block], seed: int) -> list[Block]:
    """Replace the query and key weights by normal draws of the same size.

    **Arguments:**

    - `blocks`: the layers.
    - `seed`: of the generator.

    **Returns:** the same layers with other queries and keys.
    """
    generator = np.random.Generator(np.random.PCG64(seed))

    def redrawn(weights: np.ndarray) -> np.ndarray:
        return generator.standard_normal(weights.shape) * np.sqrt(np.mean(weights**2))

    return [
        block._replace(
            query_weights=redrawn(np.asarray(block.query_weights)),
            key_weights=redrawn(np.asarray(block.key_weights)),
        )
        for block in blocks
    ]
