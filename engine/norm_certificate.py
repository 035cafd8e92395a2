"""An upper bound of the token differences from the sizes of the layers alone."""

import numpy as np
from jaxtyping import Float

from engine.kernel import TokenKind, check_kernel, check_stack


def norm_certificate(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    block_length: int,
    kind: TokenKind,
    leak: float = 0.0,
) -> Float[np.ndarray, " depths"]:
    r"""Bound the token-sup norm of the fluctuation map at every depth.

    Causal: $|F_\perp| \le 2 \min\{\prod(|I+M|+|V|),\; (P-1)\prod(|I+M|+|V|/2)\}$, because
    $\alpha^k Q$ has row sums $2(1 - E(1-e^{-Y})^{t-1}) \le 2 \min\{1, (t-1)2^{-k}\}$,
    $Y \sim \Gamma(k,1)$. Tight to the layer for non-negative scalars; it says nothing
    where $|I+M|+|V|/2 \ge 1$. Bidirectional: $2(1-1/P)\prod|I+M|$. Leaky: the
    bound of its first block, which holds for the later ones too.

    **Arguments:**

    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `block_length`: tokens per block P. One token has no fluctuation: all −inf.
    - `kind`: `causal`, `bidirectional` or `leaky`.
    - `leak`: share ε of attention on earlier blocks, for `leaky`.

    **Returns:** natural logs of the bound at depths 0..L; −inf for zero.

    **Raises:** `ValueError` for an empty block, an unknown kind, a leak that does not fit
    or stacks of different shape.
    """
    check_kernel(block_length, kind, leak)
    check_stack(mixing, value)
    if block_length == 1:
        return np.full(len(mixing) + 1, -np.inf)
    own = np.linalg.norm(np.eye(mixing.shape[-1]) + mixing, 2, axis=(1, 2))
    if kind == "bidirectional":
        return np.log(2 * (1 - 1 / block_length)) + _log_products(own)
    shared = np.linalg.norm(value, 2, axis=(1, 2))
    smoothed = np.log(block_length - 1) + _log_products(own + shared / 2)
    return np.log(2.0) + np.minimum(_log_products(own + shared), smoothed)


def _log_products(sizes: Float[np.ndarray, " layers"]) -> Float[np.ndarray, " depths"]:
    with np.errstate(divide="ignore"):
        return np.concatenate([[0.0], np.cumsum(np.log(sizes))])
