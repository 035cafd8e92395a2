r"""What the injection sees of a block: its persistent part, up to terms that die out, down to a floor.

Theorem 9: with $\zeta(\ell) = \Pi X(\ell)$ and the gate closed,
$|\psi(\zeta) - \psi(P_+\zeta)| \le L_\psi |P_-\zeta|$ and
$|P_-\zeta| \le C r_-^\ell |x_1(0)| + |P_-(\ell)|\,|\Pi Q|_1\,|F_\perp(\ell)|\,|X(0)|$.
An open gate re-forces the decaying part at every layer: it then ends at a floor, near
$|P_- u^*|$ as long as the run stays near $u^*$.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.fluctuation import fluctuation_norms
from engine.injection import Injection
from engine.kernel import Kind, check_block, check_stack
from engine.token_blocks import in_blocks
from engine.token_gate import TokenGate

LARGEST = 1e150
"""A run stops before a state exceeds this: squares must fit into floating point."""


class View(NamedTuple):
    r"""What the injection sees of every block at the depths 0 … `reached`.

    **Fields:**

    - `summaries`: $\zeta(\ell)$, state units.
    - `difference`: $|\psi(\zeta) - \psi(P_+\zeta)|$ in every block.
    - `decaying`: $|P_-\zeta|$; times $L_\psi$ it bounds the difference.
    - `bound`: of `decaying`: initial state, token differences, and what the gate has really added.
    - `floor_bound`: of $|P_- u^*|$, $C |\varrho| \sup|\psi| / m_-$; inf when ψ is unbounded.
    - `reached`: L, or the last depth at which all states are below `LARGEST`.
    """

    summaries: Float[np.ndarray, "depths blocks d"]
    difference: Float[np.ndarray, "depths blocks"]
    decaying: Float[np.ndarray, "depths blocks"]
    bound: Float[np.ndarray, "depths blocks"]
    floor_bound: float
    reached: int


def injection_view(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    projectors: Float[np.ndarray, "depths d d"],
    states: Float[np.ndarray, "tokens d"],
    gate: TokenGate,
    *,
    block_length: int,
    kind: Kind,
    constant: float,
    decay_rate: float,
    fluctuation: Float[np.ndarray, " depths"] | None = None,
) -> View:
    r"""Run the linearised tokens with the gate and compare $\psi(\zeta)$ with $\psi(P_+\zeta)$.

    The measured fluctuation norm takes the place of the paper's $C'\kappa_\alpha C_f r_f^\ell$, and
    $X(0)$ counts from the homogeneous coordinate where that is smaller ($F_\perp$ does not see it).

    **Arguments:**

    - `mixing`, `value`: M(l) and V(l) of every layer, first layer first.
    - `projectors`: $P_+$ of the open loop at the depths 0 … L.
    - `states`: the tokens X(0); the last block may be ragged.
    - `gate`: ψ, Π, ϱ and how long a summary is held; ϱ = 0 is the open loop.
    - `block_length`: tokens per block P.
    - `kind`: `causal` (homogeneous coordinate: first token) or `bidirectional` (mean).
    - `constant`, `decay_rate`: C and $r_-$ of $|\Phi(\ell,s) P_-(s)| \le C r_-^{\ell-s}$.
    - `fluctuation`: $|F_\perp(\ell)|$ at the depths 0 … L where it is known; it does not depend on the gate.

    **Returns:** differences and bounds, block by block.

    **Raises:** `ValueError` for stacks, projectors or weights that do not fit, a decay rate
    outside [0, 1) or a refresh period below 1.
    """
    _check(mixing, value, projectors, gate, decay_rate)
    check_block(block_length, kind)
    tokens = in_blocks(states, block_length)
    weights = np.asarray(gate.weights)
    if weights.shape != tokens.shape[:2]:
        raise ValueError(f"gate.weights must have shape {tokens.shape[:2]}; got {weights.shape}.")
    present = in_blocks(np.ones((len(states), 1)), block_length)
    summaries, forcing = _run(tokens, present, mixing, value, kind, gate)
    reached = len(summaries) - 1
    plus = projectors[: reached + 1]
    minus = np.eye(plus.shape[-1]) - plus
    if fluctuation is None:
        with np.errstate(over="ignore"):
            fluctuation = np.exp(fluctuation_norms(mixing, value, block_length, kind).log_absolute)
    left = _left_weights(present, kind)
    shared = (left[:, :, None] * tokens).sum(axis=1)
    off_shared = np.abs(weights - left).sum(axis=1) * _sizes(tokens, shared, present)
    washing = (np.linalg.norm(minus, 2, axis=(1, 2)) * fluctuation[: reached + 1])[:, None] * off_shared
    carried = constant * _discounted(np.linalg.norm(shared, axis=1), forcing, decay_rate)
    return View(
        summaries=summaries,
        difference=hidden_difference(gate.injection, plus, summaries),
        decaying=np.linalg.norm(summaries @ np.swapaxes(minus, 1, 2), axis=2),
        bound=carried + washing,
        floor_bound=_floor_bound(gate, constant, decay_rate),
        reached=reached,
    )


def hidden_difference(
    injection: Injection,
    projectors: Float[np.ndarray, "depths d d"],
    summaries: Float[np.ndarray, "depths blocks d"],
) -> Float[np.ndarray, "depths blocks"]:
    r"""Measure $|\psi(\zeta) - \psi(P_+\zeta)|$; at $\zeta = u^*$ this is the floor of an open gate.

    **Arguments:**

    - `injection`: ψ, the same at every layer.
    - `projectors`: $P_+$ at every depth.
    - `summaries`: ζ at every depth, one per block.

    **Returns:** the differences, state units.
    """
    persistent = summaries @ np.swapaxes(projectors, 1, 2)
    width = summaries.shape[-1]
    seen, meant = (injection.value(part.reshape(-1, width)) for part in (summaries, persistent))
    return np.linalg.norm(seen - meant, axis=1).reshape(summaries.shape[:2])


def _check(
    mixing: np.ndarray, value: np.ndarray, projectors: np.ndarray, gate: TokenGate, decay_rate: float
) -> None:
    check_stack(mixing, value)
    layers, width, _ = mixing.shape
    if projectors.shape != (layers + 1, width, width):
        raise ValueError(f"projectors must have shape {(layers + 1, width, width)}; got {projectors.shape}.")
    if not 0 <= decay_rate < 1 or int(gate.refresh_period) < 1:
        raise ValueError(
            "decay_rate must lie in [0, 1) and refresh_period be at least 1 layer; "
            f"got {decay_rate} and {gate.refresh_period}."
        )


def _run(
    tokens: np.ndarray,
    present: np.ndarray,
    mixing: np.ndarray,
    value: np.ndarray,
    kind: Kind,
    gate: TokenGate,
) -> tuple[Float[np.ndarray, "depths blocks d"], Float[np.ndarray, "layers blocks"]]:
    """Summaries of the linearised tokens, and the size of what the gate added at every layer."""
    weights, amplitude = np.asarray(gate.weights)[:, :, None], float(gate.amplitude)
    counts = np.arange(1, tokens.shape[1] + 1)[:, None]
    held = np.zeros_like(tokens[:, :1])
    found, forcing = [(weights * tokens).sum(axis=1)], [np.zeros(len(tokens))]
    for layer in range(len(mixing)):
        if amplitude and layer % int(gate.refresh_period) == 0:
            held = amplitude * gate.injection.value(found[-1])[:, None, :]
        if kind == "causal":
            means = np.cumsum(tokens, axis=1) / counts
        else:
            means = (tokens * present).sum(axis=1, keepdims=True) / present.sum(axis=1, keepdims=True)
        tokens = tokens + tokens @ mixing[layer].T + means @ value[layer].T + held
        if np.abs(tokens).max() > LARGEST:
            break
        found.append((weights * tokens).sum(axis=1))
        forcing.append(np.linalg.norm(held[:, 0], axis=1))
    return np.array(found), np.array(forcing[1:]).reshape(-1, len(tokens))


def _discounted(
    start: Float[np.ndarray, " blocks"], forcing: Float[np.ndarray, "layers blocks"], rate: float
) -> Float[np.ndarray, "depths blocks"]:
    r"""Carry sizes through the depths, $s(\ell+1) = r\,s(\ell) + f(\ell)$."""
    sizes = [start]
    for added in forcing:
        sizes.append(rate * sizes[-1] + added)
    return np.array(sizes)


def _left_weights(present: np.ndarray, kind: Kind) -> Float[np.ndarray, "blocks P"]:
    """Weights that read the homogeneous coordinate of every block: first token, or mean."""
    if kind == "bidirectional":
        return present[:, :, 0] / present.sum(axis=1)
    return np.eye(1, present.shape[1]).repeat(len(present), axis=0)


def _sizes(tokens: np.ndarray, shared: np.ndarray, present: np.ndarray) -> Float[np.ndarray, " blocks"]:
    """Largest token of every block, counted from zero or from the homogeneous coordinate."""
    away = (tokens - shared[:, None, :]) * present
    plain, centred = (np.linalg.norm(part, axis=2).max(axis=1) for part in (tokens, away))
    return np.minimum(plain, centred)


def _floor_bound(gate: TokenGate, constant: float, decay_rate: float) -> float:
    if not gate.amplitude or not constant:
        return 0.0
    injection = gate.injection
    if injection.saturating:
        largest = float(np.sqrt(len(injection.bias)))
    else:
        largest = np.inf if np.any(injection.matrix) else float(np.linalg.norm(injection.bias))
    return constant * abs(float(gate.amplitude)) * largest / (1 - decay_rate)
