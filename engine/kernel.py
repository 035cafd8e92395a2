r"""The frozen attention kernel of a block and the token flow it drives.

Rows of a state are tokens. One layer maps X to $X(I+M)^\top + \alpha X V^\top$, where
$\alpha$ averages inside blocks of `block_length` tokens; the last block may be ragged.
"""

from functools import partial
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import run
from engine.qr_flow import padded

Kind = Literal["causal", "bidirectional"]
"""Which tokens of its block a token averages: those up to itself, or all of them."""


def check_block(block_length: int, kind: str) -> None:
    """Refuse an empty block or an unknown kernel.

    **Raises:** `ValueError` unless `block_length` ≥ 1 and `kind` is a `Kind`.
    """
    if block_length < 1:
        raise ValueError(f"block_length must be at least 1 token; got {block_length}.")
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}; got {kind!r}.")


def causal_uniform(tokens: int) -> Float[np.ndarray, "tokens tokens"]:
    r"""Uniform causal attention: token t averages tokens 1..t, $\alpha_{ts} = 1/t$ for $s \le t$.

    Its eigenvalues are 1/j, j = 1..P; the left vector of 1 is the first token.

    **Arguments:**

    - `tokens`: tokens in the block, P ≥ 1.

    **Returns:** the row-stochastic lower triangular kernel.

    **Raises:** `ValueError` for an empty block.
    """
    check_block(tokens, "causal")
    return np.tril(np.ones((tokens, tokens))) / np.arange(1, tokens + 1)[:, None]


def bidirectional_uniform(tokens: int) -> Float[np.ndarray, "tokens tokens"]:
    r"""Uniform attention over the whole block, $\alpha = \mathbf{1}\mathbf{1}^\top / P$.

    Its eigenvalues are 1 and 0; the left vector of 1 is the block mean.

    **Arguments:**

    - `tokens`: tokens in the block, P ≥ 1.

    **Returns:** the constant kernel.

    **Raises:** `ValueError` for an empty block.
    """
    check_block(tokens, "bidirectional")
    return np.full((tokens, tokens), 1 / tokens)


def mix(
    states: Float[np.ndarray, "tokens d"], block_length: int, kind: Kind
) -> Float[np.ndarray, "tokens d"]:
    r"""Apply the kernel, $\alpha X$, by running means inside each block: O(T d) work.

    **Arguments:**

    - `states`: one row per token; T need not be a multiple of `block_length`.
    - `block_length`: tokens per block P.
    - `kind`: `causal` or `bidirectional`.

    **Returns:** the averaged states; a ragged last block averages the tokens it has.

    **Raises:** `ValueError` for an empty block or an unknown kind.
    """
    check_block(block_length, kind)
    return run(_mix_kernel, states, block_length=block_length, kind=kind)


def propagate(
    states: Float[np.ndarray, "tokens d"],
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: Kind,
) -> Float[np.ndarray, "tokens d"]:
    r"""Carry a state through the linearised stack, $X \mapsto X(I+M)^\top + \alpha X V^\top$ per layer.

    **Arguments:**

    - `states`: the input X(0), one row per token.
    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), first layer first.
    - `block_length`: tokens per block P.
    - `kind`: `causal` or `bidirectional`.

    **Returns:** the state behind the last layer, X(L).

    **Raises:** `ValueError` for an empty block, an unknown kind or stacks of different shape.
    """
    check_block(block_length, kind)
    check_stack(mixing, value)
    identity = np.eye(mixing.shape[-1])
    layers, values = padded(identity + mixing), padded(value)
    return run(_flow_kernel, states, layers, values, len(mixing), block_length=block_length, kind=kind)


def sector_coordinates(states: Float[np.ndarray, "tokens d"]) -> Float[np.ndarray, "tokens d"]:
    r"""Coordinates of one causal block in the sectors 1/j: $c_j = (\Delta^{j-1} X)_1$.

    Newton's forward differences at the first token, so that
    $X_t = \sum_j \binom{t-1}{j-1} c_j$. They grow like $2^j$ and cancel: read them for
    short blocks only.

    **Arguments:**

    - `states`: the tokens of one block, one row each.

    **Returns:** one row per sector j = 1..P.
    """
    coordinates = np.empty_like(states)
    differences = states
    for sector in range(len(states)):
        coordinates[sector] = differences[0]
        differences = np.diff(differences, axis=0)
    return coordinates


def check_stack(mixing: np.ndarray, value: np.ndarray) -> None:
    """Refuse a pair of stacks that do not belong together.

    **Raises:** `ValueError` unless both hold the same number, at least one, of square layers.
    """
    if mixing.shape != value.shape or not len(mixing):
        raise ValueError(
            "mixing and value must both have shape (layers, d, d) with at least one layer; "
            f"got {mixing.shape} and {value.shape}."
        )


def _averaged(states: jax.Array, block_length: int, kind: str) -> jax.Array:
    tokens, width = states.shape
    blocks = -(-tokens // block_length)
    rest = blocks * block_length - tokens
    blocked = jnp.pad(states, ((0, rest), (0, 0))).reshape(blocks, block_length, width)
    counts = jnp.arange(1, block_length + 1)[:, None]
    if kind == "causal":
        means = jnp.cumsum(blocked, axis=1) / counts
    else:
        sizes = jnp.full((blocks, 1, 1), block_length).at[-1].add(-rest)
        means = jnp.broadcast_to(blocked.sum(axis=1, keepdims=True) / sizes, blocked.shape)
    return means.reshape(-1, width)[:tokens]


@partial(jax.jit, static_argnames=("block_length", "kind"))
def _mix_kernel(states: jax.Array, *, block_length: int, kind: str) -> jax.Array:
    return _averaged(states, block_length, kind)


@partial(jax.jit, static_argnames=("block_length", "kind"))
def _flow_kernel(
    states: jax.Array,
    layers: jax.Array,
    values: jax.Array,
    depth: jax.Array,
    *,
    block_length: int,
    kind: str,
) -> jax.Array:
    def step(layer: jax.Array, states: jax.Array) -> jax.Array:
        means = _averaged(states, block_length, kind)
        return states @ layers[layer].T + means @ values[layer].T

    return jax.lax.fori_loop(0, depth, step, states)
