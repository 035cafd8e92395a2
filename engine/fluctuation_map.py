r"""The flow of token differences through a causal block: its last row, its matrix, its adjoint.

The fluctuation map is $F_\perp(\ell) = \Phi_{\mathrm{full}}(\ell,0)(Q \otimes I)$ with
$Q = I - \mathbf{1} e_1^\top$. Its token part is a polynomial in the kernel, hence:

- it commutes with the kernel, so one row flows by itself,
  $r_s \mapsto (I+M) r_s + V \sum_{u \ge s} r_u / u$;
- its rows are Hausdorff means, and degree elevation of Bernstein weights makes row t − 1 a
  sum of row t with non-negative weights whose columns add up to one,
  $F_{t-1,s} = \frac{t-s}{t-1} F_{t,s} + \frac{s}{t-1} F_{t,s+1}$.

So the last row determines the map, and no row is larger.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from engine.device import bucket, run
from engine.qr_flow import padded


def token_weights(block_length: int) -> Float[np.ndarray, " slots"]:
    """Causal weights 1/t of the tokens of a block, zeros up to the next bucket."""
    weights = np.zeros(bucket(block_length))
    weights[:block_length] = 1 / np.arange(1, block_length + 1)
    return weights


def start_row(block_length: int, width: int) -> Float[np.ndarray, "slots d d"]:
    """Last row of Q ⊗ I: minus one at the first token, one at the last, slots behind it empty."""
    row = np.zeros((bucket(block_length), width, width))
    row[block_length - 1] += np.eye(width)
    row[0] -= np.eye(width)
    return row


def next_row(row: jax.Array, layer: jax.Array, value: jax.Array, weights: jax.Array) -> jax.Array:
    r"""Carry the last row through one layer.

    A row of the map adds up to zero, which gives its first block: iterated like the
    others it would pick up the growth of what the tokens share from round-off.

    **Arguments:**

    - `row`: blocks of the last row, (slots, d, d), first token first.
    - `layer`, `value`: I + M and V of the layer.
    - `weights`: 1/t for the tokens of the block, 0 for the slots behind it.
    """
    means = jnp.cumsum((row * weights[:, None, None])[::-1], axis=0)[::-1]
    row = layer @ row + value @ means
    return row.at[0].set(-row[1:].sum(axis=0))


def rows_at(
    layers: Float[np.ndarray, "layers d d"],
    values: Float[np.ndarray, "layers d d"],
    weights: Float[np.ndarray, " tokens"],
    depths: Int[np.ndarray, " chosen"],
) -> tuple[Float[np.ndarray, "chosen tokens d d"], Float[np.ndarray, " chosen"]]:
    r"""Weighted sum of the rows of the map, $\pi^\top F_\perp(\ell)$, at chosen depths.

    **Arguments:**

    - `layers`, `values`: I + M and V, first layer first.
    - `weights`: π with sum 1; all on the last token for the last row.
    - `depths`: increasing numbers of layers.

    **Returns:** sums with largest entry 1, and the natural logs of what was taken out; −inf for zeros.
    """
    tokens, width = len(weights), layers.shape[-1]
    row = np.zeros((bucket(tokens), width, width))
    row[:tokens] = (weights - np.eye(1, tokens)[0])[:, None, None] * np.eye(width)
    log_scale, start = np.zeros(()), 0
    slots, value_slots, shares = padded(layers), padded(values), token_weights(tokens)
    rows, log_scales = [], []
    for depth in depths:
        row, log_scale = run(_carried_row, row, log_scale, slots, value_slots, shares, start, depth)
        rows.append(row[:tokens])
        log_scales.append(log_scale)
        start = depth
    return np.array(rows), np.array(log_scales)


def whole_map(row: Float[np.ndarray, "tokens d d"]) -> Float[np.ndarray, "size size"]:
    """Rebuild the map, as a matrix of d × d blocks, from its last row."""
    tokens, width, _ = row.shape
    blocks = np.zeros((tokens, tokens, width, width))
    blocks[-1] = row
    for token in range(tokens - 1, 0, -1):
        position = np.arange(1, token + 1)[:, None, None]
        left, right = blocks[token, :token], blocks[token, 1 : token + 1]
        blocks[token - 1, :token] = ((token + 1 - position) * left + position * right) / token
    return blocks.transpose(0, 2, 1, 3).reshape(tokens * width, -1)


@jax.jit
def image(states: jax.Array, layers: jax.Array, values: jax.Array, depth: jax.Array) -> jax.Array:
    """Apply the map of the first `depth` layers to the states of one block, (tokens, d)."""
    counts = jnp.arange(1, len(states) + 1)[:, None]

    def step(layer: jax.Array, states: jax.Array) -> jax.Array:
        means = jnp.cumsum(states, axis=0) / counts
        return states @ layers[layer].T + means @ values[layer].T

    return jax.lax.fori_loop(0, depth, step, states - states[0])


@jax.jit
def adjoint_image(states: jax.Array, layers: jax.Array, values: jax.Array, depth: jax.Array) -> jax.Array:
    """Apply the transpose of the map of the first `depth` layers to the states of one block, (tokens, d)."""
    counts = jnp.arange(1, len(states) + 1)[:, None]

    def step(done: jax.Array, states: jax.Array) -> jax.Array:
        layer = depth - 1 - done
        shares = states @ values[layer] / counts
        return states @ layers[layer] + jnp.cumsum(shares[::-1], axis=0)[::-1]

    states = jax.lax.fori_loop(0, depth, step, states)
    return states.at[0].add(-states.sum(axis=0))


@jax.jit
def _carried_row(
    row: jax.Array,
    log_scale: jax.Array,
    layers: jax.Array,
    values: jax.Array,
    weights: jax.Array,
    start: jax.Array,
    stop: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    def scaled(row: jax.Array, log_scale: jax.Array) -> tuple[jax.Array, jax.Array]:
        size = jnp.abs(row).max()
        return row / jnp.where(size > 0, size, 1.0), log_scale + jnp.log(size)

    def step(layer: jax.Array, carried: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return scaled(next_row(carried[0], layers[layer], values[layer], weights), carried[1])

    return jax.lax.fori_loop(start, stop, step, scaled(row, log_scale))
