r"""The ℓ² norm of the flow of all tokens, for display: exact when small, else by power iteration.

Power iteration approaches the norm from below. It is never used to certify anything.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import run
from engine.kernel import (
    TokenKind,
    bidirectional_uniform,
    causal_uniform,
    check_kernel,
    check_stack,
    leaky_uniform,
)
from engine.qr_flow import padded
from engine.token_flow import adjoint_step, layer_step

MATRIX_SIZE = 1000
"""Up to this many rows (tokens times features) the flow is decomposed as a matrix."""

POWER_STEPS = 200
"""Steps of the power iteration at most."""

SETTLED = 1e-9
"""It stops when a step raises the log of the norm by less than this."""


class FlowNorm(NamedTuple):
    r"""Norm of the flow behind the last layer.

    **Fields:**

    - `log_norm`: natural log of $\|\Phi_{\mathrm{full}}(L,0)\|_2$, or of a lower bound when `last_rise` > 0.
    - `last_rise`: what the last step of the power iteration added to the log; 0 when exact.
    """

    log_norm: float
    last_rise: float


def flow_norm(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    tokens: int,
    block_length: int,
    kind: TokenKind,
    leak: float = 0.0,
) -> FlowNorm:
    r"""Find $\|\Phi_{\mathrm{full}}(L,0)\|_2$, the most a sequence can be stretched by the whole stack.

    Blocks of a block kernel do not meet, so the longest one decides; under a leak the
    whole sequence is followed.

    **Arguments:**

    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `tokens`: length T ≥ 1 of the sequence.
    - `block_length`: tokens per block P.
    - `kind`: `causal`, `bidirectional` or `leaky`.
    - `leak`: share ε of attention on earlier blocks, for `leaky`.

    **Returns:** the log of the norm, −inf for zero, and how far it had settled.

    **Raises:** `ValueError` for an empty sequence or block, an unknown kind, a leak that
    does not fit or stacks of different shape.
    """
    check_kernel(block_length, kind, leak)
    check_stack(mixing, value)
    if tokens < 1:
        raise ValueError(f"tokens must be at least 1; got {tokens}.")
    length = tokens if kind == "leaky" else min(tokens, block_length)
    width = mixing.shape[-1]
    layers = np.eye(width) + mixing
    if length * width <= MATRIX_SIZE:
        return FlowNorm(_matrix_log_norm(layers, value, _kernel(length, block_length, kind, leak)), 0.0)
    start = np.random.default_rng(0).standard_normal((length, width))
    slots, values = padded(layers), padded(value)
    found = run(_power_kernel, start, slots, values, len(layers), leak, block_length=block_length, kind=kind)
    return FlowNorm(*(float(number) for number in found))


def _kernel(tokens: int, block_length: int, kind: str, leak: float) -> Float[np.ndarray, "tokens tokens"]:
    if kind == "leaky":
        return leaky_uniform(tokens, block_length, leak)
    return causal_uniform(tokens) if kind == "causal" else bidirectional_uniform(tokens)


def _matrix_log_norm(layers: np.ndarray, values: np.ndarray, kernel: np.ndarray) -> float:
    tokens, width = len(kernel), layers.shape[-1]
    flow, log_scale = np.eye(tokens * width).reshape(tokens, width, -1), 0.0
    for layer, value in zip(layers, values, strict=True):
        means = (kernel @ flow.reshape(tokens, -1)).reshape(flow.shape)
        flow = layer @ flow + value @ means
        size = np.abs(flow).max()
        if size == 0:
            return -np.inf
        flow, log_scale = flow / size, log_scale + np.log(size)
    return float(log_scale + np.log(np.linalg.norm(flow.reshape(tokens * width, -1), 2)))


@partial(jax.jit, static_argnames=("block_length", "kind"))
def _power_kernel(
    start: jax.Array,
    layers: jax.Array,
    values: jax.Array,
    depth: jax.Array,
    leak: jax.Array,
    *,
    block_length: int,
    kind: str,
) -> tuple[jax.Array, jax.Array]:
    def unit(states: jax.Array) -> tuple[jax.Array, jax.Array]:
        size = jnp.linalg.norm(states)
        return states / jnp.where(size > 0, size, 1.0), jnp.log(size)

    def forward(layer: jax.Array, carried: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        moved = layer_step(carried[0], layers[layer], values[layer], leak, block_length, kind)
        states, log_size = unit(moved)
        return states, carried[1] + log_size

    def backward(done: jax.Array, carried: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        layer = depth - 1 - done
        moved = adjoint_step(carried[0], layers[layer], values[layer], leak, block_length, kind)
        states, log_size = unit(moved)
        return states, carried[1] + log_size

    def improve(carried: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        steps, states, log_norm, _ = carried
        images, _ = jax.lax.fori_loop(0, depth, forward, (states, jnp.zeros(())))
        states, found = jax.lax.fori_loop(0, depth, backward, (images, jnp.zeros(())))
        return steps + 1, states, found, found - log_norm

    def unsettled(carried: tuple[jax.Array, ...]) -> jax.Array:
        return (carried[0] < POWER_STEPS) & (carried[3] > SETTLED)

    first = (jnp.zeros((), int), unit(start)[0], jnp.full((), -jnp.inf), jnp.full((), jnp.inf))
    _, _, log_norm, rise = jax.lax.while_loop(unsettled, improve, first)
    return log_norm, jnp.where(jnp.isneginf(log_norm), 0.0, rise)
