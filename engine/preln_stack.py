"""Stacks of Pre-LN blocks, linearised along the path that equal tokens take through them."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice, repeat
from typing import NamedTuple

import jax
import numpy as np
from jax import Array
from jaxtyping import Float

from engine.device import run
from engine.preln_block import EPSILON, generator_of
from engine.preln_weights import Activation, Block, Norm, Numbers, Order, check_block

LAYERS_PER_CALL = 16
"""Layers linearised by one kernel call: depth never shapes a compiled kernel."""


class Linearisation(NamedTuple):
    """Tangents of the layers, and the common state before each layer and after the last."""

    mixing: Float[np.ndarray, "layers d d"]
    value: Float[np.ndarray, "layers d d"]
    states: Float[np.ndarray, "layers+1 d"]


def random_stack(
    *,
    depth: int,
    width: int,
    heads: int,
    kv_heads: int,
    hidden: int,
    norm: Norm,
    activation: Activation,
    order: Order,
    attention_scale: float,
    mlp_scale: float,
    tied: bool,
    seed: int,
) -> tuple[Float[np.ndarray, "layers d d"], Float[np.ndarray, "layers d d"]]:
    r"""Linearise a transformer with random weights along its own homogeneous trajectory.

    The common state starts standard normal and moves on through the blocks, so the layers
    differ even when all of them share one set of weights. Because every block adds a bounded
    amount, the state grows at most linearly with depth.

    **Arguments:**

    - `depth`: layers; `width`: features d; `hidden`: features inside the MLP.
    - `heads`, `kv_heads`: query heads, and the key and value heads they share.
    - `norm`, `activation`, `order`: which of the eight kinds of block.
    - `attention_scale`, `mlp_scale`: factors on the output projections of both branches.
    - `tied`: whether all layers share the weights of the first.
    - `seed`: of the generator; the first layers do not depend on `depth`.

    **Returns:** `mixing` M and `value` V, per layer.

    **Raises:** `ValueError` when heads do not divide the width, or when the scales drive the
    state out of the floating-point range.
    """
    if width % heads or heads % kv_heads:
        raise ValueError(
            f"heads must divide width, and kv_heads must divide heads; got {width=}, {heads=}, {kv_heads=}."
        )
    generator = np.random.Generator(np.random.PCG64(seed))
    start = generator.standard_normal(width)
    shape = {"width": width, "heads": heads, "kv_heads": kv_heads, "hidden": hidden}
    drawn = random_blocks(generator, **shape, attention_scale=attention_scale, mlp_scale=mlp_scale)
    blocks = repeat(next(drawn), depth) if tied else islice(drawn, depth)
    found = linearise(blocks, start, norm=norm, activation=activation, order=order)
    return found.mixing, found.value


def random_blocks(
    generator: np.random.Generator,
    *,
    width: int,
    heads: int,
    kv_heads: int,
    hidden: int,
    attention_scale: float,
    mlp_scale: float,
) -> Iterator[Block]:
    r"""Draw block after block, each weight normal with variance 1/(number of inputs).

    Order of the draws in every block: value, attention output, MLP in, gate, out, query, key.
    The gate is drawn for every kind of block, so that all eight share their other weights.
    No biases; unit gains.

    **Arguments:**

    - `generator`: where the numbers come from; it moves on.
    - the others: as for `random_stack`.

    **Returns:** an endless iterator of blocks.
    """
    head_width = width // heads

    def draw(*shape: int, inputs: int) -> np.ndarray:
        return generator.standard_normal(shape) / np.sqrt(inputs)

    while True:
        value = draw(kv_heads, head_width, width, inputs=width)
        output = attention_scale * draw(heads, width, head_width, inputs=heads * head_width)
        mlp_in = draw(hidden, width, inputs=width)
        gate = draw(hidden, width, inputs=width)
        mlp_out = mlp_scale * draw(width, hidden, inputs=hidden)
        query = draw(heads, head_width, width, inputs=width)
        key = draw(kv_heads, head_width, width, inputs=width)
        yield Block(query, key, value, output, mlp_in, mlp_out, gate)


def linearise(
    blocks: Iterable[Block],
    start: Float[np.ndarray, " d"],
    *,
    norm: Norm,
    activation: Activation,
    order: Order,
    epsilon: float = EPSILON,
) -> Linearisation:
    """Follow one common state through the blocks and differentiate each block there.

    **Arguments:**

    - `blocks`: first layer first; at least one, all of the same shapes.
    - `start`: the state of every token before the first layer; state units.
    - `norm`, `activation`, `order`, `epsilon`: as for `block_output`.

    **Returns:** the layers' generators and the states passed through.

    **Raises:** `ValueError` when there is no block, when a block does not fit, or when a state
    leaves the floating-point range.
    """
    remaining, state, parts = iter(blocks), start, []
    while layers := list(islice(remaining, LAYERS_PER_CALL)):
        for block in layers:
            check_block(block, len(start), norm, activation, order)
        kind = {"norm": norm, "activation": activation, "order": order}
        found = run(_walk_kernel, state, epsilon, *stacked_weights(layers), **kind)
        parts.append([part[: len(layers)] for part in found])
        state = parts[-1][2][-1]
    if not parts:
        raise ValueError("blocks must hold at least one block; got none.")
    mixing, value, after = (np.concatenate(part) for part in zip(*parts, strict=True))
    finite = np.isfinite(mixing + value).all(axis=(1, 2)) & np.isfinite(after).all(axis=1)
    if not finite.all():
        layer = int(np.argmin(finite))
        raise ValueError(f"layer {layer} leaves the floating-point range; lower the scale of the weights.")
    return Linearisation(mixing, value, np.concatenate([start[None], after]))


def stacked_weights(layers: list[Block]) -> list[np.ndarray]:
    """Stack the weights of some layers, filled up with layers of zeros, which add nothing."""
    missing = LAYERS_PER_CALL - len(layers)
    stacks = [np.stack(field) for field in zip(*layers, strict=True)]
    return [np.pad(stack, [(0, missing)] + [(0, 0)] * (stack.ndim - 1)) for stack in stacks]


@partial(jax.jit, static_argnames=("norm", "activation", "order"))
def _walk_kernel(
    state: Array, epsilon: Array, *weights: Array, norm: Norm, activation: Activation, order: Order
) -> tuple[Numbers, Numbers, Numbers]:
    def layer(state: Numbers, weights: tuple[Array, ...]) -> tuple[Numbers, tuple[Numbers, Numbers, Numbers]]:
        found = generator_of(state, epsilon, Block(*weights), norm=norm, activation=activation, order=order)
        return found[2], found

    return jax.lax.scan(layer, state, weights)[1]
