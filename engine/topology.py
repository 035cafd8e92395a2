"""Who reads whose summary: one block itself, a ring of blocks, or a causal cascade."""

import math

import numpy as np
from jaxtyping import Float

from engine.hold import Loop, held_loop

Phases = tuple[tuple[float, int], ...]
"""Pairs (phase φ, copies): the closed maps are F + ϱ e^{iφ} G, `copies` counts φ and −φ."""

SELF: Phases = ((0.0, 1),)

STRING_GRID = 256
GOLDEN = (math.sqrt(5) - 1) / 2
GOLDEN_STEPS = 60
REFINED_PEAKS = 4


def phases(topology: str, blocks: int) -> Phases:
    r"""Split a topology into independent loops $F + \varrho\,e^{i\varphi}G$.

    The discrete Fourier transform over the blocks diagonalises a ring of K:
    $\varphi = 2\pi j/K$. The loops of $\varphi$ and $-\varphi$ are complex conjugates and are
    listed once, with `copies` = 2.

    **Arguments:**

    - `topology`: `self` (each block reads itself) or `ring` (block k reads k−1, block 1 reads K).
    - `blocks`: number of blocks K.

    **Returns:** pairs (phase in radians in [0, π], copies); the copies of a ring sum to K.

    **Raises:** `ValueError` for another topology (a cascade has no closed loop: its spectrum
    never moves, see `string_limit`) or fewer than one block.
    """
    if topology not in {"self", "ring"}:
        raise ValueError(f"topology must be self or ring (only these close a loop); got {topology}.")
    if blocks < 1:
        raise ValueError(f"blocks must be at least 1; got {blocks}.")
    if topology == "self":
        return SELF
    # Halves are exact: the phase π of an even ring must not leave a spurious imaginary part.
    turns = [j / blocks for j in range(blocks // 2 + 1)]
    return tuple((2 * math.pi * turn, 1 if turn in {0.0, 0.5} else 2) for turn in turns)


def is_real(phase: float) -> bool:
    """Tell whether e^{iφ} is ±1, so that the loop of this phase is a real one."""
    return phase in {0.0, math.pi}


def phase_loop(loop: Loop, phase: float) -> Loop:
    r"""Write $F + \varrho\,e^{i\varphi}G$ as a real loop.

    For φ = 0 or π the width stays d. Otherwise real and imaginary parts are stacked: width 2d,
    and the multipliers are those of φ together with their complex conjugates (those of −φ).

    **Arguments:**

    - `loop`: the loop of one block.
    - `phase`: φ, radians.

    **Returns:** a real `Loop`.
    """
    if is_real(phase):
        return loop._replace(
            injections=loop.injections * math.cos(phase),
            layers=None if loop.layers is None else phase_loop(loop.layers, phase),
        )
    turn = np.array([[math.cos(phase), -math.sin(phase)], [math.sin(phase), math.cos(phase)]])
    return Loop(
        factors=np.kron(np.eye(2), loop.factors),
        injections=np.kron(turn, loop.injections),
        layers_per_map=loop.layers_per_map,
        frames=None if loop.frames is None else np.kron(np.eye(2), loop.frames),
        layers=None if loop.layers is None else phase_loop(loop.layers, phase),
    )


def string_limit(
    factors: Float[np.ndarray, "layers d d"],
    injection: Float[np.ndarray, "*layers rows columns"],
    refresh_period: int = 1,
) -> float | None:
    r"""Find the amplitude above which a long cascade amplifies from block to block.

    $r^* = 1/\max_\theta \mathrm{spr}\big((e^{i\theta} - F)^{-1}G\big)$. A cascade has the spectrum
    of one open block whatever ϱ is; what ϱ changes is the gain per block, and for $|\varrho| > r^*$
    a ripple at frequency θ grows along the blocks. The limit is the same for both signs. A periodic
    stack is treated by its cyclic lift.

    **Arguments:**

    - `factors`: layer maps of the tied (n = 1) or periodic stack, shape (n, d, d).
    - `injection`: G, shape (d, d) or (n, d, d).
    - `refresh_period`: layers between two refreshes.

    **Returns:** r* ≥ 0, `inf` when no ripple is passed on, None when some direction of the open
    block does not decay (then every cascade amplifies).

    **Raises:** as `held_loop`.

    Reference: Swaroop & Hedrick, IEEE Trans. Autom. Control 41 (1996) 349-357 (string stability).
    """
    loop = held_loop(factors, injection, refresh_period, periodic=True)
    if loop.frames is not None:
        return None
    lift, gate = cyclic_lift(loop.factors), block_diagonal(loop.injections)
    if np.abs(np.linalg.eigvals(lift)).max() >= 1.0:
        return None
    peak = _largest_gain(lift, cyclic_shift(gate, loop.maps), math.pi / loop.maps)
    return math.inf if peak == 0.0 else 1.0 / peak


def cyclic_lift(maps: np.ndarray) -> np.ndarray:
    """Place the maps of one period on the cyclic sub-diagonal: eigenvalues are period-th roots."""
    return cyclic_shift(block_diagonal(maps), maps.shape[0])


def cyclic_shift(diagonal: np.ndarray, period: int) -> np.ndarray:
    """Move block row i to i + 1, cyclically."""
    return np.roll(diagonal, diagonal.shape[0] // period, axis=0)


def block_diagonal(maps: np.ndarray) -> np.ndarray:
    """Place (period, d, d) maps on the diagonal of one matrix."""
    period, width, _ = maps.shape
    out = np.zeros((period, width, period, width), dtype=maps.dtype)
    out[np.arange(period), :, np.arange(period), :] = maps
    return out.reshape(period * width, period * width)


def _largest_gain(lift: np.ndarray, gate: np.ndarray, last_angle: float) -> float:
    """Maximise the spectral radius over angles in [0, last]: a grid, then golden sections."""
    size = lift.shape[0]

    def gain(angles: np.ndarray) -> np.ndarray:
        resolvent = np.exp(1j * angles)[:, None, None] * np.eye(size) - lift
        return np.abs(np.linalg.eigvals(np.linalg.solve(resolvent, gate.astype(complex)))).max(axis=1)

    points = STRING_GRID if size <= 32 else STRING_GRID // 4
    angles = np.linspace(0.0, last_angle, points + 1)
    values = gain(angles)
    peaks = np.argsort(values)[::-1][:REFINED_PEAKS]
    lower = angles[np.maximum(peaks - 1, 0)]
    upper = angles[np.minimum(peaks + 1, points)]
    best = values.max()
    for _ in range(GOLDEN_STEPS):
        left, right = upper - GOLDEN * (upper - lower), lower + GOLDEN * (upper - lower)
        gains = gain(np.concatenate([left, right]))
        best = max(best, gains.max())
        rising = gains[: left.size] < gains[left.size :]
        lower, upper = np.where(rising, left, lower), np.where(rising, upper, right)
    return float(best)
