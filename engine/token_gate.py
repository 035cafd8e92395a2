"""The gate of a token run: every block reads its own summary, held between refreshes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from engine.device import bucket
from engine.injection import Injection
from engine.preln_weights import Numbers


class TokenGate(NamedTuple):
    r"""The gate through which every block reads its own held summary.

    **Fields:**

    - `injection`: ψ, the same at every layer.
    - `weights`: of the tokens in the summary, one row per block (see `summary_weights`).
    - `amplitude`: ϱ, one number or one per run.
    - `refresh_period`: layers for which a summary is held.
    """

    injection: Injection
    weights: Float[Numbers, "blocks P"]
    amplitude: float | Float[Numbers, " runs"]
    refresh_period: int | Array = 1

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The arguments of a kernel that `from_arrays` turns back into the gate."""
        return *self.injection, self.weights, self.amplitude, self.refresh_period


GATE_ARRAYS = len(Injection._fields) + len(TokenGate._fields) - 1


def from_arrays(arrays: Sequence[Any]) -> TokenGate:
    """Rebuild a gate inside a kernel."""
    count = len(Injection._fields)
    return TokenGate(Injection(*arrays[:count]), *arrays[count:GATE_ARRAYS])


def shut(width: int, blocks: int, block_length: int) -> TokenGate:
    """Return a gate that adds nothing.

    **Arguments:**

    - `width`, `blocks`, `block_length`: d, K and P.

    **Returns:** the gate with ϱ = 0.
    """
    weights = np.zeros((blocks, block_length))
    weights[:, 0] = 1.0
    return TokenGate(Injection(np.zeros((width, width)), np.zeros(width), saturating=False), weights, 0.0)


def padded_gate(
    gate: TokenGate | None, states: Float[np.ndarray, "runs tokens d"], block_length: int
) -> TokenGate:
    """Fit a gate to padded blocks, with one amplitude per run.

    **Raises:** `ValueError` when its weights or its matrix do not fit, or for a refresh period below 1.
    """
    runs, tokens, width = states.shape
    shape = (-(-tokens // block_length), block_length)
    gate = shut(width, *shape) if gate is None else gate
    if (
        gate.weights.shape != shape
        or gate.injection.matrix.shape != (width, width)
        or int(gate.refresh_period) < 1
    ):
        raise ValueError(
            f"expected weights of shape {shape}, matrix of shape {(width, width)}, refresh period >= 1; "
            f"got {gate.weights.shape}, {gate.injection.matrix.shape} and {gate.refresh_period}."
        )
    rest = [(0, bucket(size) - size) for size in shape]
    amplitude = np.broadcast_to(np.asarray(gate.amplitude, dtype=np.float64), (runs,))
    return gate._replace(weights=np.pad(gate.weights, rest), amplitude=amplitude)


def injected(gate: TokenGate, held: Numbers) -> Numbers:
    """Trace what the gate adds to a block that holds this summary, (runs, …, d)."""
    inner = held @ jnp.asarray(gate.injection.matrix).T + gate.injection.bias
    seen = jnp.where(gate.injection.saturating, jnp.tanh(inner), inner)
    amplitude = jnp.asarray(gate.amplitude)
    return amplitude.reshape(-1, *[1] * (seen.ndim - 1)) * seen


def refreshed(gate: TokenGate, held: Numbers, tokens: Numbers, layer: Numbers) -> Numbers:
    """Trace the held summaries before a layer, (runs, blocks, d)."""
    fresh = jnp.einsum("kp,rkpd->rkd", gate.weights, tokens)
    return jnp.where(layer % gate.refresh_period == 0, fresh, held)
