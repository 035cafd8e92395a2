"""The kernels of the gate written the plain way: NumPy and SciPy, layer by layer."""

import numpy as np
from scipy.linalg import solve_banded


def frames(factors: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Frames of a QR sweep at every depth."""
    found = [start]
    for factor in factors:
        found.append(np.linalg.qr(factor @ found[-1])[0])
    return np.array(found)


def projectors(factors: np.ndarray, rank: int, start: np.ndarray) -> np.ndarray:
    """Projectors onto the growing directions of a window, both ends orthogonal."""
    turned = np.swapaxes(factors, 1, 2)[::-1]
    growing = frames(factors, frames(turned, start)[-1])
    normals = frames(turned, growing[-1])[::-1]
    found = []
    for there, back in zip(growing, normals, strict=True):
        basis, normal = there[:, :rank], back[:, :rank]
        found.append(basis @ np.linalg.solve(normal.T @ basis, normal.T))
    return np.array(found)


def worst_norms(maps: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """N[n]: the largest norm of a product of n maps applied to its start, over all starts."""
    layers = len(maps)
    worst = np.zeros(layers + 1)
    for start in range(layers + 1):
        product = starts[start]
        worst[0] = max(worst[0], np.linalg.norm(product, 2))
        for lag, step in enumerate(maps[start:], 1):
            product = step @ product
            worst[lag] = max(worst[lag], np.linalg.norm(product, 2))
    return worst


def constants(norms: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """C(r), the largest N[n] over r to the n."""
    return (norms / rates[:, None] ** np.arange(len(norms))).max(axis=1)


def green_rows(
    decay: np.ndarray, into_stable: np.ndarray, back: np.ndarray, into_unstable: np.ndarray
) -> np.ndarray:
    """Row sums of the Green operator of a window, entry by entry, in reduced coordinates."""
    layers = len(decay)
    sums = np.zeros(layers + 1)
    for source in range(1, layers + 1):
        product = into_stable[source]
        for depth in range(source, layers + 1):
            sums[depth] += np.linalg.norm(product, 2)
            product = decay[depth] @ product if depth < layers else product
        product = into_unstable[source]
        for depth in range(source - 1, -1, -1):
            product = back[depth] @ product
            sums[depth] += np.linalg.norm(product, 2)
    return sums


def newton(
    factors: np.ndarray, ends: tuple, weights: np.ndarray, bias: np.ndarray, amplitudes: np.ndarray
) -> np.ndarray:
    """u* of a tanh loop over a window at increasing amplitudes, each started from the one before."""
    layers, width, _ = factors.shape
    first, last = ends
    states = np.zeros((layers + 1, width))
    found = []
    for amplitude in amplitudes:
        for _ in range(40):
            inside = np.tanh(states[:-1] @ weights.T + bias)
            slopes = factors + amplitude * (1 - inside**2)[:, :, None] * weights
            moved = (factors @ states[:-1, :, None])[:, :, 0] + amplitude * inside
            residual = np.concatenate([first @ states[0], (states[1:] - moved).ravel(), last @ states[-1]])
            step = solve_banded((2 * width, 2 * width), _banded(slopes, first, last), residual)
            states = states - step.reshape(layers + 1, width)
            if np.abs(step).max() <= 1e-12 * (1 + np.abs(states).max()):
                break
        found.append(states)
    return np.array(found)


def _banded(slopes: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Lay the two-point problem out for LAPACK's band solver."""
    layers, width, _ = slopes.shape
    size, band = (layers + 1) * width, 2 * width
    bands = np.zeros((2 * band + 1, size))

    def put(blocks: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> None:
        row = rows[:, None, None] + np.arange(blocks.shape[1])[:, None]
        column = columns[:, None, None] + np.arange(width)
        bands[band + row - column, np.broadcast_to(column, blocks.shape)] = blocks

    places, offset = width * np.arange(layers), len(first)
    put(first[None], np.array([0]), np.array([0]))
    put(-slopes, offset + places, places)
    put(np.broadcast_to(np.eye(width), slopes.shape), offset + places, places + width)
    put(last[None], np.array([offset + layers * width]), np.array([layers * width]))
    return bands


def circle_crossings(
    factor: np.ndarray, weights: np.ndarray, period: int, reach: float, points: int
) -> np.ndarray:
    """Limits of both signs of a held tied loop: scan the largest log modulus, then bisect."""
    held, added = np.linalg.matrix_power(factor, period), np.zeros_like(factor)
    for _ in range(period):
        added = factor @ added + weights

    def outside(amplitude: float) -> int:
        return int((np.abs(np.linalg.eigvals(held + amplitude * added)) > 1).sum())

    at_rest, limits = outside(0.0), []
    for sign in (-1, 1):
        grid = sign * np.linspace(0, reach, points)
        lost = next((index for index, point in enumerate(grid) if outside(point) != at_rest), None)
        if lost is None:
            limits.append(sign * np.inf)
            continue
        inner, outer = grid[lost - 1], grid[lost]
        for _ in range(40):
            middle = (inner + outer) / 2
            inner, outer = (middle, outer) if outside(middle) == at_rest else (inner, middle)
        limits.append(outer)
    return np.array(limits)


def growth_edges(factors: np.ndarray, start: np.ndarray, window: int) -> np.ndarray:
    """Extremes of the growth factors over every stretch of a window, from a QR sweep."""
    turned = np.swapaxes(factors, 1, 2)[::-1]
    frame, logs = frames(turned, start)[-1], []
    for factor in factors:
        frame, triangle = np.linalg.qr(factor @ frame)
        logs.append(np.log(np.abs(np.diag(triangle))))
    means = np.array([np.mean(logs[at : at + window], axis=0) for at in range(len(logs) - window + 1)])
    return np.exp(np.stack([means.min(axis=0), means.max(axis=0)]))


def chain_peaks(factors: np.ndarray, weights: np.ndarray, blocks: int) -> np.ndarray:
    """Largest response of every block of a cascade to a kick in the first, block by block."""
    width = factors.shape[1]
    states = [np.eye(width)] + [np.zeros((width, width))] * (blocks - 1)
    peaks = np.zeros(blocks)
    for factor in factors:
        seen = [np.zeros((width, width)), *states[:-1]]
        states = [factor @ own + weights @ read for own, read in zip(states, seen, strict=True)]
        peaks = np.maximum(peaks, [np.linalg.norm(state, 2) for state in states])
    return peaks


def least_singular(factors: np.ndarray, gammas: np.ndarray) -> np.ndarray:
    """Smallest singular values of the dense wide and tall layer equations, the smaller of both."""
    layers, width, _ = factors.shape
    found = []
    for gamma in gammas:
        wide = np.zeros((layers * width, (layers + 1) * width))
        for layer, factor in enumerate(factors):
            rows = slice(layer * width, (layer + 1) * width)
            wide[rows, rows] = -factor / gamma
            wide[rows, (layer + 1) * width : (layer + 2) * width] = np.eye(width)
        tall = wide[:, width:-width]
        found.append(min(np.linalg.svd(part, compute_uv=False)[-1] for part in (wide, tall)))
    return np.array(found)
