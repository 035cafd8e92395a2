r"""The rate at which a branch's bound is strongest: largest margin for its constant.

With x the shrink factor per layer ($x = r_-$, or $x = 1/r_+$) and $C(x) = \sup_n N[n] x^{-n}$,
a branch enters the Green bound as $C/m$. The inverse $m/C$ has a logarithm concave in ln x:
it has one maximum, found by the sign of its slope.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from engine.lag_tail import Tail, tail
from engine.lags import Branch, log_norms, log_norms_steps
from engine.steps import Steps, drained

FIRST_LAGS = 32
"""Lags computed before asking whether more could matter; doubled until they cannot."""

MOST_PRODUCTS = 2**16
"""Products per branch on a periodic stack (starts times lags); then the best certified rate is taken."""

MOST_LAGS = 4096
"""Lags computed at most on a periodic stack, however short its period."""

SHARP = 1e-11
"""Loss of ln(m/C) accepted against the best that the computed lags allow."""

CURVE_LAGS = 256
"""Lags computed for a curve of constants on a periodic stack."""

SAME_RATE = 1e-12
"""A rate this close (natural log) to the slowest multiplier of a periodic stack counts as that."""

LEAST_LOG_RATE = -700.0
"""Natural log of the smallest shrink factor told apart from zero."""

HALVINGS = 100
"""Bisection steps; enough for the last bit."""

Margin = Literal["decay", "growth", "shared"]
"""What is weighed against the constant: $1 - r_-$, $r_+ - 1$, or $\\tanh(a/2)$ with $x = e^{-a}$."""


class Rate(NamedTuple):
    r"""Chosen shrink factor and its constant, natural logs.

    **Fields:**

    - `log_rate`: $\ln r_-$, $-\ln r_+$ or −a; negative, −inf for a branch dead after one layer.
    - `log_constant`: ln C at that rate; an upper bound over all lags, +inf when none was found.
    """

    log_rate: float
    log_constant: float


def best_rate(branches: Sequence[Branch], log_edge: float, margin: Margin) -> Rate:
    r"""Maximise margin / constant over the shrink factors from a certified edge up to 1.

    Two arguments bound the lags beyond those computed. Norms are submultiplicative, so no lag
    matters that is larger than some n with $N[n] \le x^n$; and on a periodic stack they follow
    `engine.lag_tail`. More lags are computed until the better of the two is as good as ignoring
    the rest would be; the result is never too favourable.

    **Arguments:**

    - `branches`: branches in reduced coordinates that share the rate; the worse norm counts.
    - `log_edge`: log of the certified edge, negative; −inf when everything may die at once.
    - `margin`: `decay`, `growth` or `shared`.

    **Returns:** the rate and its constant.

    **Raises:** `ValueError` unless `log_edge` is negative.

    Reference: theory/cocycle.md B.4-B.6; Coppel, Dichotomies in Stability Theory, lecture 2.
    """
    if not log_edge < 0:
        raise ValueError(f"log_edge must be negative, else no rate is left below 1; got {log_edge}.")
    most = _most_lags(branches)
    count = min(FIRST_LAGS, most)
    while True:
        norms, floor = _known(branches, count)
        enough = _log_value(_maximum(norms, log_edge, margin), margin) - SHARP
        best = _maximum(norms, max(log_edge, floor), margin)
        if _log_value(best, margin) < enough:
            beyond = _beyond(branches, count + 1)
            other = _maximum(np.append(norms, beyond.log_norm), max(log_edge, beyond.log_rate), margin)
            best = max(best, other, key=lambda rate: _log_value(rate, margin))
        if count == most or _log_value(best, margin) >= enough:
            return best
        count = min(2 * count, most)


def log_constant(branch: Branch, log_rates: Float[np.ndarray, " rates"]) -> Float[np.ndarray, " rates"]:
    r"""$\ln C(x) = \sup_n (\ln N[n] - n \ln x)$ at given shrink factors, over all lags.

    **Arguments:**

    - `branch`: a branch in reduced coordinates.
    - `log_rates`: ln x for each shrink factor.

    **Returns:** natural logs, upper bounds on a periodic stack; +inf below its multipliers.
    """
    return drained(log_constant_steps(branch, log_rates))


def log_constant_steps(
    branch: Branch, log_rates: Float[np.ndarray, " rates"]
) -> Steps[Float[np.ndarray, " rates"]]:
    """Find what `log_constant` does, one lag of a window a step."""
    count = min(_most_lags([branch]), CURVE_LAGS if branch.periodic else len(branch.maps))
    norms = yield from log_norms_steps(branch, count)
    floor = _floor(norms)
    beyond = _beyond([branch], count + 1)
    near = np.abs(log_rates - beyond.log_rate) <= SAME_RATE
    log_rates = np.where(near, np.maximum(log_rates, beyond.log_rate), log_rates)
    known = _log_supremum(norms, log_rates)
    rest = np.where(log_rates >= beyond.log_rate, beyond.log_norm - len(norms) * log_rates, np.inf)
    return np.where(log_rates >= floor, known, np.maximum(known, rest))


def _most_lags(branches: Sequence[Branch]) -> int:
    """Largest lag worth computing: all of a window, a share of the budget on a periodic stack."""
    period = len(branches[0].maps)
    return min(max(MOST_PRODUCTS // period, period), MOST_LAGS) if branches[0].periodic else period


def _known(branches: Sequence[Branch], count: int) -> tuple[Float[np.ndarray, " lags"], float]:
    """Worst norms at the lags 0 … count, and the least log rate at which they alone decide the constant."""
    each = [log_norms(branch, count) for branch in branches]
    return np.max(each, axis=0), max(map(_floor, each))


def _floor(norms: Float[np.ndarray, " lags"]) -> float:
    """Least log rate at which known norms alone decide the constant."""
    return float((norms[1:] / np.arange(1, len(norms))).min())


def _beyond(branches: Sequence[Branch], count: int) -> Tail:
    """Worst of the branches' bounds behind the known lags."""
    tails = [tail(branch, count) for branch in branches]
    return Tail(max(each.log_rate for each in tails), max(each.log_norm for each in tails))


