"""What the block length does to the washing out of differences: the depth it takes, and the bound's κ_α."""

from typing import NamedTuple

import numpy as np

from engine import conditioning, saturation
from presets import build, quantities
from presets.quantities import TOKENS
from presets.remember import remembered
from presets.schema import Scenario

LENGTHS = (1, 2, 4, 8, 16, 32, 64)
"""Block lengths P that are compared, besides the scenario's own."""

KERNEL = ("block_length", "blocks", "tokens", "kernel")

LARGEST = 2**28
"""Largest L² · P · d³ of a block length that is compared live."""


class Depths(NamedTuple):
    """Saturation depths over the block length, one entry per length.

    **Fields:**

    - `lengths`: P, ascending.
    - `measured`, `relative`: where token differences settle below the tolerance.
    - `bound`: the paper's bound with κ_α as it is; None where there is none.
    - `scaled`: the same with the κ_α of the best diagonal scaling.
    """

    lengths: tuple[int, ...]
    measured: tuple[saturation.Depth, ...]
    relative: tuple[saturation.Depth, ...]
    bound: tuple[int | None, ...]
    scaled: tuple[int | None, ...]


class Conditions(NamedTuple):
    """Natural logs of the condition number κ_α over the block length, (n,) each.

    **Fields:**

    - `lengths`: P, ascending.
    - `raw`: eigenvectors as they come.
    - `normalised`: eigenvectors of length 1.
    - `best`: the best diagonal scaling.
    - `floor`: what no scaling can undercut.
    """

    lengths: np.ndarray
    raw: np.ndarray
    normalised: np.ndarray
    best: np.ndarray
    floor: np.ndarray


@remembered(*TOKENS, "window", "tolerance")
def depths(scenario: Scenario) -> Depths:
    """Return measured depth and bound for the same layers cut into blocks of other lengths."""
    width, depth = scenario.family.width, scenario.depth
    affordable = [length for length in LENGTHS if depth**2 * length * width**3 <= LARGEST]
    lengths = _with_own(scenario, affordable)
    found = [quantities.saturation_depth(_of_length(scenario, length)) for length in lengths]
    return Depths(
        lengths,
        tuple(entry.absolute for entry in found),
        tuple(entry.relative for entry in found),
        tuple(entry.paper_bound for entry in found),
        tuple(_scaled_bound(_of_length(scenario, length)) for length in lengths),
    )


@remembered(*KERNEL)
def conditions(scenario: Scenario) -> Conditions | None:
    """Return κ_α under every scaling; None under a leak, where no sectors are claimed."""
    if build.leak(scenario) > 0:
        return None
    kernel, lengths = build.block_kernel(scenario), _with_own(scenario, list(LENGTHS))
    scaled = [conditioning.scaled_log_kappa(length, kernel) for length in lengths]
    return Conditions(
        lengths=np.array(lengths),
        raw=np.array([conditioning.log_kappa(length, kernel) for length in lengths]),
        normalised=np.array([entry.column_normalised for entry in scaled]),
        best=np.array([entry.best for entry in scaled]),
        floor=np.array([entry.floor for entry in scaled]),
    )


def _with_own(scenario: Scenario, lengths: list[int]) -> tuple[int, ...]:
    return tuple(sorted({*lengths, build.block_tokens(scenario)}))


def _of_length(scenario: Scenario, length: int) -> Scenario:
    """Cut the sequence into as many full blocks of another length."""
    return scenario.model_copy(update={"block_length": length, "tokens": None})


def _scaled_bound(scenario: Scenario) -> int | None:
    transverse = quantities.fluctuation_rate(scenario)
    if transverse.log_kappa is None:
        return None
    tokens, kernel = build.block_tokens(scenario), build.block_kernel(scenario)
    log_kappa = conditioning.scaled_log_kappa(tokens, kernel).best
    return saturation.paper_bound(log_kappa, transverse.constant, transverse.rate, scenario.tolerance)
