"""How far a real stack is from its linearisation, how its stream grows, and what it has of Euler's method."""

from typing import NamedTuple

import numpy as np

from engine.euler import FLOW_ERROR, EulerStudy, euler_study, interpolated
from engine.injection import Injection
from engine.linear_error import gate_error, linear_error
from engine.order_fit import FittedOrder, fitted_order
from engine.preln_beside import ROUNDOFF, run_beside
from engine.query_key import ROUNDOFF as KEY_ROUNDOFF
from engine.query_key import query_key_response
from engine.stream_growth import StreamGrowth, stream_growth
from presets import quantities
from presets.quantities import STACK
from presets.real_block import real_stack, studied
from presets.remember import remembered
from presets.schema import Scenario
from presets.token_run import token_gate

SHUT_RUN = (*STACK, "block_length", "blocks", "tokens", "seed")
"""Settings a run of the real blocks depends on while the gate is shut."""

OPEN_RUN = (*SHUT_RUN, "compression", "gate.injection", "gate.refresh_period")

AMPLITUDES = np.array([1e-4, 1e-3, 1e-2, 1e-1, 1.0])
"""Amplitudes a of the inhomogeneity, as shares of |x|, and values of |ϱ|."""

SMALL = 3
"""How many of these are small enough for an order to be read from them."""

REFINEMENTS = (1, 2, 4, 8, 16, 32, 64)
"""Euler steps per layer."""

EULER_LAYERS = 8
LARGEST_LOG = 700.0
"""Largest natural logarithm whose exponential is a number."""

LARGEST_EULER = 2**12
"""Largest layers · d² of the refinement study; fewer layers are taken of wide stacks."""


class RealRun(NamedTuple):
    """The real stack beside its linearisation with the gate shut, and the growth of its stream.

    **Fields:**

    - `amplitudes`: a of every run.
    - `relative`: error over the largest distance from the common path, (L+1, runs); nan where round-off.
    - `order`: exponent of the error in a at the last layer, read from small a.
    - `growth`: of the stream in the run with a = 1.
    - `width`: d; normalised states stay within √d.
    """

    amplitudes: np.ndarray
    relative: np.ndarray
    order: FittedOrder
    growth: StreamGrowth
    width: int


class GateErrors(NamedTuple):
    """Error of the linearisation at the last layer against |ϱ|.

    **Fields:**

    - `amplitudes`: |ϱ| of every run.
    - `along_shut`: layers of the shut gate's path, equal tokens.
    - `along_open`: layers of the open gate's own path, tokens that differ by `inhomogeneity`.
    - `order`: exponent of `along_shut` in ϱ, read from small ϱ.
    - `inhomogeneity`: a.
    - `layers`: L.
    """

    amplitudes: np.ndarray
    along_shut: np.ndarray
    along_open: np.ndarray
    order: FittedOrder
    inhomogeneity: float
    layers: int


class QueryKey(NamedTuple):
    """Change of the output when all queries and keys are drawn anew, against the inhomogeneity.

    **Fields:**

    - `amplitudes`: a of every run.
    - `plain`, `rotary`: largest change of a token; `rotary` is None where heads have an odd width.
    - `plain_order`, `rotary_order`: their exponents in a, read from small a.
    - `layers`: L.
    """

    amplitudes: np.ndarray
    plain: np.ndarray
    plain_order: FittedOrder
    rotary: np.ndarray | None
    rotary_order: FittedOrder | None
    layers: int


class Refinement(NamedTuple):
    """Euler's method on the first layers of a stack.

    **Fields:**

    - `study`: errors and bounds against the step.
    - `order`: exponent of the error in h, read from the three finest steps.
    - `layers`: layers taken.
    - `size`: sup ‖A‖ over them.
    """

    study: EulerStudy
    order: FittedOrder
    layers: int
    size: float


def real_run(scenario: Scenario) -> RealRun:
    """Return the real stack beside its linearisation; that of the demonstration where there are no blocks."""
    return _real_run(studied(scenario))


def gate_errors(scenario: Scenario) -> GateErrors:
    """Return the error of the linearisation against |ϱ|, with the sign of the current ϱ."""
    scenario = studied(scenario)
    return _gate_errors(scenario, scenario.gate.amplitude < 0)


