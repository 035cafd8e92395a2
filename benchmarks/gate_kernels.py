"""Rows of the kernel table about the gate: splitting, constants, certificates, loops and their limits."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import plain_gate
from benchmarks.ratio import Row, compared
from engine import constants, gate
from engine.block_sum import block_sums
from engine.cascade_response import cascade_response
from engine.closed_window import closed_window_spectrum
from engine.constants import Dichotomy
from engine.dichotomy import window_spectrum
from engine.green import green_norm
from engine.hold import held_loop
from engine.injection import Injection
from engine.ladder import ladder
from engine.qr_flow import random_frame
from engine.self_loop import SelfLoop
from engine.sigma_test import sigma_test
from engine.splitting import Splitting, split
from engine.trajectory import trajectories
from presets import build
from presets.load import validate

LAYERS, WIDTH, WINDOW = 128, 8, 32

RATES = 60
"""Rates at which the constants are taken, on each side of 1."""

RUNS, STRONGEST = 101, 0.05
"""Amplitudes at which u* is found, and the largest."""

BLOCKS, HOLD = 16, 8

FAMILY = {
    "kind": "turning",
    "multipliers": [1.3, 1.2, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2],
    "value": [0.4, 0.4, 0.3, 0.2, 0.2, 0.1, 0.1, 0.1],
    "turn": 0.1,
    "skew": 0.5,
}


class _Case(NamedTuple):
    """A window of layers that split, and an injection."""

    factors: np.ndarray
    splitting: Splitting
    gap: tuple[float, float]
    weights: np.ndarray


def rows() -> Iterator[Row]:
    """Measure every kernel of the gate."""
    case = _case()
    size = f"L = {LAYERS}, d = {WIDTH}"
    rank = case.splitting.rank
    yield compared(
        "splitting and projectors",
        size,
        lambda: split(case.factors, rank, periodic=False).persistent,
        lambda: plain_gate.projectors(case.factors, rank, random_frame(WIDTH)),
    )
    yield _constants(case, size)
    yield compared(
        "Green operator, row sums",
        size,
        lambda: block_sums(case.splitting),
        lambda: plain_gate.green_rows(
            case.splitting.decay,
            case.splitting.read_stable,
            np.linalg.inv(case.splitting.grow),
            case.splitting.read_unstable,
        ),
    )
    yield _ladder(case, size)
    yield _continuation(case, size)
    yield _refresh()
    yield _closed(case, size)
    yield _cascade(case, size)
    yield _sigma(case)


def _case() -> _Case:
    factors = build.stack(validate({"depth": LAYERS, "family": FAMILY})).factors
    found = window_spectrum(factors, WINDOW)
    assert found.persistent_rank is not None
    assert found.gap is not None
    weights = np.random.default_rng(2).standard_normal((WIDTH, WIDTH))
    splitting = split(factors, found.persistent_rank, periodic=False)
    return _Case(factors, splitting, found.gap, weights / np.linalg.norm(weights, 2))


def _worst_norms(splitting: Splitting) -> tuple[np.ndarray, np.ndarray]:
    """Plain N₋ and N₊ of a window."""
    backwards = np.linalg.inv(splitting.grow)[::-1]
    return (
        plain_gate.worst_norms(splitting.decay, splitting.read_stable),
        plain_gate.worst_norms(backwards, splitting.read_unstable[::-1]),
    )


def _rates(gap: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    return np.linspace(gap[0], 0.99, RATES), np.linspace(1.01, gap[1], RATES)


def _constants(case: _Case, size: str) -> Row:
    decay, growth = _rates(case.gap)

    def plain() -> np.ndarray:
        forward, backward = _worst_norms(case.splitting)
        return np.append(plain_gate.constants(forward, decay), plain_gate.constants(backward, 1 / growth))

    return compared(
        "N± at all lags, C(r) at 2 × 60 rates",
        size,
        lambda: np.concatenate(constants.constants(case.splitting, decay, growth)),
        plain,
        target=40,
    )


def _ladder(case: _Case, size: str) -> Row:
    """Measure the ladder from the layers on; the plain way scans its rates, so they agree to 1 %."""
    rank = case.splitting.rank

    def ours() -> float:
        splitting = split(case.factors, rank, periodic=False)
        found = constants.dichotomy_constants(splitting, case.gap)
        shared = constants.shared_rate(splitting, case.gap)
        return ladder(found, shared, green_norm(splitting, found), None, 1.0).green_bound_split

    def plain() -> float:
        plain_gate.projectors(case.factors, rank, random_frame(WIDTH))
        forward, backward = _worst_norms(case.splitting)
        decay, growth = (
            np.linspace(edge, 1, 2000, endpoint=False) for edge in (case.gap[0], 1 / case.gap[1])
        )
        costs = plain_gate.constants(forward, decay) / (1 - decay)
        others = plain_gate.constants(backward, growth) / (1 / growth - 1)
        return 1 / (costs.min() + others.min())

    return compared("ladder, from the layers on", size, ours, plain, within=1e-2)


def _continuation(case: _Case, size: str) -> Row:
    bias = np.full(WIDTH, 0.3)
    none = Dichotomy("no-split", case.splitting.rank, None, None, 0.0, 0.0, np.inf, np.inf, np.inf)
    loop = SelfLoop(case.factors, case.splitting, none, Injection(case.weights, bias, saturating=True))
    amplitudes = np.linspace(0, STRONGEST, RUNS)
    ends = case.splitting.read_stable[0], case.splitting.read_unstable[-1]
    return compared(
        f"u* followed over {RUNS} amplitudes",
        f"{size}; SciPy banded",
        lambda: trajectories(loop, amplitudes).states,
        lambda: plain_gate.newton(case.factors, ends, case.weights, bias, amplitudes),
        target=2.5,
    )


def _refresh() -> Row:
    """Measure the limit of a repeated layer whose summary is held; the plain way scans 800 amplitudes."""
    random = np.random.default_rng(3)
    turned = np.linalg.qr(random.standard_normal((WIDTH, WIDTH)))[0]
    factor = turned @ np.diag(FAMILY["multipliers"]) @ turned.T
    weights = random.standard_normal((WIDTH, WIDTH))
    weights /= np.linalg.norm(weights, 2)

    def ours() -> list[float | None]:
        found = gate.boundary(held_loop(factor[None], weights, HOLD, periodic=True))
        return [found.negative, found.positive]

    return compared(
        "gate limit of a held summary",
        f"tied, d = {WIDTH}, L_r = {HOLD}; scan of 800 ϱ",
        ours,
        lambda: plain_gate.circle_crossings(factor, weights, HOLD, 1.0, 401),
    )


def _closed(case: _Case, size: str) -> Row:
    amplitude = 0.02
    loop = held_loop(case.factors, case.weights, 1, periodic=False)
    closed = case.factors + amplitude * case.weights

    def ours() -> list[float]:
        found = closed_window_spectrum(loop, amplitude, WINDOW)
        return [found.lower.min(), found.upper.max()]

    def plain() -> list[float]:
        lower, upper = plain_gate.growth_edges(closed, random_frame(WIDTH), WINDOW)
        return [lower.min(), upper.max()]

    return compared("closed spectrum, certified", f"{size}, H = {WINDOW}; without certificate", ours, plain)


def _cascade(case: _Case, size: str) -> Row:
    return compared(
        "cascade response",
        f"{size}, K = {BLOCKS}",
        lambda: np.exp(cascade_response(case.factors, case.weights, BLOCKS).log_peak),
        lambda: plain_gate.chain_peaks(case.factors, case.weights, BLOCKS),
    )


def _sigma(case: _Case) -> Row:
    layers, gammas = case.factors[:32], np.linspace(0.2, 1.4, 32)
    return compared(
        "σ test at 32 growth factors",
        f"L = 32, d = {WIDTH}; dense SVD",
        lambda: sigma_test(layers, gammas).value,
        lambda: plain_gate.least_singular(layers, gammas),
    )
