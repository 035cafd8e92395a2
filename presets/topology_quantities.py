"""What the wiring of the blocks does to the gate: limits of loop, ring and chain, and a chain's answer."""

from typing import Literal, NamedTuple

from engine.cascade_response import CascadeResponse, cascade_response
from presets import loop_quantities, quantities
from presets.gate_limit import GateLimit
from presets.remember import remembered
from presets.rules import LARGEST_WINDOW
from presets.schema import Scenario

Kind = Literal["self", "ring", "cascade", "string"]

SMALL_RING = 2

MOST_BLOCKS = 32
LARGEST_RESPONSE = 2**26
"""Largest depth · blocks · d³ spent on the answer of a chain."""

CHAIN = (*quantities.STACK, "gate.injection", "gate.refresh_period", "seed")


class Wiring(NamedTuple):
    """The limit of one wiring.

    **Fields:**

    - `kind`: self-loop, ring, causal cascade of finitely many blocks, or of ever more of them.
    - `blocks`: blocks of a ring; None for the others.
    - `limit`: of both signs; of `string`, ±r*, the gain that does not die out. None where it is not known.
    """

    kind: Kind
    blocks: int | None
    limit: GateLimit | None


def topology_limits(scenario: Scenario) -> tuple[Wiring, ...]:
    """Return the limits of all wirings. Does not depend on ϱ, nor on the wiring chosen."""
    rings = sorted({SMALL_RING, max(scenario.blocks, SMALL_RING)})
    found = [Wiring("self", None, _limit(scenario, "self", 1))]
    found += [Wiring("ring", blocks, _limit(scenario, "ring", blocks)) for blocks in rings]
    chain = _limit(scenario, "cascade", 1)
    return (*found, Wiring("cascade", None, chain), Wiring("string", None, _string(chain)))


def _limit(scenario: Scenario, topology: Literal["self", "ring", "cascade"], blocks: int) -> GateLimit | None:
    """Return the limit of one wiring; None where a ring would take too long."""
    windowed = quantities.layers(scenario).recurrence == "window"
    if windowed and topology == "ring" and _work(scenario, blocks) > LARGEST_WINDOW:
        return None
    gate = scenario.gate.model_copy(update={"topology": topology})
    return loop_quantities.boundary(scenario.model_copy(update={"gate": gate, "blocks": blocks}))


def _work(scenario: Scenario, blocks: int) -> int:
    return 4 * blocks * scenario.depth * scenario.family.width**3


def _string(chain: GateLimit | None) -> GateLimit | None:
    """Turn the string limit into a limit of both signs."""
    if chain is None or chain.string_limit is None:
        return None
    edge = chain.string_limit
    return chain._replace(negative=-edge, positive=edge, crossings=(-edge, edge))


def shown_blocks(scenario: Scenario) -> int:
    """Count the blocks of the chain whose answers are computed; fewer for deep and wide stacks."""
    affordable = LARGEST_RESPONSE // (scenario.depth * scenario.family.width**3)
    return max(min(max(MOST_BLOCKS, scenario.blocks), affordable), 1)


def chain_response(scenario: Scenario) -> CascadeResponse | None:
    """Return how every block of a cascade answers a unit kick in block 1; None where Dψ is not known."""
    if not loop_quantities.is_frozen(scenario):
        return None
    return _response(scenario, shown_blocks(scenario))


@remembered(*CHAIN, megabytes=16)
def _response(scenario: Scenario, blocks: int) -> CascadeResponse:
    factors = quantities.layers(scenario).to_depth(scenario.depth).factors
    period = scenario.gate.refresh_period or scenario.depth
    return cascade_response(factors, loop_quantities.injection(scenario), blocks, period)


def string_limit(scenario: Scenario) -> float | None:
    """Return r*, the amplitude beyond which a long chain amplifies; None unless nothing persists."""
    chain = _limit(scenario, "cascade", 1)
    return None if chain is None else chain.string_limit
