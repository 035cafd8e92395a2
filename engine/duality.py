r"""What compressing a block costs, by the depth at which it is done.

The whole block up to layer s, its summary from there on: the error is
$E(s,\ell) = |\Phi_{\mathrm{full}}(\ell,0) - \iota\,\Phi_1(\ell,s)\,\Pi\,\Phi_{\mathrm{full}}(s,0)|$ in the
token-sup norm, where $\iota$ copies the summary to every token. What the tokens share drops out of
the difference, so the fluctuation map alone is needed and nothing large is subtracted from itself.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from engine.compressions import last_weights
from engine.device import CONCURRENT_KERNELS
from engine.fluctuation_map import rows_at
from engine.kernel import Kind, check_block, check_stack
from engine.sectors import sector_norms
from engine.switch_error import Scaled, bidirectional_errors, causal_errors

LIVE_BLOCKS = 600_000
"""Blocks of eight features whose norms a live surface may need: about a second on one core."""

MOST_DEPTHS = 65
FEWEST_DEPTHS = 6

UNIT_SUM = 1e-9
"""How far the weights of a compression may be from summing to 1."""


class DualitySurface(NamedTuple):
    r"""Error of switching to the summary at depth s, seen at depth l ≥ s, one entry per pair.

    **Fields:**

    - `switch`: s, layers the whole block has passed.
    - `depth`: l, layers in all.
    - `log_absolute`: $\log E(s,\ell)$; −inf for no error.
    - `log_relative`: the same minus $\log\|\Phi_1(\ell,0)\|_2$; +inf where only the error is left.
    """

    switch: Int[np.ndarray, " pairs"]
    depth: Int[np.ndarray, " pairs"]
    log_absolute: Float[np.ndarray, " pairs"]
    log_relative: Float[np.ndarray, " pairs"]


def surface_depths(depth: int, block_length: int, width: int) -> Int[np.ndarray, " chosen"]:
    """Choose depths for a surface drawn live: all of them, or evenly spaced ones when that is too many.

    **Arguments:**

    - `depth`: layers L of the stack.
    - `block_length`: tokens per block P.
    - `width`: features d.

    **Returns:** increasing depths, 0 and L among them: between 6 and 65, if there are as many.

    **Raises:** `ValueError` unless all are at least 1.
    """
    if min(depth, block_length, width) < 1:
        raise ValueError(
            f"depth, block_length and width must be at least 1; got {depth}, {block_length}, {width}."
        )
    blocks = block_length**2 * max(1.0, (width / 8) ** 3)
    affordable = int(np.clip(2 * np.sqrt(LIVE_BLOCKS / blocks), FEWEST_DEPTHS, MOST_DEPTHS))
    return np.unique(np.round(np.linspace(0, depth, min(affordable, depth + 1))).astype(int))


def duality_surface(
    mixing: Float[np.ndarray, "layers d d"],
    value: Float[np.ndarray, "layers d d"],
    weights: Float[np.ndarray, " tokens"],
    kind: Kind,
    depths: Int[np.ndarray, " chosen"],
) -> DualitySurface:
    r"""Error of every pair of chosen depths, exact and free of overflow.

    Read out by the kernel's own left vector $\pi_*$ (causal: the first token; bidirectional: the
    mean) the error is $|F_\perp(\ell)|$ whatever s. Otherwise
    $E(s,\ell) \le |F_\perp(\ell)| + |\pi-\pi_*|_1 \|\Phi_1(\ell,s)\| |F_\perp(s)|$: compressing the input
    under a causal kernel leaves a relative error near $|\pi-\pi_*|_1$ for good.

    **Arguments:**

    - `mixing`: token-wise Jacobians M(l), first layer first.
    - `value`: value-path Jacobians V(l), likewise.
    - `weights`: the compression π over the tokens of one block (see `engine.compressions`).
    - `kind`: `causal` or `bidirectional`; under a leak a block has no cocycle of its own to switch to.
    - `depths`: increasing depths in 0..L; every pair s ≤ l of them is computed.

    **Returns:** the pairs and their errors, smallest l first.

    **Raises:** `ValueError` for an empty block, an unknown kind, weights that do not sum to
    1, stacks of different shape, or depths that do not increase within 0..L.
    """
    check_block(len(weights), kind)
    check_stack(mixing, value)
    if not abs(weights.sum() - 1) <= UNIT_SUM:
        raise ValueError(f"weights must sum to 1; got {weights} with sum {weights.sum()}.")
    if not len(depths) or (np.diff(depths) <= 0).any() or depths[0] < 0 or depths[-1] > len(mixing):
        raise ValueError(f"depths must increase within 0..{len(mixing)} (layers); got {depths}.")
    layers = np.eye(mixing.shape[-1]) + mixing
    products = _products(layers + value, depths)
    errors_at = _causal if kind == "causal" else _bidirectional
    errors = errors_at(layers, value, weights, depths, products)
    pairs = np.array([(switch, end) for end in range(len(depths)) for switch in range(end + 1)])
    switch, end = depths[pairs].T
    shared = sector_norms(mixing, value, np.ones(1))[0][end]
    gone = np.isneginf(errors)
    return DualitySurface(switch, end, errors, np.where(gone, -np.inf, errors - np.where(gone, 0.0, shared)))


def _causal(
    layers: np.ndarray, value: np.ndarray, weights: np.ndarray, depths: np.ndarray, products: list[Scaled]
) -> Float[np.ndarray, " pairs"]:
    rows, log_rows = rows_at(layers, value, last_weights(len(weights)), depths)
    summaries, log_summaries = rows_at(layers, value, weights, depths)

    def at(end: int) -> np.ndarray:
        shared, log_shared = products[end]
        compressed = Scaled(shared[:, None] @ summaries[: end + 1], log_shared + log_summaries[: end + 1])
        return causal_errors(Scaled(rows[end], log_rows[end]), compressed)

    with ThreadPoolExecutor(CONCURRENT_KERNELS) as pool:
        return np.concatenate(list(pool.map(at, range(len(depths)))))


def _bidirectional(
    layers: np.ndarray, value: np.ndarray, weights: np.ndarray, depths: np.ndarray, products: list[Scaled]
) -> Float[np.ndarray, " pairs"]:
    transverse = _products(layers, np.unique([0, *depths]))[-len(depths) :]
    own = [Scaled(found.matrices[0], found.log_scale[0]) for found in transverse]
    errors = []
    for end, (shared, log_shared) in enumerate(products):
        before = np.array([found.matrices for found in own[: end + 1]])
        log_before = np.array([found.log_scale for found in own[: end + 1]])
        errors.append(
            bidirectional_errors(own[end], Scaled(shared @ before, log_shared + log_before), weights)
        )
    return np.concatenate(errors)


def _products(layers: Float[np.ndarray, "layers d d"], depths: Int[np.ndarray, " chosen"]) -> list[Scaled]:
    """For each chosen depth l the products of layers s..l−1 from every chosen s ≤ l, of Frobenius norm 1."""
    width = layers.shape[-1]
    current, log_scale = np.empty((0, width, width)), np.empty(0)
    found = []
    for start, stop in pairwise([depths[0], *depths]):
        for layer in layers[start:stop]:
            current = layer @ current
            sizes = np.linalg.norm(current, axis=(1, 2))
            current = current / np.where(sizes > 0, sizes, 1.0)[:, None, None]
            with np.errstate(divide="ignore"):
                log_scale = log_scale + np.log(sizes)
        current = np.concatenate([current, np.eye(width)[None]])
        log_scale = np.append(log_scale, 0.0)
        found.append(Scaled(current, log_scale))
    return found
