"""What the slow path can see: how u* answers small changes of the stack, class by class."""

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from engine.bounded_solution import GatedStack
from engine.injection import Injection
from engine.partition_table import Row, partition_table
from engine.perturbation import Change, Directions, drawn_directions
from engine.splitting import Splitting
from engine.visibility import ROUNDOFF, Response, base, response
from presets import build, loop_quantities, quantities, trajectory_quantities
from presets.dichotomy_quantities import READ, splitting
from presets.remember import remembered
from presets.schema import Scenario

SOLUTION = (*READ, "gate.injection", "gate.amplitude", "seed")
"""Settings u* depends on; it is that of a self-loop refreshed before every layer."""

SIZES = (1e-4, 1e-3, 1e-2)
"""Sizes η of the changes."""

TABLE_SIZES = SIZES[1:]

LENT_BIAS = 0.2
"""b of b·(1,…,1)/√d, lent where ψ(0) = 0: there u* = 0, and nothing would move it."""

LARGEST_STACK = 2**14
"""Largest layers · d² that u* is solved for; of a deeper window only the first layers are taken."""

FEWEST_LAYERS = 16

State = Literal["ok", "no-split", "nothing-persists", "nothing-decays", "too-wide", "shut", "lost", "leaky"]
"""Why there is nothing to show: no certified gap, one side of it empty, a stack that would take too long,
ϱ = 0, no bounded u* with the open loop's rank, or a kernel that mixes the blocks."""


class Answers(NamedTuple):
    """How u* answers the classes of changes, judged by the closed loop's projectors.

    **Fields:**

    - `state`: there are no responses unless it is ok.
    - `responses`: by class.
    - `noise`: responses up to this size are round-off, state units.
    - `layers`: studied; one period of a stack that repeats.
    - `lent`: whether the bias is lent.
    """

    state: State
    responses: dict[Change, Response]
    noise: float
    layers: int
    lent: bool


class Table(NamedTuple):
    """Which injections keep fast changes invisible, row by row; no rows unless `state` is ok."""

    state: State
    rows: tuple[Row, ...]
    layers: int
    lent: bool


@remembered(*SOLUTION)
def answers(scenario: Scenario) -> Answers:
    """Return how u* answers each class of changes."""
    state, layers, lent = _state(scenario), studied_layers(scenario), lends_bias(scenario)
    unchanged = base(_gated(scenario), "closed") if state == "ok" and _keeps_rank(scenario) else None
    if unchanged is None:
        return Answers("lost" if state == "ok" else state, {}, 0.0, layers, lent)
    directions = _directions(scenario)
    found: dict[Change, Response] = {
        change: response(unchanged, change, directions, SIZES) for change in get_args(Change)
    }
    return Answers("ok", found, ROUNDOFF * float(np.abs(unchanged.states).max()), layers, lent)


@remembered(*SOLUTION)
def table(scenario: Scenario) -> Table:
    """Return the responses to fast and slow changes for every kind of injection."""
    state, layers, lent = _state(scenario), studied_layers(scenario), lends_bias(scenario)
    if state != "ok":
        return Table(state, (), layers, lent)
    stack, injection = _gated(scenario), _injection(scenario)
    rows = partition_table(
        stack.factors,
        stack.splitting,
        stack.amplitude,
        injection.matrix,
        injection.bias,
        _directions(scenario),
        sizes=TABLE_SIZES,
    )
    return Table("ok", tuple(rows), layers, lent)


@remembered(*READ)
def split_state(scenario: Scenario) -> State:
    """Say whether the open loop has persistent and decaying directions that can be told apart."""
    found = splitting(scenario)
    if found is None or found.status != "ok":
        return "no-split"
    if studied_layers(scenario) < min(len(quantities.layers(scenario).factors), FEWEST_LAYERS):
        return "too-wide"
    if found.rank == 0:
        return "nothing-persists"
    return "nothing-decays" if found.rank == scenario.family.width else "ok"


def studied_layers(scenario: Scenario) -> int:
    """Count the layers u* is solved for: one period, or as much of a window as there is time for."""
    return min(len(quantities.layers(scenario).factors), LARGEST_STACK // scenario.family.width**2)


def lends_bias(scenario: Scenario) -> bool:
    """Say whether ψ(0) = 0, so that a bias is lent for u* to be worth changing."""
    return not np.any(build.bias_vector(scenario.gate.injection, scenario.family.width))


def gated_stack(scenario: Scenario, injection: Injection) -> GatedStack:
    """Gate the layers studied; a summary of two tokens leaves weight to move between them."""
    found, layers = splitting(scenario), studied_layers(scenario)
    assert found is not None
    factors = quantities.layers(scenario).factors
    return GatedStack(
        factors=factors[:layers],
        splitting=found if layers == len(factors) else _first(found, layers),
        injection=injection,
        amplitude=scenario.gate.amplitude,
        compression=np.full(2, 0.5),
    )


def _state(scenario: Scenario) -> State:
    state = split_state(scenario)
    return "shut" if state == "ok" and scenario.gate.amplitude == 0 else state


def _keeps_rank(scenario: Scenario) -> bool:
    """Say whether the closed loop is not known to have gained or lost a growing direction."""
    closed = loop_quantities.closed_spectrum(scenario)
    rank = quantities.spectrum(scenario).persistent_rank
    return closed is None or closed.verdict == "undecided" or closed.persistent_rank == rank


def _gated(scenario: Scenario) -> GatedStack:
    return gated_stack(scenario, _injection(scenario))


def _injection(scenario: Scenario) -> Injection:
    own, width = trajectory_quantities.injection(scenario), scenario.family.width
    lent = np.full(width, LENT_BIAS / math.sqrt(width))
    return own._replace(bias=lent) if lends_bias(scenario) else own


def _directions(scenario: Scenario) -> Directions:
    return drawn_directions(studied_layers(scenario), scenario.family.width, 2, scenario.seed)


def _first(found: Splitting, layers: int) -> Splitting:
    """Cut the splitting of a window to its first layers."""
    names = ("unstable", "stable", "read_unstable", "read_stable")
    depths = {name: getattr(found, name)[: layers + 1] for name in names}
    return found._replace(periodic=False, grow=found.grow[:layers], decay=found.decay[:layers], **depths)
