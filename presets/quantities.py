"""The open-loop quantities of a scenario, each remembered by the part of it they depend on."""

import math
from typing import Literal, NamedTuple

import numpy as np

from engine import conditioning, dichotomy, fluctuation, growth, saturation, sectors
from presets import build
from presets.remember import remembered
from presets.schema import Scenario

STACK = ("family", "depth")
TOKENS = (*STACK, "block_length", "blocks", "tokens", "kernel")


class SectorNorms(NamedTuple):
    """ln‖Φ_j(ℓ,0)‖ for the sectors j = 1…P and ∞: `sectors` (m,), `log_norms` (m, L+1)."""

    sectors: np.ndarray
    log_norms: np.ndarray


class Fluctuation(NamedTuple):
    """The transverse decay of a scenario: rate r_f per layer, constant C_f, and the natural log of κ_α.

    Under a leak there is no sector decomposition: κ_α is None, and rate and constant are the larger ones of
    the first block and of the later blocks, each by itself.
    """

    rate: float
    constant: float
    log_kappa: float | None


class Saturation(NamedTuple):
    """When token differences have washed out, in layers, measured and as the paper bounds it."""

    tolerance: float
    absolute: saturation.Depth
    relative: saturation.Depth
    peak: float
    paper_bound: int | None


@remembered(*STACK, megabytes=256)
def layers(scenario: Scenario) -> build.Stack:
    """Return M(ℓ) and V(ℓ)."""
    return build.stack(scenario)


@remembered(*STACK, megabytes=16)
def radii(scenario: Scenario) -> np.ndarray:
    """Return the eigenvalue moduli of every single layer map, (n, d), largest first: the naive numbers."""
    return dichotomy.layer_moduli(layers(scenario).factors)


@remembered(*STACK, "window")
def spectrum(scenario: Scenario) -> dichotomy.Spectrum:
    """Return the dichotomy spectrum of the open loop."""
    stack = layers(scenario)
    if stack.recurrence == "window":
        return dichotomy.window_spectrum(stack.factors, build.resolution(scenario))
    return dichotomy.exact_spectrum(stack.factors)


@remembered(*STACK)
def finite_time_growth(scenario: Scenario) -> np.ndarray:
    """Return σ_i(Φ(L,0))^(1/L), largest first, (d,)."""
    return growth.finite_time_growth(layers(scenario).to_depth(scenario.depth).factors)


@remembered(*TOKENS, megabytes=32)
def sector_norms(scenario: Scenario) -> SectorNorms:
    """Return the growth of the shared sector and of every transverse one."""
    stack = layers(scenario).to_depth(scenario.depth)
    numbers = np.append(np.arange(1.0, _sectors(scenario) + 1), math.inf)
    return SectorNorms(numbers, sectors.sector_norms(stack.mixing, stack.value, numbers))


@remembered(*TOKENS, megabytes=32)
def fluctuation_norms(scenario: Scenario) -> fluctuation.Fluctuation:
    """Return the natural logs of |F_perp(ℓ)|, absolute and relative, (L+1,)."""
    stack = layers(scenario).to_depth(scenario.depth)
    return fluctuation.fluctuation_norms(
        stack.mixing, stack.value, build.block_tokens(scenario), *token_kernel(scenario)
    )


@remembered(*TOKENS)
def fluctuation_l2_norms(scenario: Scenario) -> np.ndarray:
    """Return the natural logs of the ℓ² operator norm of F_perp(ℓ), (L+1,)."""
    stack = layers(scenario).to_depth(scenario.depth)
    return fluctuation.fluctuation_l2_norms(
        stack.mixing, stack.value, build.block_tokens(scenario), *token_kernel(scenario)
    )


@remembered(*STACK)
def generator_bound(scenario: Scenario) -> float:
    """Return sup ‖A(ℓ)‖₂ per layer (A1)."""
    stack = layers(scenario)
    return float(np.linalg.norm(stack.mixing + stack.value, 2, axis=(1, 2)).max())


@remembered(*TOKENS, "window")
def fluctuation_rate(scenario: Scenario) -> Fluctuation:
    """Return r_f, C_f and ln κ_α."""
    stack, tokens, kernel = layers(scenario), build.block_tokens(scenario), build.block_kernel(scenario)
    leak, repeated = build.leak(scenario), stack.recurrence
    values = [stack.value] if leak == 0 else [stack.value, (1 - leak) * stack.value]
    window, depth = build.resolution(scenario), scenario.depth
    rate = max(
        sectors.fluctuation_rate(stack.mixing, value, tokens, kernel, period_class=repeated, window=window)
        for value in values
    )
    constant = max(
        sectors.fluctuation_constant(
            stack.mixing, value, tokens, kernel, rate, period_class=repeated, depth=depth
        )
        for value in values
    )
    return Fluctuation(rate, constant, conditioning.log_kappa(tokens, kernel) if leak == 0 else None)


@remembered(*TOKENS, "window", "tolerance")
def saturation_depth(scenario: Scenario) -> Saturation:
    """Return the saturation depth at the scenario's tolerance."""
    norms, transverse = fluctuation_norms(scenario), fluctuation_rate(scenario)
    tolerance = scenario.tolerance
    peak = float(norms.log_absolute.max())
    return Saturation(
        tolerance=tolerance,
        absolute=saturation.saturation_depth(norms.log_absolute, tolerance),
        relative=saturation.saturation_depth(norms.log_relative, tolerance),
        peak=math.exp(peak) if peak < math.log(np.finfo(np.float64).max) else math.inf,
        paper_bound=None
        if transverse.log_kappa is None
        else saturation.paper_bound(transverse.log_kappa, transverse.constant, transverse.rate, tolerance),
    )


def l2_depth(scenario: Scenario) -> saturation.Depth:
    """Return the saturation depth of the ℓ² operator norm."""
    return saturation.saturation_depth(fluctuation_l2_norms(scenario), scenario.tolerance)


def gap_product(scenario: Scenario) -> float:
    """Return r_f times the largest growth of the shared sector; A5 holds when it is below 1."""
    return fluctuation_rate(scenario).rate * float(spectrum(scenario).upper[0])


def _sectors(scenario: Scenario) -> int:
    """Count the sectors that tokens of the first block occupy: P, or 1 beside ∞ when bidirectional."""
    return build.block_tokens(scenario) if build.block_kernel(scenario) == "causal" else 1


def token_kernel(scenario: Scenario) -> tuple[Literal["causal", "bidirectional", "leaky"], float]:
    """Return the kernel as the token flow wants it, and its leak."""
    leak = build.leak(scenario)
    return ("leaky", leak) if leak > 0 else (build.block_kernel(scenario), 0.0)
