"""The kernels of tokens and blocks written the plain way: NumPy, layer by layer."""

import numpy as np


def averaged(states: np.ndarray, tokens: int) -> np.ndarray:
    """Apply the causal kernel along the second axis of blocks, by cumulative means."""
    counts = np.arange(1, tokens + 1)
    return np.cumsum(states, axis=1) / counts.reshape(-1, *[1] * (states.ndim - 2))


def flow(states: np.ndarray, mixing: np.ndarray, value: np.ndarray, tokens: int) -> np.ndarray:
    """Carry tokens, whole blocks of them, through the layers."""
    width = states.shape[1]
    blocks = states.reshape(-1, tokens, width)
    for own, read in zip(mixing, value, strict=True):
        blocks = blocks + blocks @ own.T + averaged(blocks, tokens) @ read.T
    return blocks.reshape(-1, width)


def token_maps(mixing: np.ndarray, value: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Return the whole flow of one block at every depth, each as (tokens, tokens, d, d)."""
    width = mixing.shape[1]
    current = np.einsum("ts,ab->tsab", np.eye(tokens), np.eye(width))
    maps = [current]
    for own, read in zip(mixing, value, strict=True):
        means = averaged(current[None], tokens)[0]
        current = current + np.einsum("ab,tsbc->tsac", own, current) + np.einsum("ab,tsbc->tsac", read, means)
        maps.append(current)
    return maps


def token_sup(blocks: np.ndarray) -> float:
    """Largest row sum of the spectral norms of the blocks."""
    return float(np.linalg.norm(blocks, 2, axis=(2, 3)).sum(axis=1).max())


def without_first(blocks: np.ndarray) -> np.ndarray:
    """Multiply by Q from the right: what separates the tokens from the first one."""
    found = blocks.copy()
    found[:, 0] -= blocks.sum(axis=1)
    return found


def fluctuations(mixing: np.ndarray, value: np.ndarray, tokens: int) -> np.ndarray:
    """Token-sup norm of the token differences at every depth."""
    return np.array([token_sup(without_first(blocks)) for blocks in token_maps(mixing, value, tokens)])


def sectors(mixing: np.ndarray, value: np.ndarray, tokens: int) -> np.ndarray:
    """Norm of every sector's product at the last depth, sector by sector, layer by layer."""
    width, norms = mixing.shape[1], []
    for sector in range(1, tokens + 1):
        product, sizes = np.eye(width), [1.0]
        for own, read in zip(mixing, value, strict=True):
            product = product + own @ product + read @ product / sector
            sizes.append(float(np.linalg.norm(product, 2)))
        norms.append(sizes)
    return np.array(norms)


def switch_errors(mixing: np.ndarray, value: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """E(s,ℓ) of every pair of depths, smallest ℓ first."""
    maps = token_maps(mixing, value, len(weights))
    width, errors = mixing.shape[1], []
    factors = np.eye(width) + mixing + value
    for end, whole in enumerate(maps):
        shared, row = np.eye(width), []
        for switch in range(end, -1, -1):
            summary = np.einsum("t,tsab->sab", weights, maps[switch])
            row.append(token_sup(whole - (shared @ summary)[None]))
            shared = shared @ factors[switch - 1] if switch else shared
        errors += row[::-1]
    return np.array(errors)
