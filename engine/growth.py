r"""Growth over the whole stack: singular values and norms of $\Phi(\ell, 0)$, large or tiny.

The product is never formed. In the frame adapted to the stack it is a product of
triangles, kept as rows of size 1 with a log each, so growth of any size fits and the
smallest singular value is as accurate as the largest.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float

from engine.device import run
from engine.qr_flow import adapted_frame, padded, qr_step, random_frame

ORTHOGONAL = 1e-15
"""Rows whose cosine is below this count as orthogonal."""

_Product = tuple[jax.Array, jax.Array, jax.Array, jax.Array]

JACOBI_SWEEPS = 40
"""Sweeps over all pairs of rows at most; convergence is quadratic and takes about six."""


def finite_time_growth(factors: Float[np.ndarray, "layers d d"]) -> Float[np.ndarray, " d"]:
    r"""Growth factors per layer over the whole stack, $\sigma_i(\Phi(L, 0))^{1/L}$.

    True singular values of the product (not QR diagonals), found by one-sided Jacobi
    rotations on its scaled rows: each is accurate relative to itself, whatever its size.

    **Arguments:**

    - `factors`: all L layers B(l), first layer first.

    **Returns:** growth factors per layer, largest first; 0 for a lost direction.

    **Raises:** `ValueError` for an empty stack.

    Reference: Demmel and Veselic, SIAM J. Matrix Anal. Appl. 13 (1992) 1204-1245.
    """
    depth = _depth(factors)
    rows, row_logs, lost = (part[depth] for part in _scaled_rows(factors))
    log_values = np.sort(_log_singular_values(rows, row_logs))[::-1]
    log_values[log_values.size - lost.sum() :] = -np.inf
    return np.exp(log_values / depth)


def log_norms(factors: Float[np.ndarray, "layers d d"]) -> Float[np.ndarray, " depths"]:
    r"""Log norm of the stack up to each depth, $\log \|\Phi(\ell, 0)\|_2$ for l = 0 … L.

    **Arguments:**

    - `factors`: all L layers B(l), first layer first.

    **Returns:** L + 1 natural logs, the first one 0; −inf once everything is lost.

    **Raises:** `ValueError` for an empty stack.
    """
    depth = _depth(factors)
    rows, row_logs, _ = (part[: depth + 1] for part in _scaled_rows(factors))
    largest = row_logs.max(axis=1)
    shift = np.where(np.isneginf(largest), 0.0, largest)
    scaled = rows * np.exp(row_logs - shift[:, None])[:, :, None]
    with np.errstate(divide="ignore"):
        return np.log(np.linalg.svd(scaled, compute_uv=False)[:, 0]) + shift


def _depth(factors: Float[np.ndarray, "layers d d"]) -> int:
    if factors.shape[0] == 0:
        raise ValueError("factors must hold at least one layer; got a stack of 0.")
    return factors.shape[0]


def _scaled_rows(
    factors: Float[np.ndarray, "layers d d"],
) -> tuple[Float[np.ndarray, "depths d d"], Float[np.ndarray, "depths d"], Bool[np.ndarray, "depths d"]]:
    """Triangular form of the product up to each depth: unit rows, their logs, directions lost so far."""
    return run(_rows_kernel, padded(factors), random_frame(factors.shape[1]))


@jax.jit
def _rows_kernel(layers: jax.Array, frame: jax.Array) -> tuple[jax.Array, ...]:
    """Sweep forward from the adapted frame and keep the scaled product at every depth."""

    def step(state: _Product, layer: jax.Array) -> tuple[_Product, tuple[jax.Array, ...]]:
        frame, rows, row_logs, lost = state
        frame, triangle = qr_step(layer, frame)
        rows, row_logs = _multiplied(triangle, rows, row_logs)
        lost = lost | (jnp.diagonal(triangle) == 0)
        return (frame, rows, row_logs, lost), (rows, row_logs, lost)

    width = frame.shape[0]
    start = (jnp.eye(width), jnp.zeros(width), jnp.zeros(width, bool))
    _, products = jax.lax.scan(step, (adapted_frame(layers, frame), *start), layers)
    return jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), start, products)


def _multiplied(triangle: jax.Array, rows: jax.Array, row_logs: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Multiply triangle · diag(e^row_logs) · rows and bring the rows back to length 1."""
    logs = jnp.log(jnp.abs(triangle)) + row_logs
    shift = logs.max(axis=1)
    shift = jnp.where(jnp.isneginf(shift), 0.0, shift)
    rows = (jnp.sign(triangle) * jnp.exp(logs - shift[:, None])) @ rows
    length = jnp.linalg.norm(rows, axis=1)
    return rows / jnp.where(length == 0, 1.0, length)[:, None], jnp.log(length) + shift


def _log_singular_values(
    rows: Float[np.ndarray, "d d"], row_logs: Float[np.ndarray, " d"]
) -> Float[np.ndarray, " d"]:
    """Rotate pairs of rows of diag(e^row_logs) · rows until all are orthogonal; their logs remain."""
    rows, logs = rows.copy(), row_logs.copy()
    for _ in range(JACOBI_SWEEPS):
        order = np.argsort(-logs, kind="stable")
        rows, logs = rows[order], logs[order]
        rotated = False
        for large in range(len(logs) - 1):
            for small in range(large + 1, len(logs)):
                cosine = float(rows[large] @ rows[small])
                if abs(cosine) > ORTHOGONAL and logs[small] > -np.inf:
                    _rotate(rows, logs, large, small, cosine)
                    rotated = True
        if not rotated:
            break
    return logs


def _rotate(rows: np.ndarray, logs: np.ndarray, first: int, second: int, cosine: float) -> None:
    r"""Make two rows orthogonal in place; only the ratio of their lengths enters.

    With ratio r ≤ 1 and cosine c the tangent is $t = r \tau$,
    $\tau = 2c / (1 - r^2 + \sqrt{(1 - r^2)^2 + 4 r^2 c^2})$: no division by a tiny r.
    """
    if logs[second] > logs[first]:
        first, second = second, first
    ratio = np.exp(logs[second] - logs[first])
    spread = 1 - ratio**2
    reduced = 2 * cosine / (spread + np.hypot(spread, 2 * ratio * cosine))
    secant = np.hypot(1.0, ratio * reduced)
    longer = (rows[first] + ratio**2 * reduced * rows[second]) / secant
    shorter = (rows[second] - reduced * rows[first]) / secant
    for index, row in ((first, longer), (second, shorter)):
        length = np.linalg.norm(row)
        rows[index] = row / length if length > 0 else row
        logs[index] += np.log(length) if length > 0 else -np.inf
