"""What a stack seems to do when its layers are read one at a time, on average, or off their diagonal."""

from typing import NamedTuple

import numpy as np

from engine import dichotomy
from engine.dichotomy import SAME_MODULUS, Spectrum
from presets import build, quantities
from presets.quantities import STACK
from presets.remember import remembered
from presets.schema import Scenario


class Naive(NamedTuple):
    """Numbers that ignore how layers follow each other; the dichotomy spectrum is what they miss.

    **Fields:**

    - `radii`: smallest and largest spectral radius of a single layer, per layer.
    - `moduli`: smallest and largest eigenvalue modulus in any single layer, per layer.
    - `layer_rank`: eigenvalues beyond modulus 1, when every single layer has equally many; else None.
    - `exponents`: Lyapunov exponents as growth factors per layer, largest first, (d,): averages over all
      layers there are, whatever the spectrum's window.
    - `exponent_rank`: how many of them exceed 1; None when one equals 1.
    - `diagonal`: spectrum of the layers with all coupling taken out; None unless they are triangular (all
      upper or all lower) and coupled.
    """

    radii: tuple[float, float]
    moduli: tuple[float, float]
    layer_rank: int | None
    exponents: np.ndarray
    exponent_rank: int | None
    diagonal: Spectrum | None


@remembered(*STACK, "window")
def naive(scenario: Scenario) -> Naive:
    """Return the naive numbers of the open loop."""
    moduli, exponents = quantities.radii(scenario), quantities.finite_time_growth(scenario)
    ranks = {_rank(layer) for layer in moduli}
    return Naive(
        radii=(float(moduli[:, 0].min()), float(moduli[:, 0].max())),
        moduli=(float(moduli.min()), float(moduli.max())),
        layer_rank=ranks.pop() if len(ranks) == 1 else None,
        exponents=exponents,
        exponent_rank=_rank(exponents),
        diagonal=_diagonal(scenario),
    )


def misleads(found: Naive, spectrum: Spectrum) -> bool:
    """Say whether a naive reading gives a count of growing directions, and another one than the spectrum."""
    if spectrum.verdict == "undecided":
        return False
    counts = {found.layer_rank, found.exponent_rank} - {None}
    if found.diagonal is not None and found.diagonal.persistent_rank != spectrum.persistent_rank:
        return True
    return bool(counts - {spectrum.persistent_rank})


def sentence(found: Naive, spectrum: Spectrum) -> str:
    """Set the naive readings beside the spectrum, in words.

    **Arguments:**

    - `found`: the naive numbers.
    - `spectrum`: the dichotomy spectrum of the same stack.

    **Returns:** one sentence of three or four clauses, the spectrum's last.
    """
    width = len(found.exponents)
    alone = "no common count" if found.layer_rank is None else _count(found.layer_rank, width)
    average = "no clear count" if found.exponent_rank is None else _count(found.exponent_rank, width)
    clauses = [
        f"One layer at a time: {alone} (radius {_range(*found.radii)})",
        f"averaged over the stack: {average} ({_range(found.exponents[-1], found.exponents[0])})",
    ]
    if found.diagonal is not None:
        clauses.append(f"off the diagonal: {_verdict(found.diagonal)}")
    at = "exactly" if spectrum.resolution is None else f"at H = {spectrum.resolution}"
    return "; ".join([*clauses, f"multiplied together, {at}: {_verdict(spectrum)}"]) + "."


def _rank(growths: np.ndarray) -> int | None:
    """Count the growth factors beyond 1; None when one is 1."""
    if (np.abs(growths - 1) <= SAME_MODULUS).any():
        return None
    return int((growths > 1).sum())


def _diagonal(scenario: Scenario) -> Spectrum | None:
    """Read the spectrum off the diagonals."""
    stack = quantities.layers(scenario)
    below, above = np.tril(stack.factors, -1).any(), np.triu(stack.factors, 1).any()
    if below == above:
        return None
    bare = stack.factors * np.eye(stack.factors.shape[-1])
    if stack.recurrence == "window":
        return dichotomy.window_spectrum(bare, build.resolution(scenario))
    return dichotomy.exact_spectrum(bare)


def _verdict(spectrum: Spectrum) -> str:
    if spectrum.persistent_rank is not None:
        count = _count(spectrum.persistent_rank, int(spectrum.multiplicity.sum()))
        return f"{count} ({_range(spectrum.lower[-1], spectrum.upper[0])})"
    if spectrum.verdict == "undecided":
        return "undecided"
    one = np.argmin(np.maximum(spectrum.lower - 1, 1 - spectrum.upper))
    return f"no split, as 1 lies in {_range(spectrum.lower[one], spectrum.upper[one], 'the spectrum')}"


def _count(rank: int, width: int) -> str:
    if rank in (0, width):
        return "everything grows" if rank else "everything decays"
    return f"{rank} of {width} directions grow{'s' if rank == 1 else ''}"


def _range(lower: float, upper: float, point: str = "") -> str:
    """Write a range, or its one number; `point` in place of that number when given."""
    low, high = f"{lower:.3f}", f"{upper:.3f}"
    return f"{low}–{high}" if low != high else point or low
