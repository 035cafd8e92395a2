r"""The frozen attention kernel: which tokens a token averages.

Rows of a state are tokens, cut into blocks of `block_length`; the last block may be
ragged. A block kernel averages inside the block alone; the leaky one also reads the
blocks before it. What a stack makes of a state is in `engine.token_flow`.
"""

from functools import partial
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import run

Kind = Literal["causal", "bidirectional"]
"""Which tokens of its block a token averages: those up to itself, or all of them."""

TokenKind = Literal["causal", "bidirectional", "leaky"]
"""A block kernel, or the causal one with a share of attention on earlier blocks."""


def check_block(block_length: int, kind: str) -> None:
    """Refuse an empty block or an unknown block kernel.

    **Raises:** `ValueError` unless `block_length` ≥ 1 and `kind` is a `Kind`.
    """
    _check(block_length, kind, get_args(Kind))


def check_kernel(block_length: int, kind: str, leak: float) -> None:
    """Refuse an empty block, an unknown kernel or a leak that does not belong to it.

    **Raises:** `ValueError` unless `block_length` ≥ 1, `kind` is a `TokenKind` and `leak`
    lies in 0..1, 0 for the block kernels.
    """
    _check(block_length, kind, get_args(TokenKind))
    if not 0 <= leak <= 1:
        raise ValueError(f"leak must lie in 0..1; got {leak}.")
    if leak and kind != "leaky":
        raise ValueError(f"leak must be 0 for the {kind} kernel; got {leak}.")


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


def leaky_uniform(tokens: int, block_length: int, leak: float) -> Float[np.ndarray, "tokens tokens"]:
    r"""Causal attention that leaks to earlier blocks.

    A token spends 1 − ε on the tokens of its block up to itself and ε evenly on all
    tokens of the blocks before; the first block has none before it and keeps everything.
    The left vector of 1 is the first token of the whole sequence. From three blocks on
    1 − ε is a defective eigenvalue: K − 1 times with one eigenvector, so there are no sectors.

    **Arguments:**

    - `tokens`: length T of the sequence.
    - `block_length`: tokens per block P.
    - `leak`: share ε of attention on earlier blocks.

    **Returns:** the row-stochastic lower triangular kernel of the whole sequence.

    **Raises:** `ValueError` for an empty sequence or block or a leak outside 0..1.
    """
    check_kernel(block_length, "leaky", leak)
    block = np.arange(tokens) // block_length
    inside = causal_uniform(tokens) * (block[:, None] == block)
    inside /= inside.sum(axis=1, keepdims=True)
    before = (block[:, None] > block) / np.maximum(block * block_length, 1)[:, None]
    return np.where(block > 0, 1 - leak, 1.0)[:, None] * inside + leak * before


def mix(
    states: Float[np.ndarray, "tokens d"], block_length: int, kind: TokenKind, leak: float = 0.0
) -> Float[np.ndarray, "tokens d"]:
    r"""Apply the kernel, $\alpha X$, by running means inside each block: O(T d) work.

    **Arguments:**

    - `states`: one row per token; T need not be a multiple of `block_length`.
    - `block_length`: tokens per block P.
    - `kind`: `causal`, `bidirectional` or `leaky`.
    - `leak`: share ε of attention on earlier blocks, for `leaky`.

    **Returns:** the averaged states; a ragged last block averages the tokens it has.

    **Raises:** `ValueError` for an empty block, an unknown kind or a leak that does not fit.
    """
    check_kernel(block_length, kind, leak)
    return run(_mix_kernel, states, leak, block_length=block_length, kind=kind)


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


def averaged(states: jax.Array, leak: jax.Array, block_length: int, kind: str) -> jax.Array:
    """Apply the kernel inside a compiled function; arguments as for `mix`, linear in the states."""
    tokens, width = states.shape
    blocks = -(-tokens // block_length)
    rest = blocks * block_length - tokens
    blocked = jnp.pad(states, ((0, rest), (0, 0))).reshape(blocks, block_length, width)
    if kind == "bidirectional":
        sizes = jnp.full((blocks, 1, 1), block_length).at[-1].add(-rest)
        means = jnp.broadcast_to(blocked.sum(axis=1, keepdims=True) / sizes, blocked.shape)
    else:
        means = jnp.cumsum(blocked, axis=1) / jnp.arange(1, block_length + 1)[:, None]
    if kind == "leaky" and blocks > 1:
        before = jnp.arange(1, blocks)[:, None] * block_length
        earlier = jnp.cumsum(blocked[:-1].sum(axis=1), axis=0) / before
        leaked = (1 - leak) * means[1:] + leak * earlier[:, None, :]
        means = jnp.concatenate([means[:1], leaked])
    return means.reshape(-1, width)[:tokens]


@partial(jax.jit, static_argnames=("block_length", "kind"))
def _mix_kernel(states: jax.Array, leak: jax.Array, *, block_length: int, kind: str) -> jax.Array:
    return averaged(states, leak, block_length, kind)


def _check(block_length: int, kind: str, kinds: tuple[str, ...]) -> None:
    if block_length < 1:
        raise ValueError(f"block_length must be at least 1 token; got {block_length}.")
    if kind not in kinds:
        raise ValueError(f"kind must be one of {', '.join(kinds)}; got {kind!r}.")
