"""Certified gaps of closed windows, for many amplitudes and loops at once."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from engine.certificate import BlockGap, block_gaps
from engine.hold import Loop

BATCH_BYTES = 1 << 26
"""Memory of the closed stacks handed over together."""

LARGEST_LOG = 50.0


def resolved(loop: Loop, window: int) -> tuple[Loop, int]:
    """Fall back on single layers, window in layers, where the growth of one map would drown its decay.

    Stretches may then begin inside a hold: what they certify is certified, with less room.
    """
    return (loop, window) if loop.layers is None else (loop.layers, window * loop.layers_per_map)


def closed_gaps(
    factors: Float[np.ndarray, "lanes maps d d"],
    injections: Float[np.ndarray, "lanes maps d d"],
    amplitudes: Float[np.ndarray, " points"],
    lanes: Int[np.ndarray, " points"],
    window: int,
    ranks: Sequence[int] | None = None,
    room: int = 0,
) -> BlockGap:
    """Certified gaps of F + ϱ G at pairs (ϱ, lane), in batches of limited memory; all ranks if None.

    `room` as in `engine.certificate.block_gaps`.
    """
    per_batch = max(BATCH_BYTES // injections[0].nbytes, 1)
    parts = []
    for start in range(0, len(amplitudes), per_batch):
        chosen = slice(start, start + per_batch)
        gates, owners = amplitudes[chosen, None, None, None], lanes[chosen]
        parts.append(block_gaps(factors[owners] + gates * injections[owners], window, ranks, room))
    return BlockGap(
        np.concatenate([part.lower for part in parts]), np.concatenate([part.upper for part in parts])
    )


def gap_heights(gaps: BlockGap) -> Float[np.ndarray, "points ranks"]:
    """How far 1 lies inside the gap at each rank, natural log per map; not positive outside."""
    height = np.minimum(gaps.lower, -gaps.upper)
    return np.clip(height, -LARGEST_LOG, LARGEST_LOG)
