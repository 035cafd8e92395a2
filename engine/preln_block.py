r"""One Pre-LN transformer block: what it does, and its exact tangent at equal tokens.

A block reads normalised states, adds attention and an MLP to the stream, and keeps equal
tokens equal. There its Jacobian is `δX ↦ δX (I + M)ᵀ + α δX Vᵀ` with the causal uniform
kernel α, whatever the query and key weights: they choose weights among equal values.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from engine.device import run
from engine.preln_attention import attention, value_path
from engine.preln_weights import Activation, Block, BlockKind, Norm, Numbers, Order, check_block
from engine.rotary import check_head_width

EPSILON = 1e-5
"""Added under the square root of the norms, as PyTorch does by default."""


class Generator(NamedTuple):
    """Tangent of a block at equal tokens, and the state all tokens move to."""

    mixing: Float[np.ndarray, "d d"]
    value: Float[np.ndarray, "d d"]
    output: Float[np.ndarray, " d"]


def block_output(
    block: Block,
    states: Float[np.ndarray, "tokens d"],
    *,
    norm: Norm,
    activation: Activation,
    order: Order,
    rotary: bool = False,
    epsilon: float = EPSILON,
) -> Float[np.ndarray, "tokens d"]:
    r"""Apply the true nonlinear block to the tokens of one attention block.

    Sequential: $h = x + \mathrm{Att}(S_1 x)$, then $h + \mathrm{MLP}(S_2 h)$.
    Parallel: $x + \mathrm{Att}(S_1 x) + \mathrm{MLP}(S_1 x)$. Attention is causal
    softmax, scores scaled by the root of the head width; GELU is the exact one;
    SwiGLU is $W_2(\mathrm{silu}(W_g z + c_g) \odot (W_1 z + c_1)) + c_2$.

    **Arguments:**

    - `block`: the weights.
    - `states`: one row per token, oldest first; state units.
    - `norm`, `activation`, `order`: which of the eight kinds of block this is.
    - `rotary`: whether queries and keys are turned by their position.
    - `epsilon`: added under the square root of the norm; state units squared.

    **Returns:** the states after the block, same shape.

    **Raises:** `ValueError` when heads, gate or one of the three names do not fit, or when
    rotary positions meet an odd head width.

    Reference: Xiong et al., ICML 2020 (Pre-LN); Ainslie et al., EMNLP 2023 (grouped heads).
    """
    check_block(block, states.shape[-1], norm, activation, order)
    if rotary:
        check_head_width(block.output_weights.shape[-1])
    kind = {"norm": norm, "activation": activation, "order": order}
    return run(_output_kernel, states, epsilon, rotary, *block, **kind)


def homogeneous_generator(
    block: Block,
    state: Float[np.ndarray, " d"],
    *,
    norm: Norm,
    activation: Activation,
    order: Order,
    epsilon: float = EPSILON,
) -> Generator:
    r"""Differentiate the block in closed form where all tokens share one state.

    With $V_{att} = \sum_h W_O^h W_V^{g(h)} DS_1(x)$, sequential order gives
    $I + M = I + D\mathrm{MLP}(S_2 h)\,DS_2(h)$ and $V = (I + M) V_{att}$, where
    $h = x + \mathrm{Att}(S_1 x)$; parallel order gives
    $I + M = I + D\mathrm{MLP}(S_1 x)\,DS_1(x)$ and $V = V_{att}$.

    **Arguments:**

    - `block`: the weights; queries and keys do not matter here.
    - `state`: the state of every token; state units.
    - `norm`, `activation`, `order`, `epsilon`: as for `block_output`.

    **Returns:** `mixing` M and `value` V, per layer, and `output`, the next common state.

    **Raises:** `ValueError` when heads, gate or one of the three names do not fit.
    """
    check_block(block, state.shape[-1], norm, activation, order)
    found = run(_generator_kernel, state, epsilon, *block, norm=norm, activation=activation, order=order)
    return Generator(*found)


def normalise(
    states: Numbers, gain: Numbers | float, shift: Numbers | float, epsilon: Numbers, norm: Norm
) -> Numbers:
    """Normalise along the last axis; the RMS norm has no shift."""
    if norm == "layer":
        states = states - states.mean(axis=-1, keepdims=True)
    scaled = gain * states / jnp.sqrt((states**2).mean(axis=-1, keepdims=True) + epsilon)
    return scaled + shift if norm == "layer" else scaled


def normalise_jacobian(state: Numbers, gain: Numbers | float, epsilon: Numbers, norm: Norm) -> Numbers:
    r"""Return $\mathrm{diag}(g)(I - 11^T/d - c c^T/(d s^2))/s$; without centring for the RMS norm."""
    width = state.shape[-1]
    centring = jnp.full((width, width), 1.0 / width) if norm == "layer" else jnp.zeros((width, width))
    centred = state - centring @ state
    square = (centred**2).mean() + epsilon
    tangent = jnp.eye(width) - centring - centred[:, None] * centred / (width * square)
    return jnp.broadcast_to(gain, (width,))[:, None] * tangent / jnp.sqrt(square)


def _mlp(block: Block, inputs: Numbers, activation: Activation) -> Numbers:
    hidden = inputs @ block.mlp_in.T + block.mlp_in_bias
    if activation == "gelu":
        active = jax.nn.gelu(hidden, approximate=False)
    else:
        active = jax.nn.silu(inputs @ jnp.asarray(block.mlp_gate).T + block.mlp_gate_bias) * hidden
    return active @ block.mlp_out.T + block.mlp_out_bias


def _mlp_jacobian(block: Block, inputs: Numbers, activation: Activation) -> Numbers:
    hidden = block.mlp_in @ inputs + block.mlp_in_bias
    if activation == "gelu":
        slope = jax.scipy.stats.norm.cdf(hidden) + hidden * jax.scipy.stats.norm.pdf(hidden)
        return block.mlp_out @ (slope[:, None] * block.mlp_in)
    gate_weights = jnp.asarray(block.mlp_gate)
    gate = gate_weights @ inputs + block.mlp_gate_bias
    open_share = jax.nn.sigmoid(gate)
    slope = open_share * (1.0 + gate * (1.0 - open_share))
    inner = (gate * open_share)[:, None] * block.mlp_in + (slope * hidden)[:, None] * gate_weights
    return block.mlp_out @ inner


def output_of(
    states: Numbers,
    epsilon: Numbers,
    rotary: Numbers | bool,
    block: Block,
    *,
    norm: Norm,
    activation: Activation,
    order: Order,
) -> Numbers:
    """Trace `block_output` for the tokens of one attention block."""
    inputs = normalise(states, block.attention_gain, block.attention_shift, epsilon, norm)
    middle = states + attention(block, inputs, rotary)
    if order == "sequential":
        inputs = normalise(middle, block.mlp_gain, block.mlp_shift, epsilon, norm)
    return middle + _mlp(block, inputs, activation)


@partial(jax.jit, static_argnames=("norm", "activation", "order"))
def _output_kernel(
    states: Array,
    epsilon: Array,
    rotary: Array,
    *weights: Array,
    norm: Norm,
    activation: Activation,
    order: Order,
) -> Numbers:
    kind: BlockKind = {"norm": norm, "activation": activation, "order": order}
    return output_of(states, epsilon, rotary, Block(*weights), **kind)


def generator_of(
    state: Numbers, epsilon: Numbers, block: Block, *, norm: Norm, activation: Activation, order: Order
) -> tuple[Numbers, Numbers, Numbers]:
    """Trace the closed forms of `homogeneous_generator`: mixing, value, next state."""
    inputs = normalise(state, block.attention_gain, block.attention_shift, epsilon, norm)
    tangent = normalise_jacobian(state, block.attention_gain, epsilon, norm)
    path, constant = value_path(block)
    value = path @ tangent
    middle = state + path @ inputs + constant
    if order == "sequential":
        inputs = normalise(middle, block.mlp_gain, block.mlp_shift, epsilon, norm)
        tangent = normalise_jacobian(middle, block.mlp_gain, epsilon, norm)
    mixing = _mlp_jacobian(block, inputs, activation) @ tangent
    if order == "sequential":
        value = value + mixing @ value
    return mixing, value, middle + _mlp(block, inputs, activation)


@partial(jax.jit, static_argnames=("norm", "activation", "order"))
def _generator_kernel(
    state: Array, epsilon: Array, *weights: Array, norm: Norm, activation: Activation, order: Order
) -> tuple[Numbers, Numbers, Numbers]:
    return generator_of(state, epsilon, Block(*weights), norm=norm, activation=activation, order=order)
