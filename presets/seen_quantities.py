"""What the injection sees of a block while its tokens run through the linearised stack."""

from typing import NamedTuple

import numpy as np

from engine.bounded_solution import bounded_solution
from engine.injection_view import View, injection_view
from presets import quantities, token_run, trajectory_quantities
from presets.dichotomy_quantities import READ, dichotomy, splitting
from presets.quantities import TOKENS
from presets.remember import remembered
from presets.schema import Scenario
from presets.visibility_quantities import LARGEST_STACK, State, gated_stack, split_state

RUN = (*READ, *TOKENS, "blocks", "compression", "gate", "seed")
"""Settings a run of tokens with the gate depends on; every block reads itself."""

NOISE = 16 * float(np.finfo(np.float64).eps)
"""Round-off of a summary's fast part, as a share of d times the whole summary."""


class Seen(NamedTuple):
    """What the injection sees of the worst block, at the depths 0 … L of the run.

    **Fields:**

    - `state`: the arrays are empty unless it is ok.
    - `fast`: |P₋ζ(ℓ)|, state units.
    - `difference`: |ψ(ζ) − ψ(P₊ζ)|.
    - `bound`: of `fast`.
    - `noise`: round-off of `fast`.
    - `floor`: largest |P₋u*| over the depths; None where no u* was found.
    - `floor_bound`: C |ϱ| sup|ψ| / m₋; inf when ψ is unbounded.
    """

    state: State
    fast: np.ndarray
    difference: np.ndarray
    bound: np.ndarray
    noise: np.ndarray
    floor: float | None
    floor_bound: float


def seen(scenario: Scenario) -> Seen:
    """Return what the injection sees of random tokens with the gate open at ϱ."""
    state = "leaky" if scenario.kernel.kind == "leaky" else split_state(scenario)
    if state not in ("ok", "nothing-persists"):
        nothing = np.empty(0)
        return Seen(state, nothing, nothing, nothing, nothing, None, 0.0)
    return _seen(scenario)


def seen_shut(scenario: Scenario) -> Seen:
    """Return the same with the gate shut; it does not depend on ϱ."""
    gate = scenario.gate.model_copy(update={"amplitude": 0.0})
    return seen(scenario.model_copy(update={"gate": gate}))


@remembered(*RUN)
def _seen(scenario: Scenario) -> Seen:
    view = _view(scenario)
    plus = _open_projectors(scenario)[: view.reached + 1]
    minus = np.linalg.norm(np.eye(plus.shape[1]) - plus, 2, axis=(1, 2))
    size = np.linalg.norm(view.summaries, axis=2).max(axis=1)
    return Seen(
        state="ok",
        fast=view.decaying.max(axis=1),
        difference=view.difference.max(axis=1),
        bound=view.bound.max(axis=1),
        noise=NOISE * plus.shape[1] * minus * size,
        floor=_floor(scenario),
        floor_bound=view.floor_bound,
    )


def _view(scenario: Scenario) -> View:
    depth, kernel = _run_layers(scenario), scenario.kernel.kind
    assert kernel != "leaky"
    stack, rates = quantities.layers(scenario).to_depth(depth), dichotomy(scenario)
    with np.errstate(over="ignore"):
        fluctuation = np.exp(quantities.fluctuation_norms(scenario).log_absolute[: depth + 1])
    return injection_view(
        stack.mixing,
        stack.value,
        _open_projectors(scenario),
        token_run.random_tokens(scenario),
        token_run.token_gate(scenario),
        block_length=scenario.block_length,
        kind=kernel,
        constant=rates.constant_decay,
        decay_rate=rates.decay_rate or 0.0,
        fluctuation=fluctuation,
    )


def _run_layers(scenario: Scenario) -> int:
    return min(scenario.depth, LARGEST_STACK // scenario.family.width**2)


def _open_projectors(scenario: Scenario) -> np.ndarray:
    """P₊ of the open loop at the depths 0 … L of the run."""
    found, depths = splitting(scenario), np.arange(_run_layers(scenario) + 1)
    assert found is not None
    return found.persistent[depths % (len(found.persistent) - 1) if found.periodic else depths]


def _floor(scenario: Scenario) -> float | None:
    """Largest |P₋u*| over the depths."""
    stack = gated_stack(scenario, trajectory_quantities.injection(scenario))
    states = bounded_solution(stack)
    if states is None:
        return None
    decaying = stack.splitting.decaying @ states[:, :, None]
    return float(np.linalg.norm(decaying[:, :, 0], axis=1).max())
