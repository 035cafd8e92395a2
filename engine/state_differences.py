r"""How far apart the tokens of one given input still are, layer by layer.

What separates the tokens of a block from its first one, $D_t = X_t - X_1$, flows by itself: causal,
$D \mapsto D(I+M)^\top + \alpha D V^\top$; bidirectional, $D \mapsto D(I+M)^\top$; under a leak the first
block is causal and the later ones lose a share ε of V. The norm of the fluctuation map
(`engine.fluctuation`) is the worst case over all inputs.
"""

import numpy as np
from jaxtyping import Float

from engine.kernel import TokenKind, check_kernel, check_stack


def state_differences(
    states: Float[np.ndarray, "tokens d"],
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    kind: TokenKind,
    leak: float = 0.0,
) -> Float[np.ndarray, " depths"]:
    r"""Largest difference of a token from the first one, $\log(\max_t |D_t(\ell)| / \max_t |D_t(0)|)$.

    **Arguments:**

    - `states`: the tokens of one block, X(0).
    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `kind`: `causal`, `bidirectional` or `leaky`.
    - `leak`: share ε of attention on earlier blocks, for `leaky`: the larger of a first and of
      a later block that hold these tokens.

    **Returns:** natural logs at depths 0..L; −inf once the tokens agree, all −inf where they do from the
    start.

    **Raises:** `ValueError` for an empty block, an unknown kind, a leak that does not fit or stacks of
    different shape.
    """
    check_kernel(len(states), kind, leak)
    check_stack(mixing, value)
    layers = np.eye(mixing.shape[-1]) + mixing
    if kind == "leaky":
        return np.maximum(_followed(states, layers, value), _followed(states, layers, (1 - leak) * value))
    return _followed(states, layers, value if kind == "causal" else np.zeros_like(value))


def _followed(states: np.ndarray, layers: np.ndarray, values: np.ndarray) -> Float[np.ndarray, " depths"]:
    """Follow the differences at size one, with a running log."""
    counts = np.arange(1, len(states) + 1)[:, None]
    logs = np.full(len(layers) + 1, -np.inf)
    differences, log_scale = states - states[0], 0.0
    for depth in range(len(layers) + 1):
        size = float(np.linalg.norm(differences, axis=1).max())
        if size == 0:
            break
        log_scale += np.log(size) if depth else 0.0
        logs[depth], differences = log_scale, differences / size
        if depth < len(layers):
            means = np.cumsum(differences, axis=0) / counts
            differences = differences @ layers[depth].T + means @ values[depth].T
    return logs
