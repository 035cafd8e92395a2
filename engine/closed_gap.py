"""Certified gaps of closed windows, for many amplitudes and injections at once."""

import numpy as np
from jaxtyping import Float, Int

from engine.certificate import BlockGap, block_gaps
from engine.dichotomy import Spectrum, window_spectrum
from engine.hold import Loop

BATCH_BYTES = 1 << 26
"""Memory of the closed stacks handed over together."""

LARGEST_LOG = 50.0


def resolved(loop: Loop, window: int) -> tuple[Loop, int]:
    """Fall back on single layers, with the window in layers, where one map would overflow its decay."""
    return (loop, window) if loop.layers is None else (loop.layers, window * loop.layers_per_map)


def closed_window_spectrum(loop: Loop, amplitude: float, window: int) -> Spectrum:
    r"""Dichotomy spectrum of the closed window at resolution H.

    **Arguments:**

    - `loop`: closed maps of the window, from `engine.hold.held_loop(..., periodic=False)`.
    - `amplitude`: gate amplitude ϱ.
    - `window`: resolution H, in maps.

    **Returns:** the `Spectrum`, growth factors per layer.

    **Raises:** as `engine.dichotomy.window_spectrum`.
    """
    source, stretch = resolved(loop, window)
    maps = source.factors + amplitude * source.injections
    found = window_spectrum(maps, stretch, layers_per_map=source.layers_per_map)
    held = source.width - loop.width
    return found if held == 0 else _without_zeros(found, held, min(window, loop.maps))


def _without_zeros(spectrum: Spectrum, count: int, resolution: int) -> Spectrum:
    """Drop the zero growth factors of the held copies; count the window in maps again."""
    multiplicity = spectrum.multiplicity.copy()
    multiplicity[-1] -= count
    kept = multiplicity > 0
    whiskers = [
        None if edge is None else edge[kept] for edge in (spectrum.whisker_lower, spectrum.whisker_upper)
    ]
    return spectrum._replace(
        resolution=resolution,
        lower=spectrum.lower[kept],
        upper=spectrum.upper[kept],
        multiplicity=multiplicity[kept],
        whisker_lower=whiskers[0],
        whisker_upper=whiskers[1],
    )


def closed_gaps(
    loop: Loop,
    injections: Float[np.ndarray, "lanes maps d d"],
    amplitudes: Float[np.ndarray, " points"],
    lanes: Int[np.ndarray, " points"],
    window: int,
) -> BlockGap:
    """Certified gaps of F + ϱ G at pairs (ϱ, lane), in batches of limited memory."""
    per_batch = max(BATCH_BYTES // loop.factors.nbytes, 1)
    parts = []
    for start in range(0, len(amplitudes), per_batch):
        chosen = slice(start, start + per_batch)
        gates = amplitudes[chosen, None, None, None]
        parts.append(block_gaps(loop.factors + gates * injections[lanes[chosen]], window))
    return BlockGap(
        np.concatenate([part.lower for part in parts]), np.concatenate([part.upper for part in parts])
    )


def gap_height(gaps: BlockGap, rank: int) -> Float[np.ndarray, " points"]:
    """How far 1 lies inside the gap at a rank, natural log per map; not positive outside."""
    height = np.minimum(gaps.lower[..., rank], -gaps.upper[..., rank])
    return np.clip(height, -LARGEST_LOG, LARGEST_LOG)
