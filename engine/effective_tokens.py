r"""How many tokens of a block its summary still hears, and what that is worth.

The pooled weights $g(\ell) = \pi^\top \Phi_{\mathrm{full}}(\ell,0)$ say how much of every input token
is in the summary taken behind layer $\ell$. Past saturation a causal block holds copies of its
first token, so every compression hears one token; under the bidirectional kernel the mean hears all.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import bucket, run
from engine.fluctuation_map import token_weights
from engine.kernel import Kind, check_block, check_stack
from engine.qr_flow import padded


class Pooled(NamedTuple):
    r"""Pooled weights behind the last layer.

    **Fields:**

    - `weights`: $g_u$, one d × d block per input token, scaled to largest entry 1.
    - `log_scale`: natural log of the factor taken out; −inf when nothing arrives.
    """

    weights: Float[np.ndarray, "tokens d d"]
    log_scale: float


def pooled_weights(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    weights: Float[np.ndarray, " tokens"],
    kind: Kind,
) -> Pooled:
    r"""Pooled weights $g(L) = \pi^\top \Phi_{\mathrm{full}}(L,0)$ of a whole stack.

    Their sum is $\Phi_1(L,0)$ for any π with sum 1: what the tokens share passes whole.

    **Arguments:**

    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `weights`: the compression π over the tokens of one block (see `engine.compressions`).
    - `kind`: `causal` or `bidirectional`.

    **Returns:** the weights and their scale.

    **Raises:** `ValueError` for an empty block, an unknown kind or stacks of different shape.
    """
    row, log_scale, _ = _pooled(mixing, value, weights, kind)
    return Pooled(row[: len(weights)], float(log_scale))


def effective_tokens(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    weights: Float[np.ndarray, " tokens"],
    kind: Kind,
) -> Float[np.ndarray, " depths"]:
    r"""Effective number of tokens in the summary, $N_{\mathrm{eff}} = |\sum_u g_u|^2 / \sum_u |g_u|^2$.

    Frobenius norms of the d × d weights; for scalar layers the usual ratio. It is the
    factor by which pooling improves the ratio of what the tokens share to independent
    noise in each token, summed over the features.

    **Arguments:** as for `pooled_weights`.

    **Returns:** one number per depth 0..L; 0 when nothing arrives.

    **Raises:** as for `pooled_weights`.
    """
    return _pooled(mixing, value, weights, kind)[2][: len(mixing) + 1]


def gaussian_information(
    count: Float[np.ndarray, " depths"], noise_variance: float
) -> Float[np.ndarray, " depths"]:
    r"""Information the summary holds about a Gaussian latent, $\frac12 \log(1 + N_{\mathrm{eff}}/\sigma^2)$.

    Tokens z + σe with a latent z of variance 1 and independent noise of variance σ².

    **Arguments:**

    - `count`: effective tokens N_eff.
    - `noise_variance`: σ² > 0, in units of the latent's variance.

    **Returns:** information in nats.

    **Raises:** `ValueError` unless the noise has a positive variance.
    """
    if not noise_variance > 0:
        raise ValueError(f"noise_variance must be positive; got {noise_variance}.")
    return np.log1p(count / noise_variance) / 2


def _pooled(
    mixing: np.ndarray, value: np.ndarray, weights: np.ndarray, kind: Kind
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    check_block(len(weights), kind)
    check_stack(mixing, value)
    width = mixing.shape[-1]
    row = np.zeros((bucket(len(weights)), width, width))
    row[: len(weights)] = weights[:, None, None] * np.eye(width)
    layers, values = padded(np.eye(width) + mixing), padded(value)
    shares = token_weights(len(weights))
    if kind == "bidirectional":
        shares[: len(weights)] = 1 / len(weights)
    return run(_pooled_kernel, layers, values, row, shares, len(mixing), kind=kind)


def _count(row: jax.Array) -> jax.Array:
    together, apart = jnp.sum(row.sum(axis=0) ** 2), jnp.sum(row**2)
    return jnp.where(apart > 0, together / jnp.where(apart > 0, apart, 1.0), 0.0)


@partial(jax.jit, static_argnames="kind")
def _pooled_kernel(
    layers: jax.Array, values: jax.Array, row: jax.Array, shares: jax.Array, depth: jax.Array, *, kind: str
) -> tuple[jax.Array, jax.Array, jax.Array]:
    def step(layer: jax.Array, carried: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        row, log_scale, counts = carried
        if kind == "causal":
            means = jnp.cumsum((row * shares[:, None, None])[::-1], axis=0)[::-1]
        else:
            means = row.sum(axis=0) * shares[:, None, None]
        row = layers[layer] @ row + values[layer] @ means
        size = jnp.abs(row).max()
        row, log_scale = row / jnp.where(size > 0, size, 1.0), log_scale + jnp.log(size)
        return row, log_scale, counts.at[layer + 1].set(_count(row))

    counts = jnp.zeros(len(layers) + 1).at[0].set(_count(row))
    return jax.lax.fori_loop(0, depth, step, (row, jnp.zeros(()), counts))
