"""Causal grouped-head attention of a Pre-LN block, traced inside the block's kernels."""

import jax
import jax.numpy as jnp
import numpy as np

from engine.preln_weights import Block, Numbers
from engine.rotary import rotated


def attention(block: Block, inputs: Numbers, rotary: Numbers | bool) -> Numbers:
    r"""Mix the values of the tokens so far by the softmax of scaled scores, and project out.

    **Arguments:**

    - `block`: the weights.
    - `inputs`: normalised states, one row per token, oldest first.
    - `rotary`: whether queries and keys are turned by their position.

    **Returns:** what attention adds to every token.
    """
    heads, _, head_width = block.output_weights.shape
    group = heads // block.value_weights.shape[0]

    def projected(weights: Numbers, bias: Numbers | float) -> Numbers:
        lifted = jnp.einsum("hkd,td->htk", weights, inputs)
        return lifted + jnp.broadcast_to(jnp.asarray(bias), weights.shape[:2])[:, None, :]

    queries = projected(jnp.asarray(block.query_weights), block.query_bias)
    keys = jnp.repeat(projected(jnp.asarray(block.key_weights), block.key_bias), group, axis=0)
    values = jnp.repeat(projected(jnp.asarray(block.value_weights), block.value_bias), group, axis=0)
    queries, keys = rotated(queries, rotary), rotated(keys, rotary)
    scores = jnp.einsum("htk,hsk->hts", queries, keys) / np.sqrt(head_width)
    earlier = jnp.tri(inputs.shape[0], dtype=bool)
    weights = jax.nn.softmax(jnp.where(earlier, scores, -jnp.inf), axis=-1)
    return jnp.einsum("hdk,hts,hsk->td", block.output_weights, weights, values) + block.output_bias


def value_path(block: Block) -> tuple[Numbers, Numbers]:
    """Return what attention does to a lone token: `sum_h W_O^h W_V^g(h)` and its constant."""
    kv_heads, head_width = block.value_weights.shape[:2]
    group = block.output_weights.shape[0] // kv_heads
    heads = jnp.repeat(block.value_weights, group, axis=0)
    biases = jnp.repeat(jnp.broadcast_to(block.value_bias, (kv_heads, head_width)), group, axis=0)
    joined = jnp.swapaxes(block.output_weights, 0, 1).reshape(block.output_weights.shape[1], -1)
    return joined @ heads.reshape(-1, heads.shape[-1]), joined @ biases.ravel() + block.output_bias
