r"""Response of a causal chain of blocks to a kick in its first one, layer by layer.

Block k reads block k−1: $u_k(\ell+1) = B(\ell)u_k(\ell) + \varrho\,W\,\hat u_{k-1}(\ell)$. The chain has the
spectrum of one open block whatever ϱ is, so no eigenvalue tells what it does; the recursion does.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

_Scaled = tuple[Float[np.ndarray, "blocks d d"], Float[np.ndarray, " blocks"]]
"""Matrices with entries of size one, and the natural log of what each must be multiplied by."""


class CascadeResponse(NamedTuple):
    r"""How strongly each block answers a unit kick in block 1, at ϱ = 1.

    Block k answers in proportion to $\varrho^{k-1}$, so other amplitudes need no further run (`log_peaks`).

    **Fields:**

    - `log_norms`: $\ln\|\partial u_k(\ell)/\partial u_1(0)\|_2$ for l = 0 … L; −inf before anything arrives.
    - `log_peak`: their largest value over l ≥ 1.
    - `layer`: the layer at which it is first attained; 0 where nothing ever arrives.
    """

    log_norms: Float[np.ndarray, "blocks depths"]
    log_peak: Float[np.ndarray, " blocks"]
    layer: Int[np.ndarray, " blocks"]

    def log_peaks(self, amplitude: float) -> Float[np.ndarray, " blocks"]:
        r"""Return the natural logs of the peaks at an amplitude ϱ."""
        blocks = np.arange(len(self.log_peak))
        if amplitude == 0:
            return np.where(blocks == 0, self.log_peak, -np.inf)
        return self.log_peak + blocks * np.log(abs(amplitude))


def cascade_response(
    factors: Float[np.ndarray, "layers d d"],
    injection: Float[np.ndarray, "d d"],
    blocks: int,
    refresh_period: int = 1,
) -> CascadeResponse:
    r"""Follow a unit kick of block 1 at layer 0 through the chain.

    Every block keeps its own log scale, so neither growth nor the faint first arrivals are lost.

    **Arguments:**

    - `factors`: all L layers B, first layer first.
    - `injection`: W = Dψ.
    - `blocks`: blocks of the chain, K ≥ 1.
    - `refresh_period`: layers L_r for which a summary is held; refreshes before layers 0, L_r, ….

    **Returns:** the `CascadeResponse`; the kick may point anywhere, so norms are those of d×d matrices.

    **Raises:** `ValueError` for an empty stack, K < 1 or L_r < 1.

    Reference: Swaroop & Hedrick, IEEE Trans. Autom. Control 41 (1996) 349-357 (string stability).
    """
    layers, width, _ = factors.shape
    if layers == 0:
        raise ValueError("factors must hold at least one layer; got a stack of 0.")
    if blocks < 1:
        raise ValueError(f"blocks must be at least 1; got {blocks}.")
    if refresh_period < 1:
        raise ValueError(f"refresh_period must be at least 1; got {refresh_period}.")
    states, logs = np.zeros((blocks, width, width)), np.full(blocks, -np.inf)
    states[0], logs[0] = np.eye(width), 0.0
    read = states, logs
    norms = [_log_norms((states, logs))]
    for layer, factor in enumerate(factors):
        if layer % refresh_period == 0:
            seen, seen_logs = _passed_on((states, logs))
            read = injection @ seen, seen_logs
        states, logs = _sum((factor @ states, logs), read)
        norms.append(_log_norms((states, logs)))
    log_norms = np.stack(norms, axis=1)
    later = log_norms[:, 1:]
    log_peak = later.max(axis=1)
    return CascadeResponse(
        log_norms, log_peak, np.where(np.isneginf(log_peak), 0, 1 + np.argmax(later, axis=1))
    )


def _passed_on(states: _Scaled) -> _Scaled:
    """Hand every block's state to the next one; block 1 reads nothing."""
    matrices, logs = np.roll(states[0], 1, axis=0), np.roll(states[1], 1)
    matrices[0], logs[0] = 0.0, -np.inf
    return matrices, logs


def _sum(first: _Scaled, second: _Scaled) -> _Scaled:
    """Add scaled matrices and bring them back to size one."""
    larger = np.maximum(first[1], second[1])
    shift = np.where(np.isneginf(larger), 0.0, larger)
    shares = [np.exp(logs - shift)[:, None, None] for _, logs in (first, second)]
    total = shares[0] * first[0] + shares[1] * second[0]
    sizes = np.abs(total).max(axis=(1, 2))
    with np.errstate(divide="ignore"):
        logs = np.log(sizes) + shift
    return total / np.where(sizes > 0, sizes, 1.0)[:, None, None], logs


def _log_norms(states: _Scaled) -> Float[np.ndarray, " blocks"]:
    with np.errstate(divide="ignore"):
        return np.log(np.linalg.norm(states[0], 2, axis=(1, 2))) + states[1]
