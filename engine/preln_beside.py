r"""The real stack and its linearisation, run side by side on the same tokens.

The linear run moves by $X \mapsto \mathbf 1 f(p) + (X-\mathbf 1p)(I+M)^\top + \alpha(X-\mathbf 1p)V^\top
+ \mathbf 1\varrho\psi(\hat y)^\top$, with f the real block, M and V its derivative at the common state
p(l) of the reference path. What it leaves out is of second order in X − p.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from engine.device import run
from engine.preln_block import EPSILON, generator_of
from engine.preln_tokens import calls, check_run, next_tokens
from engine.preln_weights import Activation, Block, BlockKind, Norm, Numbers, Order
from engine.token_blocks import in_sequence, padded_blocks
from engine.token_gate import GATE_ARRAYS, TokenGate, from_arrays, injected, padded_gate, refreshed

ROUNDOFF = 1e-14
"""Distances below this share of the largest state are round-off."""


class _State(NamedTuple):
    """What both runs and the path hand from layer to layer, with the summaries they hold."""

    real: Numbers
    linear: Numbers
    path: Numbers
    real_held: Numbers
    linear_held: Numbers
    path_held: Numbers


class Beside(NamedTuple):
    """The real and the linear run, and the path of the common state between them.

    **Fields:**

    - `real`, `linear`: the tokens of every run at the depths 0 … L, state units.
    - `path`: the common state p of every run.
    """

    real: Float[np.ndarray, "depths runs tokens d"]
    linear: Float[np.ndarray, "depths runs tokens d"]
    path: Float[np.ndarray, "depths runs d"]

    @property
    def relative(self) -> Float[np.ndarray, "depths runs"]:
        """Largest error of a token over the largest distance of a real token from the path.

        nan where that distance is round-off, or where a run has left the floating-point range.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            error, away = (
                np.linalg.norm(self.real - other, axis=3).max(axis=2)
                for other in (self.linear, self.path[:, :, None, :])
            )
            floor = ROUNDOFF * np.linalg.norm(self.real, axis=3).max(axis=2)
            seen = np.isfinite(error) & np.isfinite(away) & (away > floor)
        return np.where(seen, error, np.nan) / np.where(seen, away, 1.0)


def run_beside(
    blocks: Sequence[Block],
    start: Float[np.ndarray, " d"],
    states: Float[np.ndarray, "runs tokens d"],
    *,
    block_length: int,
    norm: Norm,
    activation: Activation,
    order: Order,
    gate: TokenGate | None = None,
    follow_gate: bool = True,
    rotary: bool = False,
    epsilon: float = EPSILON,
) -> Beside:
    r"""Run the real stack and its linearisation on the same tokens.

    **Arguments:**

    - `start`: the common state from which the reference path starts; state units.
    - `states`: X(0) of every run.
    - `follow_gate`: whether the reference path opens the gate.
    - the others: as for `token_runs`; ϱ may differ from run to run.

    **Returns:** both runs and the path.

    **Raises:** as `token_runs`.
    """
    check_run(blocks, states.shape[-1], norm=norm, activation=activation, order=order, rotary=rotary)
    kind = {"norm": norm, "activation": activation, "order": order}
    constants = (follow_gate, epsilon, rotary, *padded_gate(gate, states, block_length).arrays)
    real = padded_blocks(states, block_length)
    path = np.broadcast_to(start, (len(states), len(start)))
    summary = np.zeros((*real.shape[:2], real.shape[-1]))
    state = _State(real, real, path, summary, summary, np.zeros_like(path))
    parts = [tuple(part[None] for part in state[:3])]
    for first, weights, live in calls(blocks):
        found, state = run(_beside_kernel, *state, first, live, *constants, *weights, **kind)
        parts.append(tuple(part[:live] for part in found))
    real, linear, path = (np.concatenate(part) for part in zip(*parts, strict=True))
    length = states.shape[1]
    return Beside(in_sequence(real, length, block_length), in_sequence(linear, length, block_length), path)


@partial(jax.jit, static_argnames=("norm", "activation", "order"))
def _beside_kernel(
    *arrays: Array, norm: Norm, activation: Activation, order: Order
) -> tuple[tuple[Numbers, ...], _State]:
    first, live, follow_gate, epsilon, rotary, *rest = arrays[len(_State._fields) :]
    gate, weights = from_arrays(rest), tuple(rest[GATE_ARRAYS:])
    kind: BlockKind = {"norm": norm, "activation": activation, "order": order}

    def moved(state: _State, layer: Array, block: Block) -> _State:
        real_held = refreshed(gate, state.real_held, state.real, layer)
        linear_held = refreshed(gate, state.linear_held, state.linear, layer)
        path_held = jnp.where(layer % gate.refresh_period == 0, state.path, state.path_held)
        mixing, value, after = jax.vmap(lambda common: generator_of(common, epsilon, block, **kind))(
            state.path
        )
        away = state.linear - state.path[:, None, None]
        means = jnp.cumsum(away, axis=2) / jnp.arange(1, away.shape[2] + 1)[:, None]
        linear = after[:, None, None] + away + _through(mixing, away) + _through(value, means)
        return _State(
            real=next_tokens(state.real, epsilon, rotary, block, **kind)
            + injected(gate, real_held)[:, :, None],
            linear=linear + injected(gate, linear_held)[:, :, None],
            path=after + follow_gate * injected(gate, path_held),
            real_held=real_held,
            linear_held=linear_held,
            path_held=path_held,
        )

    def step(state: _State, layer: tuple[Array, tuple[Array, ...]]) -> tuple[_State, tuple[Numbers, ...]]:
        index, parts = layer
        found = moved(state, first + index, Block(*parts))
        kept = _State(*(jnp.where(index < live, new, old) for new, old in zip(found, state, strict=True)))
        return kept, kept[:3]

    start = _State(*arrays[: len(_State._fields)])
    state, found = jax.lax.scan(step, start, (jnp.arange(len(weights[0])), weights))
    return found, state


def _through(maps: Numbers, tokens: Numbers) -> Numbers:
    return jnp.einsum("rij,rkpj->rkpi", maps, tokens)
