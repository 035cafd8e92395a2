r"""What a linearised stack makes of the states of all tokens, and the adjoint of that map.

One layer maps X to $X(I+M)^\top + \alpha X V^\top$. Nothing of size T × T is formed: a
layer works and stores in proportion to the number of tokens.
"""

from functools import partial

import jax
import numpy as np
from jaxtyping import Float

from engine.device import run
from engine.kernel import TokenKind, averaged, check_kernel, check_stack
from engine.qr_flow import padded


def propagate(
    states: Float[np.ndarray, "tokens d"],
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: TokenKind,
    leak: float = 0.0,
) -> Float[np.ndarray, "tokens d"]:
    r"""Carry a state through the linearised stack, $X \mapsto X(I+M)^\top + \alpha X V^\top$ per layer.

    **Arguments:**

    - `states`: the input X(0), one row per token; the last block may be ragged.
    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), first layer first.
    - `block_length`: tokens per block P.
    - `kind`: `causal`, `bidirectional` or `leaky`.
    - `leak`: share ε of attention on earlier blocks, for `leaky`.

    **Returns:** the state behind the last layer, X(L).

    **Raises:** `ValueError` for an empty block, an unknown kind, a leak that does not fit
    or stacks of different shape.
    """
    return _run(_flow_kernel, states, mixing, value, block_length, kind, leak)


def propagate_adjoint(
    states: Float[np.ndarray, "tokens d"],
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: TokenKind,
    leak: float = 0.0,
) -> Float[np.ndarray, "tokens d"]:
    r"""Pull a covector back through the stack, last layer first: $Y \mapsto Y(I+M) + \alpha^\top Y V$.

    The adjoint of `propagate`: $\langle Y, \Phi X \rangle = \langle \Phi^* Y, X \rangle$
    with the sum over all entries as inner product.

    **Arguments:** as for `propagate`; `states` is the covector Y behind the last layer.

    **Returns:** the covector before the first layer.

    **Raises:** as for `propagate`.
    """
    return _run(_adjoint_kernel, states, mixing, value, block_length, kind, leak)


def layer_step(
    states: jax.Array, layer: jax.Array, value: jax.Array, leak: jax.Array, block_length: int, kind: str
) -> jax.Array:
    """Carry the states through one layer, inside a compiled function.

    **Arguments:** as for `propagate`; `layer` is I + M.
    """
    return states @ layer.T + averaged(states, leak, block_length, kind) @ value.T


def adjoint_step(
    states: jax.Array, layer: jax.Array, value: jax.Array, leak: jax.Array, block_length: int, kind: str
) -> jax.Array:
    """Pull a covector back through one layer, inside a compiled function: the transpose of `layer_step`."""
    mean = partial(averaged, leak=leak, block_length=block_length, kind=kind)
    (shares,) = jax.linear_transpose(mean, states)(states @ value)
    return states @ layer + shares


def _run(
    kernel: jax.stages.Wrapped,
    states: np.ndarray,
    mixing: np.ndarray,
    value: np.ndarray,
    block_length: int,
    kind: TokenKind,
    leak: float,
) -> np.ndarray:
    check_kernel(block_length, kind, leak)
    check_stack(mixing, value)
    layers, values = padded(np.eye(mixing.shape[-1]) + mixing), padded(value)
    return run(kernel, states, layers, values, len(mixing), leak, block_length=block_length, kind=kind)


@partial(jax.jit, static_argnames=("block_length", "kind"))
def _flow_kernel(
    states: jax.Array,
    layers: jax.Array,
    values: jax.Array,
    depth: jax.Array,
    leak: jax.Array,
    *,
    block_length: int,
    kind: str,
) -> jax.Array:
    def step(layer: jax.Array, states: jax.Array) -> jax.Array:
        return layer_step(states, layers[layer], values[layer], leak, block_length, kind)

    return jax.lax.fori_loop(0, depth, step, states)


@partial(jax.jit, static_argnames=("block_length", "kind"))
def _adjoint_kernel(
    states: jax.Array,
    layers: jax.Array,
    values: jax.Array,
    depth: jax.Array,
    leak: jax.Array,
    *,
    block_length: int,
    kind: str,
) -> jax.Array:
    def step(done: jax.Array, states: jax.Array) -> jax.Array:
        layer = depth - 1 - done
        return adjoint_step(states, layers[layer], values[layer], leak, block_length, kind)

    return jax.lax.fori_loop(0, depth, step, states)
