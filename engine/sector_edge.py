"""The fastest growth of a family of cocycles over any stretch of a finite stack."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import bucket, run
from engine.qr_flow import ZERO_STRETCH, padded, random_frame


def log_top_edge(
    layers: Float[np.ndarray, "layers d d"],
    values: Float[np.ndarray, "layers d d"],
    weights: Float[np.ndarray, " sectors"],
    window: int,
) -> float:
    r"""Log of the top edge, over all sectors, of the spectrum at resolution `window`.

    The leading column of a QR sweep needs no others: one vector per sector is carried
    forward from the direction that the whole stack stretches most, and its log stretch
    averaged over sliding windows.

    **Arguments:**

    - `layers`, `values`: I + M and V of all layers, first layer first.
    - `weights`: 1/j of the sectors.
    - `window`: averaging length H, 1..L layers.

    **Returns:** natural log per layer; −inf when every window holds a layer that erases.
    """
    slots = np.zeros(bucket(len(weights)))
    slots[: len(weights)] = weights
    start = random_frame(layers.shape[-1])[:, 0]
    stretches = run(_leading_stretches_kernel, padded(layers), padded(values), slots, start)
    with np.errstate(divide="ignore"):
        logs = np.log(stretches[: len(layers), : len(weights)])
    return float(np.lib.stride_tricks.sliding_window_view(logs, window, axis=0).mean(axis=-1).max())


@jax.jit
def _leading_stretches_kernel(
    layers: jax.Array, values: jax.Array, weights: jax.Array, start: jax.Array
) -> jax.Array:
    """Stretch of each sector's leading vector at each layer, exact zeros where it is lost.

    A first sweep carries the vector from the last layer to the first by the transposes;
    where the second sweep loses its vector, it goes on from there with the one of the first.
    """

    def stretched(maps: jax.Array, vectors: jax.Array) -> tuple[jax.Array, jax.Array]:
        images = jnp.einsum("sab,sb->sa", maps, vectors)
        lengths = jnp.linalg.norm(images, axis=1)
        lengths = jnp.where(lengths > ZERO_STRETCH * jnp.abs(maps).max(axis=(1, 2)), lengths, 0.0)
        return images, lengths

    def advance(vectors: jax.Array, lost: jax.Array, maps: jax.Array) -> tuple[jax.Array, jax.Array]:
        images, lengths = stretched(maps, vectors)
        kept = (lengths > 0)[:, None]
        return jnp.where(kept, images / jnp.where(kept, lengths[:, None], 1.0), lost), lengths

    def back(vectors: jax.Array, layer: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        maps = layer[0] + weights[:, None, None] * layer[1]
        return advance(vectors, origin, jnp.swapaxes(maps, 1, 2))[0], vectors

    def forward(vectors: jax.Array, layer: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        maps = layer[0] + weights[:, None, None] * layer[1]
        return advance(vectors, layer[2], maps)

    origin = jnp.broadcast_to(start, (len(weights), len(start)))
    first, adapted = jax.lax.scan(back, origin, (layers, values), reverse=True)
    return jax.lax.scan(forward, first, (layers, values, adapted))[1]
