"""The trap presets by the names the theory gives them, with settings changed the way a link does."""

import numpy as np

from presets import quantities
from presets.link import read
from presets.schema import Scenario

TRAPS = {
    "P1": "quiet-layers-growing-product",
    "P2": "loud-layers-decaying-product",
    "P3": "decaying-average-no-split",
    "P4": "growing-average-no-split",
    "P5": "window-too-long",
    "P6": "split-on-every-window",
    "P7": "diagonal-hides-the-split",
    "P8": "window-too-short",
    "P9": "decay-after-a-hump",
}

SETTLED = 16
"""Layers after which a carried direction has forgotten where it started."""


def trap(name: str, **changes: str) -> Scenario:
    """Return a trap with some settings changed; `family_value` stands for the path `family.value`."""
    settings = {
        path.replace("family_", "family.").replace("gate_", "gate."): changes[path] for path in changes
    }
    found = read({"preset": TRAPS[name], **settings})
    assert found.refused == []
    return found.scenario


def layers_of(scenario: Scenario) -> np.ndarray:
    """Return every layer map, (L, d, d)."""
    return quantities.layers(scenario).to_depth(scenario.depth).factors


def coupled(entry: float) -> str:
    """Write the matrices V of P7 with another coupling between the coordinates."""
    layers = layers_of(trap("P7")).tolist()
    layers[32][0][1] = entry
    return str(layers)


def projector_norms(layers: np.ndarray) -> np.ndarray:
    """Return ‖P₊‖ behind 0…L layers of a 2×2 stack at rank 1.

    The growing direction is carried forward, its dual back by the transposes.
    """
    ahead, dual = np.empty((2, len(layers) + 1, 2))
    ahead[0] = dual[-1] = [0.6, 0.8]
    for layer, factor in enumerate(layers):
        ahead[layer + 1] = factor @ ahead[layer]
        ahead[layer + 1] /= np.linalg.norm(ahead[layer + 1])
    for layer, factor in reversed(list(enumerate(layers))):
        dual[layer] = factor.T @ dual[layer + 1]
        dual[layer] /= np.linalg.norm(dual[layer])
    return 1 / np.abs((ahead * dual).sum(axis=1))


def worst_projector(scenario: Scenario) -> float:
    """Return the largest ‖P₊‖ away from both ends."""
    return float(projector_norms(layers_of(scenario))[SETTLED:-SETTLED].max())