def query_key(scenario: Scenario) -> QueryKey:
    """Return how far new queries and keys move the output."""
    return _query_key(studied(scenario))


@remembered(*STACK)
def refinement(scenario: Scenario) -> Refinement:
    """Return Euler's method on the first layers of the linearised stack, joined by straight lines."""
    layers = min(scenario.depth, EULER_LAYERS, max(LARGEST_EULER // scenario.family.width**2, 1))
    stack = quantities.layers(scenario).to_depth(layers)
    generators = stack.mixing + stack.value
    study = euler_study(interpolated(generators, "linear"), float(layers), [layers * n for n in REFINEMENTS])
    finest = slice(-SMALL, None)
    errors = np.exp(np.minimum(study.log_errors[finest] - study.log_flow, LARGEST_LOG))
    order = fitted_order(study.step_sizes[finest], errors, FLOW_ERROR)
    return Refinement(study, order, layers, float(np.linalg.norm(generators, 2, axis=(1, 2)).max()))


@remembered(*SHUT_RUN, megabytes=16)
def _real_run(scenario: Scenario) -> RealRun:
    stack, length = real_stack(scenario), scenario.block_length
    states = stack.start + AMPLITUDES[:, None, None] * stack.differences
    found = run_beside(stack.blocks, stack.start, states, block_length=length, **stack.kind)
    return RealRun(
        amplitudes=AMPLITUDES,
        relative=found.relative,
        order=_order(found.relative[-1], ROUNDOFF),
        growth=stream_growth(stack.blocks, found.real[:, -1], **stack.kind),
        width=scenario.family.width,
    )


@remembered(*OPEN_RUN)
def _gate_errors(scenario: Scenario, negative: bool) -> GateErrors:
    stack, length = real_stack(scenario), scenario.block_length
    gate, inhomogeneity = token_gate(scenario), float(AMPLITUDES[1])
    if negative:
        gate = gate._replace(injection=_opposite(gate.injection))
    equal = np.repeat(stack.start[None], len(stack.differences), axis=0)
    shut = gate_error(
        stack.blocks, stack.start, equal, gate, block_length=length, gate_amplitudes=AMPLITUDES, **stack.kind
    )
    opened = linear_error(
        stack.blocks,
        stack.start,
        stack.differences,
        block_length=length,
        amplitudes=np.full(len(AMPLITUDES), inhomogeneity),
        gate=gate._replace(amplitude=AMPLITUDES),
        **stack.kind,
    )
    return GateErrors(
        amplitudes=AMPLITUDES,
        along_shut=shut.relative[-1],
        along_open=opened.relative[-1],
        order=_order(shut.relative[-1], ROUNDOFF),
        inhomogeneity=inhomogeneity,
        layers=len(stack.blocks),
    )


@remembered(*SHUT_RUN)
def _query_key(scenario: Scenario) -> QueryKey:
    stack = real_stack(scenario)
    turns = np.shape(stack.blocks[0].query_weights)[1] % 2 == 0
    plain, turned = (
        query_key_response(
            stack.blocks,
            stack.start,
            stack.differences,
            block_length=scenario.block_length,
            amplitudes=AMPLITUDES,
            seed=scenario.seed,
            rotary=rotary,
            **stack.kind,
        )
        if turns or not rotary
        else None
        for rotary in (False, True)
    )
    assert plain is not None
    floor = KEY_ROUNDOFF * float(np.linalg.norm(stack.start))
    return QueryKey(
        amplitudes=AMPLITUDES,
        plain=plain.change,
        plain_order=_order(plain.change, floor),
        rotary=None if turned is None else turned.change,
        rotary_order=None if turned is None else _order(turned.change, floor),
        layers=len(stack.blocks),
    )


def _opposite(injection: Injection) -> Injection:
    """Return −ψ, which makes |ϱ| a negative gate; the tangent is odd, so it does for both kinds."""
    return injection._replace(matrix=-injection.matrix, bias=-injection.bias)


def _order(errors: np.ndarray, floor: float) -> FittedOrder:
    """Read an order from the small amplitudes."""
    return fitted_order(AMPLITUDES[:SMALL], errors[:SMALL], floor)
