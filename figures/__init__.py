"""One module per figure: what it computes, how it is drawn, and what it says."""

from types import ModuleType

from figures import dichotomy_spectrum, gate_map, saturation_depth, sector_decay

FIGURES: dict[str, ModuleType] = {
    "sector-decay": sector_decay,
    "saturation-depth": saturation_depth,
    "dichotomy-spectrum": dichotomy_spectrum,
    "gate-map": gate_map,
}
"""The figures of Explore, in reading order, by slug."""
