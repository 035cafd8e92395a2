r"""A residual stack as Euler's method: how fast $\prod (I + h A(t_i))$ tends to the flow of $u' = A(t)u$.

Theorem 4 is a statement about refinement, h → 0: the error is of first order in h. At the
network's own step, h = 1 with |A| near 1, its bound is of order one per layer.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from engine.magnus_flow import DepthGenerator, step_flows
from engine.order_fit import FittedOrder, fitted_order

Interpolation = Literal["linear", "constant"]
"""Between two layers: a straight line, or the earlier layer (then only exp(A) and I + A differ)."""

FLOW_CHANGE = 1e-11
"""Halving the steps of the reference flow ends below this change; what is left is a 64th of it."""

FLOW_ERROR = 1e-12
"""Euler errors below this share of the flow are not told apart from those of the reference."""

FLOW_STEPS_PER_LAYER = (1, 2, 4, 8, 16, 32, 64, 128)

SAMPLES = 1024
"""Samples of A along the whole depth for the bounds; at least both ends of every step."""

INSIDE = 1 - 1e-9
"""The last sample of a step lies before the next one begins."""

TINY = np.finfo(np.float64).tiny


class EulerStudy(NamedTuple):
    r"""Euler's method at several step sizes; sizes as natural logs, so that deep stacks fit.

    **Fields:**

    - `step_sizes`: h, in layers.
    - `log_errors`: $\log\|\prod(I + hA) - \Phi\|_2$; −inf where they agree exactly.
    - `log_paper_bound`: $\frac{L}{h} e^{a(L-h)}\,(e^{ah} - 1 - ah + h\,\omega(h))$ with a = sup|A|.
    - `log_sharp_bound`: the same sum with the growth each step really meets: log-norms behind
      it, $\|I + hA\|$ before it, its own |A| and modulus inside it.
    - `log_flow`: $\log\|\Phi\|_2$.
    - `order`: exponent of the error in h.
    """

    step_sizes: Float[np.ndarray, " sizes"]
    log_errors: Float[np.ndarray, " sizes"]
    log_paper_bound: Float[np.ndarray, " sizes"]
    log_sharp_bound: Float[np.ndarray, " sizes"]
    log_flow: float
    order: FittedOrder


def interpolated(generators: Float[np.ndarray, "layers d d"], interpolation: Interpolation) -> DepthGenerator:
    r"""Read the layers as one generator A(t) with A(l) = M(l) + V(l) at whole t, on [0, L].

    **Arguments:**

    - `generators`: A of every layer, first layer first.
    - `interpolation`: what lies between two layers; behind the last one it is held.

    **Returns:** A(t) for arrays of times.

    **Raises:** `ValueError` for an empty stack.
    """
    if not len(generators):
        raise ValueError("generators must hold at least one layer; got a stack of 0.")
    last = len(generators) - 1

    def at(times: Float[np.ndarray, " times"]) -> Float[np.ndarray, "times d d"]:
        below = np.clip(np.floor(times + 1e-12).astype(int), 0, last)
        if interpolation == "constant":
            return generators[below]
        share = np.clip(times - below, 0.0, 1.0)[:, None, None]
        return (1 - share) * generators[below] + share * generators[np.minimum(below + 1, last)]

    return at


def euler_study(generator: DepthGenerator, length: float, steps: Sequence[int]) -> EulerStudy:
    r"""Refine the steps and compare Euler's product with the flow.

    Sups and integrals in the bounds are taken over samples of A; they are exact for both
    interpolations of a stack when the steps divide its layers.

    **Arguments:**

    - `generator`: A(t) on [0, length], smooth between whole t.
    - `length`: depth L, in layers.
    - `steps`: numbers of steps n; h = L/n.

    **Returns:** errors, both bounds and the order.

    **Raises:** `ValueError` unless the length is positive and every n at least 1.
    """
    if not length > 0 or not steps or min(steps) < 1:
        raise ValueError(f"length must be positive and steps at least 1; got {length} and {list(steps)}.")
    flow, log_scale = _reference_flow(generator, length)
    log_flow = float(np.log(np.linalg.norm(flow, 2)) + log_scale)
    rows = [_one_size(generator, length, count, flow, log_scale) for count in steps]
    errors, paper, sharp = np.array(rows).T
    sizes = length / np.array(steps, dtype=np.float64)
    order = fitted_order(sizes, np.exp(errors - log_flow), FLOW_ERROR)
    return EulerStudy(sizes, errors, paper, sharp, log_flow, order)


def _reference_flow(generator: DepthGenerator, length: float) -> tuple[np.ndarray, float]:
    """Flow over the whole length as a matrix of size about one and the log of its scale."""
    found, log_scale = np.zeros(()), 0.0
    for each in FLOW_STEPS_PER_LAYER:
        count = each * int(np.ceil(length))
        size = length / count
        refined, log_refined = _product(step_flows(generator, size * np.arange(count), size))
        change = float(np.abs(refined - found * np.exp(min(log_scale - log_refined, 0.0))).max())
        found, log_scale = refined, log_refined
        if change <= FLOW_CHANGE:
            break
    return found, log_scale


def _one_size(
    generator: DepthGenerator, length: float, count: int, flow: np.ndarray, log_scale: float
) -> tuple[float, float, float]:
    """Log error, log of the paper's bound and log of the sharp bound for one number of steps."""
    size = length / count
    starts = size * np.arange(count)
    nodes = np.linspace(0.0, 1.0, max(1, SAMPLES // count) + 1)
    samples = generator((starts[:, None] + size * np.minimum(nodes, INSIDE)).ravel())
    samples = samples.reshape(count, len(nodes), *samples.shape[1:])
    first = samples[:, :1]
    maps = np.eye(flow.shape[0]) + size * first[:, 0]
    product, log_product = _product(maps)
    away = np.pad(np.linalg.norm(samples[:, 1:] - first, 2, axis=(2, 3)), ((0, 0), (1, 0)))
    norms = np.linalg.norm(samples, 2, axis=(2, 3)).max(axis=1)
    log_norms = np.linalg.eigvalsh((samples + np.swapaxes(samples, 2, 3)) / 2)[..., -1]
    behind = size * np.trapezoid(log_norms, nodes, axis=1)
    with np.errstate(divide="ignore"):
        before = np.cumsum(np.log(np.linalg.norm(maps, 2, axis=(1, 2))))
        inner = np.log(_beyond_first(norms * size) + size * np.trapezoid(away, nodes, axis=1))
        paper = np.log(_beyond_first(norms.max() * size) + size * away.max())
        error = _log_distance(product, log_product, flow, log_scale)
    later = behind.sum() - np.cumsum(behind)
    sharp = np.logaddexp.reduce(later + inner + np.concatenate([[0.0], before[:-1]]))
    return error, float(np.log(count) + norms.max() * (length - size) + paper), float(sharp)


def _beyond_first(size: np.ndarray | float) -> np.ndarray | float:
    """Return eˣ − 1 − x without cancellation for small x."""
    series = size**2 / 2 * (1 + size / 3 * (1 + size / 4 * (1 + size / 5)))
    return np.where(np.abs(size) < 1e-2, series, np.expm1(size) - size)


def _product(maps: Float[np.ndarray, "steps d d"]) -> tuple[Float[np.ndarray, "d d"], float]:
    """Multiply all maps, newest left, in pairs of neighbours, each product scaled to size one."""
    logs = np.zeros(len(maps))
    while len(maps) > 1:
        if len(maps) % 2:
            maps = np.concatenate([maps, np.eye(maps.shape[1])[None]])
            logs = np.append(logs, 0.0)
        maps, logs = maps[1::2] @ maps[::2], logs[1::2] + logs[::2]
        scale = np.maximum(np.abs(maps).max(axis=(1, 2)), TINY)
        maps, logs = maps / scale[:, None, None], logs + np.log(scale)
    return maps[0], float(logs[0])


def _log_distance(product: np.ndarray, log_product: float, flow: np.ndarray, log_flow: float) -> float:
    top = max(log_product, log_flow)
    distance = product * np.exp(log_product - top) - flow * np.exp(log_flow - top)
    return float(np.log(np.linalg.norm(distance, 2)) + top)