def _maximum(norms: Float[np.ndarray, " lags"], log_edge: float, margin: Margin) -> Rate:
    """Bisect for the shrink factor in [edge, 1) where the slope of ln(margin / constant) turns negative."""
    if log_edge >= 0 or np.isposinf(norms).any():
        return Rate(log_edge, np.inf)
    lower, upper = max(log_edge, LEAST_LOG_RATE), 0.0
    if _slope(norms, lower, margin) <= 0:
        upper = lower
    for _ in range(HALVINGS):
        middle = (lower + upper) / 2
        if not lower < middle < upper:
            break
        rises = _slope(norms, middle, margin) > 0
        lower, upper = (middle, upper) if rises else (lower, middle)
    constant = float(_log_supremum(norms, np.array([lower]))[0])
    return Rate(lower if lower > LEAST_LOG_RATE else -np.inf, constant)


def _slope(norms: np.ndarray, log_rate: float, margin: Margin) -> float:
    """Slope of ln(margin / constant) in ln x: the lag that decides the constant, less the margin's own."""
    deciding = float(np.argmax(norms - np.arange(len(norms)) * log_rate))
    match margin:
        case "decay":
            return deciding - 1 / np.expm1(-log_rate)
        case "growth":
            return deciding + 1 / np.expm1(log_rate)
        case "shared":
            return deciding + 1 / np.sinh(log_rate)


def _log_value(rate: Rate, margin: Margin) -> float:
    """Log of margin / constant."""
    if np.isposinf(rate.log_constant):
        return -np.inf
    match margin:
        case "decay":
            size = -np.expm1(rate.log_rate)
        case "growth":
            size = np.expm1(-rate.log_rate)
        case "shared":
            size = np.tanh(-rate.log_rate / 2)
    return float(np.log(size) - rate.log_constant)


def _log_supremum(norms: np.ndarray, log_rates: np.ndarray) -> np.ndarray:
    return (norms - np.arange(len(norms)) * log_rates[:, None]).max(axis=1)
