r"""The sectors of a causal block: how fast differences between its tokens can grow or decay.

The kernel's eigenvalues are 1/j, so a block splits into the cocycles
$\Phi_j(\ell,s) = \prod (I + M + V/j)$: j = 1 is what the tokens share, j = 2..P are
their differences. A bidirectional kernel has one transverse sector, $j = \infty$.
"""

from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import bucket, run
from engine.kernel import Kind, check_block, check_stack
from engine.monodromy import multipliers
from engine.qr_flow import padded
from engine.sector_constant import log_overshoot
from engine.sector_edge import log_top_edge
from engine.spectral_norm import normalised, spectral_norms

PeriodClass = Literal["tied", "periodic", "window"]
"""One layer repeated, a period repeated, or a finite stack that repeats nothing."""


def transverse_sectors(block_length: int, kind: Kind) -> Float[np.ndarray, " sectors"]:
    """List the sectors that carry differences between the tokens of a block.

    **Arguments:**

    - `block_length`: tokens per block P.
    - `kind`: `causal` or `bidirectional`.

    **Returns:** 2..P, or infinity alone for the bidirectional kernel; empty for P = 1.
    """
    check_block(block_length, kind)
    if kind == "bidirectional":
        return np.full(min(block_length - 1, 1), np.inf)
    return np.arange(2.0, block_length + 1)


def sector_factors(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    sectors: Float[np.ndarray, " sectors"],
) -> Float[np.ndarray, "sectors layers d d"]:
    r"""Layer maps of the sector cocycles, $I + M(\ell) + V(\ell)/j$.

    **Arguments:**

    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `sectors`: j ≥ 1, need not be whole; infinity drops V.

    **Returns:** one stack of layer maps per sector.

    **Raises:** `ValueError` for stacks of different shape or a sector below 1.
    """
    check_stack(mixing, value)
    weights = _weights(sectors)[:, None, None, None]
    return np.eye(mixing.shape[-1]) + mixing + weights * value


def sector_norms(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    sectors: Float[np.ndarray, " sectors"],
) -> Float[np.ndarray, "sectors depths"]:
    r"""Log norms of the sector cocycles at every depth, $\log\|\Phi_j(\ell,0)\|_2$.

    **Arguments:** as for `sector_factors`.

    **Returns:** natural logs at depths 0..L, one row per sector; −inf for zero.

    **Raises:** `ValueError` for stacks of different shape or a sector below 1.
    """
    check_stack(mixing, value)
    weights = _weights(sectors)
    slots = bucket(len(weights)) if len(weights) > 2 else len(weights)
    padded_weights = np.concatenate([weights, np.zeros(slots - len(weights))])
    layers, values = padded(np.eye(mixing.shape[-1]) + mixing), padded(value)
    logs = run(_norms_kernel, layers, values, padded_weights, len(mixing))
    return logs[: len(mixing) + 1, : len(weights)].T


def fluctuation_rate(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: Kind,
    *,
    period_class: PeriodClass,
    window: int,
) -> float:
    r"""Fluctuation rate $r_f$: the largest growth factor per layer over the transverse sectors.

    Tied and periodic stacks: the largest modulus among the sectors' multipliers, exact.
    Window: the top edge of the sectors' spectra at resolution `window`, from the leading
    vector of a QR sweep started in the direction the whole stack stretches most.

    **Arguments:**

    - `mixing`, `value`: one layer (tied), one period, or all layers of a window.
    - `block_length`: tokens per block P. One token has no transverse sector: rate 0.
    - `kind`: `causal` or `bidirectional`.
    - `period_class`: how the layers repeat.
    - `window`: averaging length H in layers, used by the window class only; at most L is used.

    **Returns:** r_f, a growth factor per layer.

    **Raises:** `ValueError` for stacks of different shape or a window below 1.
    """
    check_stack(mixing, value)
    if window < 1:
        raise ValueError(f"window must be at least 1 layer; got {window}.")
    sectors = transverse_sectors(block_length, kind)
    if not len(sectors):
        return 0.0
    if period_class == "window":
        layers = np.eye(mixing.shape[-1]) + mixing
        return float(np.exp(log_top_edge(layers, value, _weights(sectors), min(window, len(mixing)))))
    stacks = sector_factors(mixing, value, sectors)
    top = max(multipliers(stack).log_modulus[0] for stack in stacks)
    return float(np.exp(top / len(mixing)))


def fluctuation_constant(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: Kind,
    rate: float,
    *,
    period_class: PeriodClass,
    depth: int,
) -> float:
    r"""Fluctuation constant $C_f = \sup \|\Phi_j(\ell,s)\|_2\, r_f^{-(\ell-s)}$ over the transverse sectors.

    The supremum runs over all 0 ≤ l − s ≤ `depth`: every start of a period (tied and
    periodic), every pair inside the stack (window). At rate 0 it is infinite, unless
    every sector loses everything at each single layer; then it is 1.

    **Arguments:**

    - `mixing`, `value`: one layer (tied), one period, or all layers of a window.
    - `block_length`: tokens per block P. One token has no transverse sector: constant 0.
    - `kind`: `causal` or `bidirectional`.
    - `rate`: r_f ≥ 0, growth factor per layer.
    - `period_class`: how the layers repeat.
    - `depth`: layers L of the stack.

    **Returns:** C_f ≥ 1.

    **Raises:** `ValueError` for stacks of different shape, a negative rate or a depth below 1.
    """
    check_stack(mixing, value)
    if not rate >= 0 or depth < 1:
        raise ValueError(f"rate must be at least 0 and depth at least 1 layer; got {rate} and {depth}.")
    sectors = transverse_sectors(block_length, kind)
    if not len(sectors):
        return 0.0
    if rate == 0:
        return np.inf if sector_factors(mixing, value, sectors).any() else 1.0
    layers = np.eye(mixing.shape[-1]) + mixing
    cyclic = period_class != "window"
    log = log_overshoot(layers, value, _weights(sectors), np.log(rate), cyclic=cyclic, depth=depth)
    with np.errstate(over="ignore"):
        return float(np.exp(log))


def _weights(sectors: Float[np.ndarray, " sectors"]) -> Float[np.ndarray, " sectors"]:
    if not (sectors >= 1).all():
        raise ValueError(f"sectors must be at least 1; got {sectors}.")
    return 1 / sectors


@jax.jit
def _norms_kernel(layers: jax.Array, values: jax.Array, weights: jax.Array, depth: jax.Array) -> jax.Array:
    slots, width, _ = layers.shape
    shape = (len(weights), width, width)

    def step(layer: jax.Array, carried: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        products, log_scale, logs = carried
        maps = layers[layer] + weights[:, None, None] * values[layer]
        products, log_scale = normalised(maps @ products, log_scale)
        return products, log_scale, logs.at[layer + 1].set(log_scale + jnp.log(spectral_norms(products)))

    start = jnp.broadcast_to(jnp.eye(width), shape), jnp.zeros(len(weights))
    return jax.lax.fori_loop(0, depth, step, (*start, jnp.zeros((slots + 1, len(weights)))))[2]
