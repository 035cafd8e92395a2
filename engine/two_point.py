r"""Newton's method for $u^*$ on a window of layers, for many gate amplitudes at once.

$u(\ell+1) = B(\ell)u(\ell) + \varrho\,\psi(\hat u(\ell))$, $\hat u$ the state at the last refresh,
with $Y^T(0)u(0) = 0$ and $Z^T(L)u(L) = 0$. A linear step carries an orthonormal basis of the
solutions allowed at depth 0, and one solution orthogonal to it, forwards; the end condition and the
triangles then give the coefficients backwards. Arrays have the amplitudes last.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.batch_columns import coefficients, combination, orthonormal_columns, triangular_solution
from engine.device import bucket, run_all
from engine.injection import Injection
from engine.newton_runs import CLOSE_ENOUGH, MOST_STEPS, NewtonRuns, judged
from engine.qr_flow import padded
from engine.splitting import Splitting

LANES = 32
"""Amplitudes solved together; more would leave the cache."""


LARGEST_TILE = 1 << 24
"""Entries of the bases that a tile keeps at all depths."""


class _Window(NamedTuple):
    """The problem, padded: everything but amplitudes and states."""

    layers: jax.Array
    refreshes: jax.Array
    depth: jax.Array
    entry: jax.Array
    exit: jax.Array
    matrix: jax.Array
    bias: jax.Array
    saturating: jax.Array


class _Path(NamedTuple):
    """What the march forwards leaves behind at every depth."""

    bases: jax.Array
    places: jax.Array
    triangles: jax.Array
    shifts: jax.Array


def window_newton(
    factors: Float[np.ndarray, "layers d d"],
    splitting: Splitting,
    injection: Injection,
    refresh_period: int,
    amplitudes: Float[np.ndarray, " runs"],
    starts: Float[np.ndarray, "runs depths d"],
) -> NewtonRuns:
    r"""Solve the two-point problem at many amplitudes, each from its own start.

    **Arguments:**

    - `factors`: layers B of the window.
    - `splitting`: of the open loop over the same layers; gives the conditions at both ends.
    - `injection`: ψ.
    - `refresh_period`: layers L_r for which a summary is held; refreshes before layers 0, L_r, ….
    - `amplitudes`: ϱ.
    - `starts`: first iterates, state units.

    **Returns:** the `NewtonRuns`.

    Reference: Ascher, Mattheij & Russell, Numerical Solution of Boundary Value Problems, §4.4
    (stabilised march, compactification).
    """
    layers, width, _ = factors.shape
    runs, size = len(amplitudes), bucket(layers)
    lanes = _lanes(size * width * max(splitting.rank, 1))
    room = -(-runs // lanes) * lanes
    # The flag behind the last layer keeps a summary that is still held there: it costs nothing.
    refreshes = np.arange(size + 1) % refresh_period == 0
    problem = (
        padded(factors), refreshes, np.asarray(layers), splitting.unstable[0], splitting.read_unstable[-1],
        injection.matrix, injection.bias, np.asarray(injection.saturating),
    )  # fmt: skip
    rho = np.zeros(room)
    rho[:runs] = amplitudes
    states = np.zeros((size + 1, width, room))
    states[: layers + 1, :, :runs] = np.moveaxis(starts, 0, -1)
    kernel = _newton_held if refresh_period > 1 else _newton_fresh
    tiles = [slice(start, start + lanes) for start in range(0, room, lanes)]
    parts = run_all(kernel, [(*problem, rho[tile], states[:, :, tile]) for tile in tiles])
    found, *steps = (np.concatenate(part, axis=-1)[..., :runs] for part in zip(*parts, strict=True))
    return judged(np.moveaxis(found[: layers + 1], -1, 0), *steps)


def _lanes(entries: int) -> int:
    """Amplitudes per tile, a power of two: fewer where the bases of one amplitude are large."""
    return 1 << (max(min(LANES, LARGEST_TILE // entries), 1).bit_length() - 1)


@jax.jit
def _newton_fresh(*arguments: jax.Array) -> tuple[jax.Array, ...]:
    *window, amplitudes, states = arguments
    return _newton(_Window(*window), amplitudes, states, held=False)


@jax.jit
def _newton_held(*arguments: jax.Array) -> tuple[jax.Array, ...]:
    *window, amplitudes, states = arguments
    return _newton(_Window(*window), amplitudes, states, held=True)


def _newton(
    window: _Window, amplitudes: jax.Array, states: jax.Array, *, held: bool
) -> tuple[jax.Array, ...]:
    """Step until every lane stands still; states, sizes of the first, second and last step, orientation."""

    def moving(state: tuple[jax.Array, ...]) -> jax.Array:
        count, states, *_, last, _ = state
        scale = 1 + jnp.abs(states).max(axis=(0, 1))
        return (count < 2) | ((count < MOST_STEPS) & (last > CLOSE_ENOUGH * scale).any())

    def step(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        count, states, first, second, *_ = state
        after, orientation = _linear_step(window, amplitudes, states, held=held)
        size = jnp.abs(after - states).max(axis=(0, 1))
        first, second = jnp.where(count == 0, size, first), jnp.where(count == 1, size, second)
        return count + 1, after, first, second, size, orientation

    blank = jnp.zeros_like(amplitudes)
    return jax.lax.while_loop(moving, step, (jnp.asarray(0), states, *[blank] * 4))[1:]


def _linear_step(
    window: _Window, amplitudes: jax.Array, states: jax.Array, *, held: bool
) -> tuple[jax.Array, jax.Array]:
    """Solve the problem linearised at the states; the solution and the sign of its determinant."""
    width, rank = window.entry.shape
    size, lanes = states.shape[0] - 1, states.shape[2]
    rows = 2 * width if held else width
    basis = jnp.zeros((rows, rank, lanes)).at[:width].set(window.entry[:, :, None])
    path = _Path(
        bases=jnp.zeros((size + 1, width, rank, lanes)).at[0].set(basis[:width]),
        places=jnp.zeros_like(states),
        triangles=jnp.zeros((size, rank, rank, lanes)),
        shifts=jnp.zeros((size, rank, lanes)),
    )

    def forwards(layer: jax.Array, carry: tuple[jax.Array, jax.Array, jax.Array, _Path]) -> tuple:
        basis, place, seen, path = carry
        seen = jnp.where(window.refreshes[layer], states[layer], seen)
        columns, goal = _through_layer(window, layer, amplitudes, (basis, place, seen))
        basis, triangle = orthonormal_columns(columns)
        shift = coefficients(basis, goal)
        place = goal - combination(basis, shift)
        path = _Path(
            path.bases.at[layer + 1].set(basis[:width]),
            path.places.at[layer + 1].set(place[:width]),
            path.triangles.at[layer].set(triangle),
            path.shifts.at[layer].set(shift),
        )
        return basis, place, seen, path

    start = (basis, jnp.zeros((rows, lanes)), states[0], path)
    return _backwards(window, jax.lax.fori_loop(0, window.depth, forwards, start)[-1])


def _through_layer(
    window: _Window, layer: jax.Array, amplitudes: jax.Array, carried: tuple[jax.Array, jax.Array, jax.Array]
) -> tuple[jax.Array, jax.Array]:
    """Carry the basis and the particular solution through one linearised layer."""
    basis, place, seen = carried
    width = seen.shape[0]
    both = jnp.concatenate([basis, place[:, None]], axis=1)
    state, held = both[:width], both[width:]
    if held.shape[0] == 0:
        read = state
    else:
        read = held = jnp.where(window.refreshes[layer], state, held)
        held = jnp.where(window.refreshes[layer + 1], 0.0, held)
    inside = jnp.tensordot(window.matrix, jnp.concatenate([read, seen[:, None]], axis=1), 1)
    argument = inside[:, -1] + window.bias[:, None]
    bounded = jnp.tanh(argument)
    value = jnp.where(window.saturating, bounded, argument)
    slope = jnp.where(window.saturating, 1 - bounded**2, 1.0)
    moved = jnp.tensordot(window.layers[layer], state, 1) + (amplitudes * slope)[:, None] * inside[:, :-1]
    goal = moved[:, -1] + amplitudes * (value - slope * inside[:, -1])
    columns = jnp.concatenate([moved[:, :-1], held[:, :-1]])
    return columns, jnp.concatenate([goal, held[:, -1]])


def _backwards(window: _Window, path: _Path) -> tuple[jax.Array, jax.Array]:
    """Fix the free coefficients at the end of the window and recover the states."""
    depth = window.depth
    angles = jnp.moveaxis(jnp.tensordot(window.exit, path.bases[depth], 1), -1, 0)
    missing = -jnp.tensordot(window.exit, path.places[depth], 1)
    last = jnp.linalg.solve(angles, missing.T[..., None])[..., 0].T

    def recover(layer: jax.Array, free: jax.Array, states: jax.Array) -> jax.Array:
        return states.at[layer].add(combination(path.bases[layer], free))

    def step(index: jax.Array, carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        free, states = carry
        layer = depth - 1 - index
        free = triangular_solution(path.triangles[layer], free - path.shifts[layer])
        return free, recover(layer, free, states)

    states = jax.lax.fori_loop(0, depth, step, (last, recover(depth, last, path.places)))[1]
    return states, jnp.linalg.slogdet(angles)[0]
