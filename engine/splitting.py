r"""Splitting of the state space: growing and decaying directions at every depth, and their projectors.

The growing directions come from a forward QR sweep, the decaying ones are orthogonal to a
backward sweep of the transposes; no layer is ever inverted. Whatever the spaces at the two
ends, the projectors commute with the layers exactly: $B(\ell) P_+(\ell) = P_+(\ell+1) B(\ell)$.
"""

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from engine.device import run
from engine.floquet import leading_space
from engine.qr_flow import ZERO_STRETCH, padded, qr_step, random_frame

LARGEST_PROJECTOR = 1e8
"""Growing and decaying directions so close that their projectors have a larger norm are not a splitting."""

NOT_CLOSED = 1e-8
"""A periodic space that one period turns by more than this has not been found."""

_Frames = Float[np.ndarray, "depths d d"]


class Splitting(NamedTuple):
    r"""Growing (k) and decaying (d−k) directions at the depths 0 … L, in reduced coordinates.

    Without a splitting the arrays have no entries along their first axis.

    **Fields:**

    - `status`: `ok`, or `no-split` when the two families meet or a growing direction is lost.
    - `rank`: number k of growing (persistent) directions.
    - `periodic`: whether the arrays repeat for ever after the last layer, as the layers do;
      false on a window, and where the depth cuts a period.
    - `unstable`: $U(\ell)$, orthonormal basis of the growing directions.
    - `stable`: $V(\ell)$, orthonormal basis of the decaying directions.
    - `grow`: $R(\ell)$ with $B(\ell) U(\ell) = U(\ell+1) R(\ell)$, invertible.
    - `decay`: $S(\ell) = V(\ell+1)^T B(\ell) V(\ell)$, so $B(\ell) V(\ell) = V(\ell+1) S(\ell)$.
    - `read_unstable`: $Z(\ell)^T$, growing coordinates of a state: $P_+ = U Z^T$.
    - `read_stable`: $Y(\ell)^T$, decaying coordinates of a state: $P_- = V Y^T$.
    """

    status: Literal["ok", "no-split"]
    rank: int
    periodic: bool
    unstable: Float[np.ndarray, "depths d k"]
    stable: Float[np.ndarray, "depths d d-k"]
    grow: Float[np.ndarray, "layers k k"]
    decay: Float[np.ndarray, "layers d-k d-k"]
    read_unstable: Float[np.ndarray, "depths k d"]
    read_stable: Float[np.ndarray, "depths d-k d"]

    @property
    def persistent(self) -> _Frames:
        r"""Projector $P_+(\ell)$ onto the growing directions along the decaying ones."""
        return self.unstable @ self.read_unstable

    @property
    def decaying(self) -> _Frames:
        r"""Projector $P_-(\ell) = I - P_+(\ell)$ onto the decaying directions along the growing ones."""
        return self.stable @ self.read_stable


def split(
    factors: Float[np.ndarray, "layers d d"], rank: int, *, periodic: bool, depth: int | None = None
) -> Splitting:
    r"""Split the state space at every depth into k growing and d−k decaying directions.

    A stack that repeats for ever gets its Floquet spaces, which is the splitting of the
    whole line. On a window the ends are free: directions are carried back from a fixed
    random frame at the end, forward again from there and back once more, so that both
    ends take the orthogonal splitting.

    **Arguments:**

    - `factors`: layers B(l), first layer first: one period, or the whole window.
    - `rank`: number k of growing directions, 0 … d; singular layers may only lose decaying ones.
    - `periodic`: whether the layers repeat for ever (a tied stack is one layer).
    - `depth`: layers to cover, repeating the period; left out: the layers given.

    **Returns:** bases, reduced layers and projectors at the depths 0 … L; over whole periods
    the last depth has the same bases as depth 0.

    **Raises:** `ValueError` for an empty stack, a rank outside 0 … d, or a `depth` on a window.

    Reference: Dieci, Elia and Van Vleck, J. Differ. Equ. 248 (2010) 287-308.
    """
    layers, width, _ = factors.shape
    if layers == 0:
        raise ValueError("factors must hold at least one layer; got a stack of 0.")
    if not 0 <= rank <= width:
        raise ValueError(f"rank must lie in 0..{width} (directions); got {rank}.")
    if depth is not None and not (periodic and depth >= 1):
        raise ValueError(f"depth must be at least 1 layer of a periodic stack; got {depth}.")
    ends = _periodic_frames(factors, rank) if periodic else _window_frames(factors)
    if ends is None:
        return _no_split(rank, width, periodic)
    found = _reduced(factors, rank, *ends, periodic)
    return found if depth is None or found.status != "ok" else _repeated(found, layers, depth)


