r"""The most that one Pre-LN block can add to the residual stream, from its weights alone."""

import numpy as np
import scipy.special
from jaxtyping import Float

from engine.preln_weights import Activation, Block, Norm, Numbers, Order, check_block

GELU_SLOPE = 1.12891
"""Largest slope of GELU, reached at √2, rounded up."""


def layer_bound(block: Block, *, norm: Norm, activation: Activation, order: Order) -> float:
    r"""Bound $|\mathrm{Att}(S_1 x) + \mathrm{MLP}(S_2 h)|$ over all states.

    Attention: $\sum_h \|W_O^h W_V^{g(h)}\|\,R_1 + |\mathrm{biases}|$, because softmax averages inside
    the ball. GELU: $\|W_2\|\,b + |c_2|$ with b the smaller of $\|W_1\|R_2 + |c_1|$
    ($|\mathrm{gelu}(u)| \le |u|$) and $L_\varphi\|W_1\|R_2 + |\varphi(c_1)|$. SwiGLU:
    $\|W_2\|\,(\|W_g\|_{2\to\infty}R_2 + |c_g|_\infty)(\|W_1\|R_2 + |c_1|) + |c_2|$.

    **Arguments:**

    - `block`: the weights.
    - `norm`, `activation`, `order`: which of the eight kinds of block.

    **Returns:** the bound, state units.

    **Raises:** `ValueError` when heads, gate or one of the three names do not fit.
    """
    width = block.mlp_in.shape[-1]
    check_block(block, width, norm, activation, order)
    attention = norm_radius(block.attention_gain, block.attention_shift, width, norm)
    mlp = attention if order == "parallel" else norm_radius(block.mlp_gain, block.mlp_shift, width, norm)
    return _attention_bound(block, attention) + _mlp_bound(block, mlp, activation)


def norm_radius(
    gain: Float[Numbers, " d"] | float, shift: Float[Numbers, " d"] | float, width: int, norm: Norm
) -> float:
    r"""Radius of the ball that holds every normalised state, $\max|g|\sqrt d$, plus |b| for the layer norm.

    **Arguments:**

    - `gain`, `shift`: g and b of the norm; a number stands for a constant vector.
    - `width`: number of features d.
    - `norm`: `rms` or `layer`; the RMS norm has no shift.

    **Returns:** R.
    """
    radius = float(np.abs(np.asarray(gain)).max()) * np.sqrt(width)
    return radius + _length(shift, width) if norm == "layer" else radius


def _attention_bound(block: Block, radius: float) -> float:
    output, value = np.asarray(block.output_weights), np.asarray(block.value_weights)
    group = len(output) // len(value)
    values = np.repeat(value, group, axis=0)
    biases = np.repeat(np.broadcast_to(block.value_bias, value.shape[:2]), group, axis=0)
    constant = np.einsum("hdk,hk->d", output, biases) + block.output_bias
    paths = np.linalg.norm(output @ values, 2, axis=(1, 2)).sum()
    return float(paths * radius + np.linalg.norm(constant))


def _mlp_bound(block: Block, radius: float, activation: Activation) -> float:
    hidden, width = block.mlp_in.shape
    reach = np.linalg.norm(block.mlp_in, 2) * radius
    inner = reach + _length(block.mlp_in_bias, hidden)
    if activation == "gelu":
        bias = np.broadcast_to(block.mlp_in_bias, (hidden,))
        at_rest = np.linalg.norm(bias * scipy.special.ndtr(bias))
        inner = min(inner, GELU_SLOPE * reach + at_rest)
    else:
        rows = np.linalg.norm(np.asarray(block.mlp_gate), axis=1).max()
        inner = inner * (rows * radius + np.abs(np.asarray(block.mlp_gate_bias)).max())
    return float(np.linalg.norm(block.mlp_out, 2) * inner + _length(block.mlp_out_bias, width))


def _length(vector: Float[Numbers, " n"] | float, size: int) -> float:
    return float(np.linalg.norm(np.broadcast_to(vector, (size,))))
