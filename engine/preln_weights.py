"""The weights of one Pre-LN transformer block, and the eight kinds of block they can make."""

from typing import Literal, NamedTuple, TypedDict, get_args

import numpy as np
from jax import Array
from jaxtyping import Float

Norm = Literal["rms", "layer"]
Activation = Literal["gelu", "swiglu"]
Order = Literal["sequential", "parallel"]
Numbers = np.ndarray | Array
"""Weights on the host, or the same weights traced inside a kernel."""


class BlockKind(TypedDict):
    """Which of the eight kinds of block, as the keywords of the functions that need it."""

    norm: Norm
    activation: Activation
    order: Order


class Block(NamedTuple):
    """Weights of one block, each matrix shaped (out, in); plain numbers stand for constant vectors.

    `mlp_gate` belongs to SwiGLU, the two shifts to the layer norm; others ignore them.
    Head h reads key and value head `h // (heads / kv_heads)`. In parallel order one norm,
    the attention's, feeds both branches.
    """

    query_weights: Float[Numbers, "heads head_width d"]
    key_weights: Float[Numbers, "kv_heads head_width d"]
    value_weights: Float[Numbers, "kv_heads head_width d"]
    output_weights: Float[Numbers, "heads d head_width"]
    mlp_in: Float[Numbers, "hidden d"]
    mlp_out: Float[Numbers, "d hidden"]
    mlp_gate: Float[Numbers, "hidden d"] | float = 0.0
    attention_gain: Float[Numbers, " d"] | float = 1.0
    attention_shift: Float[Numbers, " d"] | float = 0.0
    mlp_gain: Float[Numbers, " d"] | float = 1.0
    mlp_shift: Float[Numbers, " d"] | float = 0.0
    query_bias: Float[Numbers, "heads head_width"] | float = 0.0
    key_bias: Float[Numbers, "kv_heads head_width"] | float = 0.0
    value_bias: Float[Numbers, "kv_heads head_width"] | float = 0.0
    output_bias: Float[Numbers, " d"] | float = 0.0
    mlp_in_bias: Float[Numbers, " hidden"] | float = 0.0
    mlp_gate_bias: Float[Numbers, " hidden"] | float = 0.0
    mlp_out_bias: Float[Numbers, " d"] | float = 0.0


def check_block(block: Block, width: int, norm: str, activation: str, order: str) -> None:
    """Refuse weights and names that do not make a block for states of this width."""
    for word, allowed in (("norm", Norm), ("activation", Activation), ("order", Order)):
        found = {"norm": norm, "activation": activation, "order": order}[word]
        if found not in get_args(allowed):
            raise ValueError(f"{word} must be one of {get_args(allowed)}; got {found!r}.")
    if block.mlp_in.shape[-1] != width:
        raise ValueError(f"weights read {block.mlp_in.shape[-1]} features; the states have {width}.")
    heads, kv_heads = len(block.output_weights), len(block.value_weights)
    if heads % kv_heads:
        raise ValueError(f"heads must be a multiple of key and value heads; got {heads} and {kv_heads}.")
    if activation == "swiglu" and np.ndim(block.mlp_gate) == 0:
        raise ValueError("activation 'swiglu' needs mlp_gate, shaped like mlp_in; got a number.")
