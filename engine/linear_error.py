"""How far the linearised stack is from the real one: error against amplitude, depth and gate."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from engine.order_fit import FittedOrder, fitted_order
from engine.preln_beside import ROUNDOFF, run_beside
from engine.preln_weights import Activation, Block, Norm, Order
from engine.token_gate import TokenGate


class LinearError(NamedTuple):
    """Relative error of the linear run against the cause that grows from run to run.

    **Fields:**

    - `causes`: amplitude of the inhomogeneity (`linear_error`) or ϱ (`gate_error`) of every run.
    - `relative`: error at the depths 0 … L of every run; nan where it cannot be told.
    - `orders`: exponent of the error in the cause at every depth; 1 when what is left out is of
      second order.
    """

    causes: Float[np.ndarray, " runs"]
    relative: Float[np.ndarray, "depths runs"]
    orders: list[FittedOrder]


def linear_error(
    blocks: Sequence[Block],
    start: Float[np.ndarray, " d"],
    differences: Float[np.ndarray, "tokens d"],
    *,
    block_length: int,
    norm: Norm,
    activation: Activation,
    order: Order,
    amplitudes: Float[np.ndarray, " runs"],
    gate: TokenGate | None = None,
    follow_gate: bool = True,
    rotary: bool = False,
) -> LinearError:
    r"""Compare both runs for a growing inhomogeneity $X(0) = \mathbf 1 x^\top + a\,D$.

    With `follow_gate` the reference path opens the gate too, and the relative error falls like
    the amplitude at any ϱ; without it the layers are those of the shut gate, as in the paper,
    and an error of order ϱ remains. Rotary positions leave an error that does not fall: rows
    are not uniform there.

    **Arguments:**

    - `blocks`: the layers, first one first.
    - `start`: the common state x; state units.
    - `differences`: D, one row per token.
    - `block_length`, `norm`, `activation`, `order`, `rotary`: as for `token_runs`.
    - `amplitudes`: a, one positive number per run.
    - `gate`: the slow path; left out: none.
    - `follow_gate`: whether the reference path opens the gate.

    **Returns:** relative errors and their orders.

    **Raises:** as `token_runs`.
    """
    states = start + amplitudes[:, None, None] * differences
    found = run_beside(
        blocks,
        start,
        states,
        block_length=block_length,
        norm=norm,
        activation=activation,
        order=order,
        gate=gate,
        follow_gate=follow_gate,
        rotary=rotary,
    )
    relative = found.relative
    return LinearError(amplitudes, relative, [fitted_order(amplitudes, row, ROUNDOFF) for row in relative])


def gate_error(
    blocks: Sequence[Block],
    start: Float[np.ndarray, " d"],
    tokens: Float[np.ndarray, "tokens d"],
    gate: TokenGate,
    *,
    block_length: int,
    norm: Norm,
    activation: Activation,
    order: Order,
    gate_amplitudes: Float[np.ndarray, " runs"],
) -> LinearError:
    r"""Compare both runs for a gate that opens further and further, layers taken from the shut gate.

    **Arguments:**

    - `tokens`: X(0), the same for every run.
    - `gate`: the slow path; its own amplitude is not used.
    - `gate_amplitudes`: ϱ, one positive number per run.
    - the others: as for `linear_error`.

    **Returns:** relative errors and their orders in ϱ.

    **Raises:** as `token_runs`.
    """
    found = run_beside(
        blocks,
        start,
        np.repeat(tokens[None], len(gate_amplitudes), axis=0),
        block_length=block_length,
        norm=norm,
        activation=activation,
        order=order,
        gate=gate._replace(amplitude=gate_amplitudes),
        follow_gate=False,
    )
    relative = found.relative
    orders = [fitted_order(gate_amplitudes, row, ROUNDOFF) for row in relative]
    return LinearError(gate_amplitudes, relative, orders)