def _periodic_frames(factors: np.ndarray, rank: int) -> tuple[_Frames, _Frames] | None:
    """Frames of both sweeps, closed up to one period; None when the Floquet spaces do not exist."""
    sweeps = []
    for stack in (factors, _reversed(factors)):
        start = leading_space(stack, rank)
        if start is None:
            return None
        frames = _frames(stack, start)
        frames = _frames(stack, frames[-1])
        if np.abs(frames[0, :, rank:].T @ frames[-1, :, :rank]).max(initial=0.0) > NOT_CLOSED:
            return None
        frames[-1] = frames[0]
        sweeps.append(frames)
    return sweeps[0], sweeps[1][::-1]


def _window_frames(factors: np.ndarray) -> tuple[_Frames, _Frames]:
    """Frames of the growing directions and of the normals to the decaying ones, ends orthogonal."""
    turned = _reversed(factors)
    there = _frames(turned, random_frame(factors.shape[1]))
    growing = _frames(factors, there[-1])
    return growing, _frames(turned, growing[-1])[::-1]


def _reversed(factors: np.ndarray) -> np.ndarray:
    """Transposed layers, last layer first."""
    return np.swapaxes(factors, 1, 2)[::-1]


def _frames(factors: np.ndarray, start: np.ndarray) -> _Frames:
    """Frames at every depth of a QR sweep; the first k columns are a sweep of k directions, for any k."""
    return run(_frames_kernel, padded(factors), start)[: len(factors) + 1].copy()


@jax.jit
def _frames_kernel(layers: jax.Array, start: jax.Array) -> jax.Array:
    def step(frame: jax.Array, layer: jax.Array) -> tuple[jax.Array, jax.Array]:
        frame, _ = qr_step(layer, frame)
        return frame, frame

    return jnp.concatenate([start[None], jax.lax.scan(step, start, layers)[1]])


def _reduced(factors: np.ndarray, rank: int, growing: _Frames, normals: _Frames, periodic: bool) -> Splitting:
    """Bases, reduced layers and coordinates from the frames of the two sweeps."""
    unstable, across = growing[:, :, :rank], growing[:, :, rank:]
    normal, stable = normals[:, :, :rank], normals[:, :, rank:]
    grow = np.swapaxes(unstable[1:], 1, 2) @ factors @ unstable[:-1]
    angles = np.swapaxes(normal, 1, 2) @ unstable
    if _projector_norm(angles) > LARGEST_PROJECTOR or _loses(grow, factors):
        return _no_split(rank, factors.shape[1], periodic)
    turned_normal, turned_across = np.swapaxes(normal, 1, 2), np.swapaxes(across, 1, 2)
    return Splitting(
        status="ok",
        rank=rank,
        periodic=periodic,
        unstable=unstable,
        stable=stable,
        grow=grow,
        decay=np.swapaxes(stable[1:], 1, 2) @ factors @ stable[:-1],
        read_unstable=np.linalg.solve(angles, turned_normal),
        read_stable=np.linalg.solve(turned_across @ stable, turned_across),
    )


def _projector_norm(angles: np.ndarray) -> float:
    r"""Largest $\|P_+\| = 1 / \sigma_{\min}(W^T U)$ over the depths; inf where the two families meet."""
    least = np.linalg.svd(angles, compute_uv=False).min(initial=1.0)
    return 1 / float(least) if least > 0 else np.inf


def _loses(grow: np.ndarray, factors: np.ndarray) -> bool:
    """Whether some layer sends a growing direction to zero (below round-off of the layer)."""
    if grow.shape[1] == 0:
        return False
    least = np.linalg.svd(grow, compute_uv=False)[:, -1]
    return bool((least <= ZERO_STRETCH * np.abs(factors).max(axis=(1, 2))).any())


def _no_split(rank: int, width: int, periodic: bool) -> Splitting:
    """Result without arrays: there is no splitting of this rank."""
    rest = width - rank
    shapes = [(width, rank), (width, rest), (rank, rank), (rest, rest), (rank, width), (rest, width)]
    return Splitting("no-split", rank, periodic, *(np.zeros((0, *shape)) for shape in shapes))


def _repeated(one: Splitting, period: int, depth: int) -> Splitting:
    """Repeat the arrays of one period over another depth."""
    layers, depths = np.arange(depth) % period, np.arange(depth + 1) % period
    return one._replace(
        periodic=depth % period == 0,
        unstable=one.unstable[depths],
        stable=one.stable[depths],
        grow=one.grow[layers],
        decay=one.decay[layers],
        read_unstable=one.read_unstable[depths],
        read_stable=one.read_stable[depths],
    )
