r"""Tokens run through the real Pre-LN blocks, attention confined to blocks, each with its own gate.

One layer: $X_k \mapsto \mathrm{Block}(X_k) + \mathbf 1\,\varrho\,\psi(\hat y_k)^\top$ for every block k of
the sequence, where $\hat y_k = \Pi X_k$ is held between refreshes. Nothing is linearised.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from engine.device import run
from engine.preln_block import EPSILON, output_of
from engine.preln_stack import LAYERS_PER_CALL, stacked_weights
from engine.preln_weights import Activation, Block, BlockKind, Norm, Numbers, Order, check_block
from engine.rotary import check_head_width
from engine.token_blocks import in_sequence, padded_blocks
from engine.token_gate import GATE_ARRAYS, TokenGate, from_arrays, injected, padded_gate, refreshed


def token_runs(
    blocks: Sequence[Block],
    states: Float[np.ndarray, "runs tokens d"],
    *,
    block_length: int,
    norm: Norm,
    activation: Activation,
    order: Order,
    gate: TokenGate | None = None,
    rotary: bool = False,
    epsilon: float = EPSILON,
) -> Float[np.ndarray, "depths runs tokens d"]:
    r"""Run several sequences through the same stack.

    **Arguments:**

    - `blocks`: the layers, first one first; at least one, all of the same shapes.
    - `states`: X(0) of every run; the last block of a sequence may be ragged.
    - `block_length`: tokens P that attend to one another.
    - `norm`, `activation`, `order`, `rotary`, `epsilon`: as for `block_output`.
    - `gate`: the slow path; left out: none.

    **Returns:** the tokens of every run at the depths 0 … L; not finite where a run leaves the
    floating-point range.

    **Raises:** `ValueError` when there is no layer, or weights, gate or head width do not fit.
    """
    check_run(blocks, states.shape[-1], norm=norm, activation=activation, order=order, rotary=rotary)
    kind = {"norm": norm, "activation": activation, "order": order}
    constants = (epsilon, rotary, *padded_gate(gate, states, block_length).arrays)
    tokens = padded_blocks(states, block_length)
    held = np.zeros((*tokens.shape[:2], tokens.shape[-1]))
    parts = [tokens[None]]
    for first, weights, live in calls(blocks):
        found, held = run(_tokens_kernel, parts[-1][-1], held, first, live, *constants, *weights, **kind)
        parts.append(found[:live])
    return in_sequence(np.concatenate(parts), states.shape[1], block_length)


def check_run(
    blocks: Sequence[Block], width: int, *, norm: str, activation: str, order: str, rotary: bool
) -> None:
    """Refuse stacks that cannot be run on states of this width.

    **Raises:** `ValueError` for no layer, weights that do not fit, or rotary positions and an odd head width.
    """
    if not blocks:
        raise ValueError("blocks must hold at least one layer; got none.")
    for block in blocks:
        check_block(block, width, norm, activation, order)
        if rotary:
            check_head_width(block.output_weights.shape[-1])


def calls(blocks: Sequence[Block]) -> Iterator[tuple[int, list[np.ndarray], int]]:
    """Yield first layer, stacked weights and number of layers of every kernel call."""
    for first in range(0, len(blocks), LAYERS_PER_CALL):
        layers = list(blocks[first : first + LAYERS_PER_CALL])
        yield first, stacked_weights(layers), len(layers)


def next_tokens(
    tokens: Numbers,
    epsilon: Numbers,
    rotary: Numbers,
    block: Block,
    *,
    norm: Norm,
    activation: Activation,
    order: Order,
) -> Numbers:
    """Trace one layer on every block of every run."""

    def attended(states: Numbers) -> Numbers:
        return output_of(states, epsilon, rotary, block, norm=norm, activation=activation, order=order)

    return jax.vmap(jax.vmap(attended))(tokens)


@partial(jax.jit, static_argnames=("norm", "activation", "order"))
def _tokens_kernel(
    tokens: Array,
    held: Array,
    first: Array,
    live: Array,
    epsilon: Array,
    rotary: Array,
    *arrays: Array,
    norm: Norm,
    activation: Activation,
    order: Order,
) -> tuple[Array, Array]:
    gate, weights = from_arrays(arrays), arrays[GATE_ARRAYS:]
    kind: BlockKind = {"norm": norm, "activation": activation, "order": order}

    def step(carried: tuple[Array, Array], layer: tuple[Array, tuple[Array, ...]]) -> tuple[tuple, Array]:
        tokens, held = carried
        index, parts = layer
        fresh = refreshed(gate, held, tokens, first + index)
        after = next_tokens(tokens, epsilon, rotary, Block(*parts), **kind)
        moved = after + injected(gate, fresh)[:, :, None, :]
        alive = index < live
        kept = jnp.where(alive, moved, tokens), jnp.where(alive, fresh, held)
        return kept, kept[0]

    (_, held), found = jax.lax.scan(step, (tokens, held), (jnp.arange(len(weights[0])), weights))
    return found, held
