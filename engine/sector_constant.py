r"""Largest overshoot of a family of cocycles over a rate: all products of all lengths."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import bucket, run
from engine.spectral_norm import normalised, spectral_norms

ENTRIES_PER_CALL = 1 << 22
"""Products of one length held at once, in matrix entries; more sectors are taken in turns."""

CANDIDATES = 32
"""Products evaluated exactly at a time: of as many groups, the one with the largest Frobenius norm."""

TIE = 1e-12
"""Logs closer than this to the best cannot change the constant."""


def log_overshoot(
    layers: Float[np.ndarray, "layers d d"],
    values: Float[np.ndarray, "layers d d"],
    weights: Float[np.ndarray, " sectors"],
    log_rate: float,
    *,
    cyclic: bool,
    depth: int,
) -> float:
    r"""Largest $\log\|\Phi_j(s+n,s)\|_2 - n \log r$ over sectors j, starts s and lengths n = 0..L.

    All products of one length are made from those of the length before. Frobenius norms
    screen them; only those that could raise the result are decomposed. Once no product of
    some length exceeds r^n, longer ones cannot raise it either and the search ends.

    **Arguments:**

    - `layers`, `values`: I + M and V of one period (cyclic) or of a whole window.
    - `weights`: 1/j of the sectors.
    - `log_rate`: finite natural log of r per layer.
    - `cyclic`: the period repeats, products may run past its end; else they stay inside.
    - `depth`: largest length L.

    **Returns:** the natural log of the constant, at least 0.
    """
    period, width, _ = layers.shape
    starts = 1 if period == 1 else bucket(period)
    order = np.arange(2 * starts) % period
    per_call = max(1, ENTRIES_PER_CALL // (starts * width**2))
    best = 0.0
    for first in range(0, len(weights), per_call):
        group = weights[first : first + per_call]
        slots = bucket(len(group)) if len(group) > 1 else 1
        group = np.concatenate([group, np.full(slots - len(group), group[-1])])
        best = float(
            run(_overshoot_kernel, layers[order], values[order], group, log_rate, period, cyclic, depth, best)
        )
    return best


@jax.jit
def _overshoot_kernel(
    layers: jax.Array,
    values: jax.Array,
    weights: jax.Array,
    log_rate: jax.Array,
    period: jax.Array,
    cyclic: jax.Array,
    depth: jax.Array,
    best: jax.Array,
) -> jax.Array:
    starts, width = len(layers) // 2, layers.shape[-1]

    def longer(length: jax.Array, products: jax.Array) -> jax.Array:
        offset = (length - 1) % period
        layer, value = (jax.lax.dynamic_slice_in_dim(part, offset, starts) for part in (layers, values))
        return (layer + weights[:, None, None, None] * value) @ products

    def step(carried: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        length, products, log_scale, best, _ = carried
        products, log_scale = normalised(longer(length, products), log_scale)
        inside = jnp.arange(starts) + jnp.where(cyclic, 0, length - 1) < period
        excess = jnp.where(inside, log_scale - length * log_rate, -jnp.inf)
        best = _refined(products.reshape(-1, width, width), excess.ravel(), best)
        return length + 1, products, log_scale, best, excess.max()

    shape = (len(weights), starts)
    identity = jnp.broadcast_to(jnp.eye(width), (*shape, width, width))
    carried = (jnp.ones_like(depth), identity, jnp.zeros(shape), best, jnp.full((), jnp.inf))
    return jax.lax.while_loop(lambda state: (state[0] <= depth) & (state[4] > 0), step, carried)[3]


def _refined(products: jax.Array, bounds: jax.Array, best: jax.Array) -> jax.Array:
    """Raise the best log norm by exact ones until no bound exceeds it.

    The products have Frobenius norm one, so `bounds` are both their log scales and upper
    bounds of their log norms. Each turn takes the most promising of every group.
    """
    batch = min(CANDIDATES, len(bounds))

    def evaluate(found: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        bounds, best = found
        chosen = jnp.argmax(bounds.reshape(-1, batch), axis=0) * batch + jnp.arange(batch)
        logs = bounds[chosen] + jnp.log(spectral_norms(products[chosen]))
        return bounds.at[chosen].set(-jnp.inf), jnp.maximum(best, logs.max())

    return jax.lax.while_loop(lambda found: found[0].max() > found[1] + TIE, evaluate, (bounds, best))[1]
