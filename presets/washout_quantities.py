"""What is proved about the washing out of differences, and what compressing too early costs."""

from typing import NamedTuple

import numpy as np

from engine import duality, effective_tokens, saturation, state_differences
from engine.disc_certificate import disc_certificate
from engine.duality import DualitySurface, surface_depths
from engine.kernel import Kind
from engine.norm_certificate import norm_certificate
from presets import build, quantities
from presets.pooling import pool
from presets.quantities import TOKENS
from presets.remember import remembered
from presets.schema import Scenario

PULLED = (*TOKENS, "compression")


class Duality(NamedTuple):
    """E(0,L)/|Φ₁(L,0)| and E(τ,L)/|Φ₁(L,0)|; the second is None when τ is not reached.

    Both are None under a leak, where a block has no flow of its own to switch to.
    """

    from_input: float | None
    from_saturation: float | None


@remembered(*TOKENS)
def norm_bound(scenario: Scenario) -> np.ndarray:
    """Return the natural logs of the norm certificate at depths 0…L: above the token-sup norm."""
    stack = quantities.layers(scenario).to_depth(scenario.depth)
    return norm_certificate(
        stack.mixing, stack.value, build.block_tokens(scenario), *quantities.token_kernel(scenario)
    )


@remembered(*TOKENS)
def disc_bound(scenario: Scenario) -> np.ndarray:
    """Return the natural logs of the disc certificate at depths 0…L: above the ℓ² norm."""
    stack = quantities.layers(scenario).to_depth(scenario.depth)
    return disc_certificate(
        stack.mixing, stack.value, build.block_tokens(scenario), *quantities.token_kernel(scenario)
    )


@remembered(*TOKENS, "seed")
def given_input(scenario: Scenario) -> np.ndarray:
    """Return the natural logs of what is left of the differences of one random input, depths 0…L."""
    random = np.random.Generator(np.random.PCG64(scenario.seed))
    states = random.standard_normal((build.block_tokens(scenario), scenario.family.width))
    stack = quantities.layers(scenario).to_depth(scenario.depth)
    return state_differences.state_differences(
        states, stack.mixing, stack.value, *quantities.token_kernel(scenario)
    )


def settled(scenario: Scenario, log_curve: np.ndarray) -> saturation.Depth:
    """Return the depth from which a curve, measured or certified, stays below the scenario's tolerance."""
    return saturation.saturation_depth(log_curve, scenario.tolerance)


def weights(scenario: Scenario) -> np.ndarray:
    """Return Π as weights over the tokens of the longest block, (P,)."""
    return pool(scenario.compression)(build.block_tokens(scenario))


@remembered(*PULLED, megabytes=32)
def switch_errors(scenario: Scenario) -> DualitySurface | None:
    """Return E(s,ℓ) over a grid of depths; None under a leak."""
    if build.leak(scenario) > 0:
        return None
    tokens, width = build.block_tokens(scenario), scenario.family.width
    return _surface(scenario, surface_depths(scenario.depth, tokens, width))


@remembered(*PULLED, "tolerance")
def late_switch(scenario: Scenario) -> Duality:
    """Return the relative errors at the last layer of compressing at the input, and at τ."""
    if build.leak(scenario) > 0:
        return Duality(None, None)
    depth = settled(scenario, quantities.fluctuation_norms(scenario).log_absolute).depth
    chosen = np.unique([0, scenario.depth] if depth is None else [0, depth, scenario.depth])
    found = _surface(scenario, chosen)
    last = found.depth == scenario.depth
    relative = dict(zip(found.switch[last].tolist(), np.exp(found.log_relative[last]).tolist(), strict=True))
    return Duality(relative[0], None if depth is None else relative[depth])


@remembered(*PULLED)
def effective(scenario: Scenario) -> np.ndarray:
    """Return N_eff(ℓ): how many tokens of a block its pooled state still stands for, (L+1,)."""
    return _effective(scenario, build.block_kernel(scenario))


@remembered(*PULLED)
def effective_bidirectional(scenario: Scenario) -> np.ndarray:
    """Return the same where every token reads its whole block, (L+1,)."""
    return _effective(scenario, "bidirectional")


def _effective(scenario: Scenario, kernel: Kind) -> np.ndarray:
    stack = quantities.layers(scenario).to_depth(scenario.depth)
    return effective_tokens.effective_tokens(stack.mixing, stack.value, weights(scenario), kernel)


def _surface(scenario: Scenario, depths: np.ndarray) -> DualitySurface:
    stack = quantities.layers(scenario).to_depth(scenario.depth)
    return duality.duality_surface(
        stack.mixing, stack.value, weights(scenario), build.block_kernel(scenario), depths
    )
