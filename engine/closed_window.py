"""The dichotomy spectrum of a closed loop over a finite window of layers."""

import numpy as np

from engine.closed_gap import resolved
from engine.dichotomy import Spectrum, window_spectrum
from engine.hold import Loop
from engine.topology import SELF, Phases, phase_loop


def closed_window_spectrum(loop: Loop, amplitude: float, window: int, phases: Phases = SELF) -> Spectrum:
    r"""Spectrum of the maps $F_i + \varrho\,G_i$ at a resolution, over all phases of the topology.

    **Arguments:**

    - `loop`: closed maps of the window, from `engine.hold.held_loop(..., periodic=False)`.
    - `amplitude`: ϱ.
    - `window`: averaging length H, in maps.
    - `phases`: independent loops, from `engine.topology.phases`.

    **Returns:** the union of the phases' spectra, growth factors per layer, `resolution` in layers.
    Hyperbolic when every phase is; contains one when some phase does.

    **Raises:** as `engine.dichotomy.window_spectrum`.
    """
    return union([_of_phase(phase_loop(loop, phase), amplitude, window) for phase, _ in phases])


def union(parts: list[Spectrum]) -> Spectrum:
    """Merge the window spectra of independent systems into the spectrum of them all together."""
    lower, upper, multiplicity, whisker_lower, whisker_upper = (
        np.concatenate([np.asarray(getattr(part, name)) for part in parts])
        for name in ("lower", "upper", "multiplicity", "whisker_lower", "whisker_upper")
    )
    order = np.argsort(-upper, kind="stable")
    below = np.minimum.accumulate(lower[order])
    starts = np.append(0, np.flatnonzero(upper[order][1:] < below[:-1]) + 1)
    verdicts = {part.verdict for part in parts}
    gaps = [part.gap for part in parts if part.gap is not None]
    hyperbolic = verdicts == {"hyperbolic"}
    return parts[0]._replace(
        lower=np.minimum.reduceat(lower[order], starts),
        upper=np.maximum.reduceat(upper[order], starts),
        multiplicity=np.add.reduceat(multiplicity[order], starts),
        whisker_lower=np.minimum.reduceat(whisker_lower[order], starts),
        whisker_upper=np.maximum.reduceat(whisker_upper[order], starts),
        verdict="hyperbolic" if hyperbolic else "contains-one" if "contains-one" in verdicts else "undecided",
        certified=hyperbolic,
        persistent_rank=sum(part.persistent_rank or 0 for part in parts) if hyperbolic else None,
        gap=(max(gap[0] for gap in gaps), min(gap[1] for gap in gaps)) if hyperbolic else None,
    )


def _of_phase(loop: Loop, amplitude: float, window: int) -> Spectrum:
    source, maps = resolved(loop, window)
    found = window_spectrum(
        source.factors + amplitude * source.injections, maps, layers_per_map=source.layers_per_map
    )
    assert found.resolution is not None
    found = found._replace(resolution=found.resolution * source.layers_per_map)
    return _without_copies(found, source.width - loop.width)


def _without_copies(spectrum: Spectrum, copies: int) -> Spectrum:
    """Drop the held copies of the state, which vanish at every refresh and come last."""
    counts = spectrum.multiplicity.copy()
    for index in range(len(counts) - 1, -1, -1):
        dropped = min(copies, int(counts[index]))
        counts[index] -= dropped
        copies -= dropped
    kept = counts > 0
    assert spectrum.whisker_lower is not None
    assert spectrum.whisker_upper is not None
    return spectrum._replace(
        lower=spectrum.lower[kept],
        upper=spectrum.upper[kept],
        multiplicity=counts[kept],
        whisker_lower=spectrum.whisker_lower[kept],
        whisker_upper=spectrum.whisker_upper[kept],
    )
