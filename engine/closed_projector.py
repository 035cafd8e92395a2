r"""Projectors of the closed loop that keep the ends of the open one."""

import numpy as np
from jaxtyping import Float

from engine.monodromy import multipliers
from engine.splitting import LARGEST_PROJECTOR, Splitting, split


def closed_projectors(
    factors: Float[np.ndarray, "layers d d"], splitting: Splitting
) -> Float[np.ndarray, "depths d d"] | None:
    r"""Split a closed loop $B + \varrho D\psi(u^*)$ at the rank of the open loop.

    Layers that repeat have one splitting. On a window the persistent directions start, and
    their covectors end, where those of the open loop do: the same end conditions then close
    both loops, and statements about $P_+$ hold at every depth, without boundary layers.

    **Arguments:**

    - `factors`: layer maps of the closed loop, as many as the splitting covers.
    - `splitting`: of the open loop.

    **Returns:** $P_+(\ell)$ at the depths 0 … L; None when the directions meet, or when
    the number of persistent directions of a repeating stack has changed.
    """
    if not splitting.periodic:
        return _carried(factors, splitting)
    logs = multipliers(factors).log_modulus
    rank = splitting.rank
    if (logs[:rank] <= 0).any() or (logs[rank:] >= 0).any():
        return None
    found = split(factors, rank, periodic=True)
    return found.persistent if found.status == "ok" else None


def _carried(factors: np.ndarray, splitting: Splitting) -> np.ndarray | None:
    """Carry directions forward and their covectors back from the ends of the open loop."""
    directions = [splitting.unstable[0]]
    covectors = [np.linalg.qr(splitting.read_unstable[-1].T)[0]]
    for ahead, behind in zip(factors, factors[::-1], strict=True):
        directions.append(np.linalg.qr(ahead @ directions[-1])[0])
        covectors.append(np.linalg.qr(behind.T @ covectors[-1])[0])
    reading = np.swapaxes(np.array(covectors[::-1]), 1, 2)
    basis = np.array(directions)
    angles = reading @ basis
    if np.linalg.svd(angles, compute_uv=False).min(initial=1.0) * LARGEST_PROJECTOR < 1:
        return None
    return basis @ np.linalg.solve(angles, reading)
