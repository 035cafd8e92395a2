r"""The ℓ² norm of the fluctuation map over a whole block: decomposed when small, else probed by Lanczos."""

from collections.abc import Callable, Iterator

import jax
import numpy as np
from jaxtyping import Float
from scipy.sparse.linalg import LinearOperator, eigsh

from engine.device import run
from engine.fluctuation_map import adjoint_image, image, next_row, start_row, token_weights, whole_map
from engine.qr_flow import padded

MATRIX_SIZE = 1024
"""Up to this many rows P d the map is carried as a matrix; above, applied by its flow."""

SMALL_SIZE = 64
"""Up to this many rows P d the matrix is decomposed instead of probed."""

LANCZOS_ACCURACY = 1e-12
"""Relative accuracy asked of the squared ℓ² norm."""

Apply = Callable[[np.ndarray], np.ndarray]

_next_row = jax.jit(next_row)


def causal_l2_norms(
    layers: Float[np.ndarray, "layers d d"],
    values: Float[np.ndarray, "layers d d"],
    block_length: int,
    log_scales: Float[np.ndarray, " depths"],
) -> Float[np.ndarray, " depths"]:
    r"""Log ℓ² operator norms $\log\|F_\perp(\ell)\|_2$ of a causal block at depths 0..L.

    Each layer is divided by the growth of another norm of the same map, so that nothing
    overflows and every depth is probed at size one. Lanczos starts where the depth
    before ended.

    **Arguments:**

    - `layers`, `values`: I + M and V, first layer first.
    - `block_length`: tokens P ≥ 2.
    - `log_scales`: log of any norm of the map at depths 0..L; −inf once it has vanished.

    **Returns:** natural logs; −inf for zero.
    """
    alive = int(np.isfinite(log_scales).sum())
    shrink = np.exp(-np.diff(log_scales[:alive]))[:, None, None]
    scaled, scaled_values = layers[: alive - 1] * shrink, values[: alive - 1] * shrink
    size = block_length * layers.shape[-1]
    if size <= SMALL_SIZE:
        matrices = _matrices(scaled, scaled_values, block_length)
        logs = [np.log(np.linalg.norm(matrix, 2)) for matrix in matrices]
    else:
        grams = _matrix_grams if size <= MATRIX_SIZE else _flow_grams
        logs = _probed_logs(grams(scaled, scaled_values, block_length), size)
    norms = np.full(len(log_scales), -np.inf)
    norms[:alive] = np.array(logs) + log_scales[:alive] - log_scales[0]
    return norms


def _probed_logs(grams: Iterator[Apply], size: int) -> list[float]:
    vector = np.random.default_rng(0).standard_normal(size)
    logs = []
    for gram in grams:
        operator = LinearOperator((size, size), matvec=gram, dtype=np.float64)  # type: ignore[call-arg]
        squares, vectors = eigsh(operator, k=1, v0=vector, tol=LANCZOS_ACCURACY)  # type: ignore[arg-type]
        logs.append(np.log(squares[0]) / 2)
        vector = vectors[:, 0]
    return logs


def _matrices(layers: np.ndarray, values: np.ndarray, block_length: int) -> Iterator[np.ndarray]:
    """The map as a matrix at depth 0, 1, …"""
    row, weights = start_row(block_length, layers.shape[-1]), token_weights(block_length)
    yield whole_map(row[:block_length])
    for layer, value in zip(layers, values, strict=True):
        row = run(_next_row, row, layer, value, weights)
        yield whole_map(row[:block_length])


def _matrix_grams(layers: np.ndarray, values: np.ndarray, block_length: int) -> Iterator[Apply]:
    """Apply the map and its transpose, from the matrix."""
    for matrix in _matrices(layers, values, block_length):
        yield lambda vector, matrix=matrix: matrix.T @ (matrix @ vector)


def _flow_grams(layers: np.ndarray, values: np.ndarray, block_length: int) -> Iterator[Apply]:
    """Apply the map and its transpose, by the token flow and its adjoint."""
    slots, value_slots = padded(layers), padded(values)

    def gram(vector: np.ndarray, depth: int) -> np.ndarray:
        images = run(image, vector.reshape(block_length, -1), slots, value_slots, depth)
        return run(adjoint_image, images, slots, value_slots, depth).ravel()

    for depth in range(len(layers) + 1):
        yield lambda vector, depth=depth: gram(vector, depth)
