r"""How large the differences between the tokens of a block can still be, layer by layer.

The fluctuation map $F_\perp(\ell) = \Phi_{\mathrm{full}}(\ell,0)(Q \otimes I)$,
$Q = I - \mathbf{1} e_1^\top$, carries what separates the tokens from the first one. Q
commutes with the causal kernel, so $F_\perp$ obeys the flow of the tokens and its first row stays zero.

The leaky kernel does not commute with Q taken block by block: differences inside a block
leak into what the tokens of later blocks share, and stay there. What is measured for it is
$(Q \otimes I)\,\Phi_{\mathrm{full}}(\ell,0)$, the differences inside a block at depth $\ell$. Rows
of the leak are equal within a block, so Q removes them: the first block follows the causal
flow, the later ones that of $(1-\varepsilon)V$, each by itself. Nothing is claimed about sectors.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import run
from engine.fluctuation_l2 import causal_l2_norms
from engine.fluctuation_map import next_row, start_row, token_weights
from engine.kernel import TokenKind, check_kernel, check_stack
from engine.qr_flow import padded
from engine.sectors import sector_norms
from engine.spectral_norm import spectral_norms


class Fluctuation(NamedTuple):
    r"""Token-sup norm of the fluctuation map at depths 0..L, as natural logs.

    **Fields:**

    - `log_absolute`: $\log \max_t \sum_s \|F_{ts}\|_2$; −inf for zero.
    - `log_relative`: the same minus $\log\|\Phi_1(\ell,0)\|_2$, the size of what the tokens
      share; +inf where only differences are left.
    """

    log_absolute: Float[np.ndarray, " depths"]
    log_relative: Float[np.ndarray, " depths"]


def fluctuation_norms(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: TokenKind,
    leak: float = 0.0,
) -> Fluctuation:
    r"""Norm of the fluctuation map after every layer, exact and free of overflow.

    Causal: the last row of the map is the largest and flows by itself, so it alone is
    carried, with a running log (see `engine.fluctuation_map`). Bidirectional:
    $F_\perp = (I-J) \otimes \prod (I+M)$, norm $2(1-1/P)\,\|\prod (I+M)\|$.

    **Arguments:**

    - `mixing`: token-wise Jacobians M(l) of every layer, first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `block_length`: tokens per block P. One token has no fluctuation: all −inf.
    - `kind`: `causal`, `bidirectional` or `leaky` (two full blocks or more; a single one is causal).
    - `leak`: share ε of attention on earlier blocks, for `leaky`: the larger of the first
      and the later blocks at every depth.

    **Returns:** absolute and relative curves at depths 0..L.

    **Raises:** `ValueError` for an empty block, an unknown kind, a leak that does not fit
    or stacks of different shape.
    """
    check_kernel(block_length, kind, leak)
    check_stack(mixing, value)
    if kind == "leaky":
        blocks = [fluctuation_norms(mixing, part, block_length, "causal") for part in _leaky(value, leak)]
        absolute = np.maximum(blocks[0].log_absolute, blocks[1].log_absolute)
        return _relative(absolute, sector_norms(mixing, value, np.ones(1))[0])
    if kind == "bidirectional":
        shared, transverse = sector_norms(mixing, value, np.array([1.0, np.inf]))
        with np.errstate(divide="ignore"):
            absolute = transverse + np.log(2 * (1 - 1 / block_length))
        return _relative(absolute, shared)
    shared = sector_norms(mixing, value, np.ones(1))[0]
    if block_length == 1:
        return _relative(np.full(len(mixing) + 1, -np.inf), shared)
    layers, values = padded(np.eye(mixing.shape[-1]) + mixing), padded(value)
    row, weights = start_row(block_length, mixing.shape[-1]), token_weights(block_length)
    absolute = run(_norms_kernel, layers, values, row, weights, len(mixing))
    return _relative(absolute[: len(mixing) + 1], shared)


def fluctuation_l2_norms(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: TokenKind,
    leak: float = 0.0,
) -> Float[np.ndarray, " depths"]:
    r"""ℓ² operator norm of the fluctuation map after every layer, $\log\|F_\perp(\ell)\|_2$.

    The causal mean has ℓ² norm up to 2 (Hardy), so this curve can grow where the
    token-sup norm does not; it is the one the disc certificate bounds. Costly: for
    reports, not for live pages.

    **Arguments:** as for `fluctuation_norms`.

    **Returns:** natural logs at depths 0..L; −inf for zero.

    **Raises:** as for `fluctuation_norms`.
    """
    check_kernel(block_length, kind, leak)
    if kind == "leaky":
        return np.maximum(
            *(fluctuation_l2_norms(mixing, part, block_length, "causal") for part in _leaky(value, leak))
        )
    log_scales = fluctuation_norms(mixing, value, block_length, kind).log_absolute
    if block_length == 1:
        return log_scales
    if kind == "bidirectional":
        return sector_norms(mixing, value, np.array([np.inf]))[0]
    return causal_l2_norms(np.eye(mixing.shape[-1]) + mixing, value, block_length, log_scales)


def _leaky(value: np.ndarray, leak: float) -> tuple[np.ndarray, np.ndarray]:
    """Value paths inside the first block and inside the later ones."""
    return value, (1 - leak) * value


def _relative(
    log_absolute: Float[np.ndarray, " depths"], log_shared: Float[np.ndarray, " depths"]
) -> Fluctuation:
    gone = np.isneginf(log_absolute)
    return Fluctuation(log_absolute, np.where(gone, -np.inf, log_absolute - np.where(gone, 0.0, log_shared)))


@jax.jit
def _norms_kernel(
    layers: jax.Array, values: jax.Array, row: jax.Array, weights: jax.Array, depth: jax.Array
) -> jax.Array:
    def step(layer: jax.Array, carried: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        row, log_scale, logs = carried
        row = next_row(row, layers[layer], values[layer], weights)
        size = jnp.abs(row).max()
        row, log_scale = row / jnp.where(size > 0, size, 1.0), log_scale + jnp.log(size)
        return row, log_scale, logs.at[layer + 1].set(log_scale + jnp.log(spectral_norms(row).sum()))

    logs = jnp.zeros(len(layers) + 1).at[0].set(jnp.log(2.0))
    return jax.lax.fori_loop(0, depth, step, (row, jnp.zeros(()), logs))[2]
