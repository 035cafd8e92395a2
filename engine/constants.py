r"""Dichotomy constants: $\|\Phi P_-\| \le C_- r_-^n$ forward and $\|\Phi P_+\| \le C_+ r_+^{-n}$ backward.

A rate near the edge of the spectrum costs a large constant, a rate near 1 leaves no margin.
The rates reported make the split Green bound $1/(C_-/m_- + C_+/m_+)$ as large as it can be.
"""

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from engine.best_rate import Rate, best_rate, log_constant_steps
from engine.lags import Branch, decay_branch, growth_branch
from engine.splitting import Splitting
from engine.steps import Steps, drained, stretch


class Dichotomy(NamedTuple):
    r"""Rates, margins and constants of a splitting; growth factors per layer.

    **Fields:**

    - `status`: `ok`, or `no-split` when there is no splitting or no gap around 1.
    - `rank`: number of growing directions.
    - `decay_rate`, `growth_rate`: $r_- < 1 < r_+$; None for an absent branch.
    - `decay_margin`, `growth_margin`: $1 - r_-$ and $r_+ - 1$; inf for an absent branch.
    - `constant_decay`, `constant_growth`: $C_-(r_-)$ and $C_+(r_+)$; 0 for an absent branch.
    - `constant`: the larger of the two. Without a splitting margins are 0 and constants inf.
    """

    status: Literal["ok", "no-split"]
    rank: int
    decay_rate: float | None
    growth_rate: float | None
    decay_margin: float
    growth_margin: float
    constant_decay: float
    constant_growth: float
    constant: float


class SharedRate(NamedTuple):
    r"""One exponent for both branches: $r_- = e^{-a}$, $r_+ = e^{a}$, both with constant K(a).

    **Fields:**

    - `exponent`: a, per layer; inf when both branches die at once, 0 without a splitting.
    - `constant`: $K(a) = \max(C_-(e^{-a}), C_+(e^{a}))$; inf without a splitting.
    """

    exponent: float
    constant: float


class Constants(NamedTuple):
    """Constants of both branches at given rates; 0 for an absent branch."""

    decay: Float[np.ndarray, " decay_rates"]
    growth: Float[np.ndarray, " growth_rates"]


def dichotomy_constants(splitting: Splitting, gap: tuple[float, float]) -> Dichotomy:
    r"""Choose the rates that maximise the split Green bound, and report their constants.

    The bound separates: $m_-/C_-(r_-)$ is maximised over lower edge ≤ r₋ < 1 and
    $m_+/C_+(r_+)$ over 1 < r₊ ≤ upper edge. On a window the constants hold for its layers;
    on a periodic stack for all lags n ≥ 0.

    **Arguments:**

    - `splitting`: of the rank of the gap; if periodic, over one period.
    - `gap`: certified edges around 1, growth factors per layer: (0, …) without decaying and
      (…, inf) without growing directions.

    **Returns:** rates, margins and constants; `no-split` unless the edges lie on either side of 1.

    Reference: theory/cocycle.md B.4-B.6.
    """
    if not _has_gap(splitting, gap):
        return Dichotomy("no-split", splitting.rank, None, None, 0.0, 0.0, np.inf, np.inf, np.inf)
    log_edges = _shrink_edges(gap)
    decay, growth = decay_branch(splitting), growth_branch(splitting)
    slow = best_rate([decay], log_edges[0], "decay") if _present(decay) else None
    fast = best_rate([growth], log_edges[1], "growth") if _present(growth) else None
    constants = [float(np.exp(rate.log_constant)) if rate else 0.0 for rate in (slow, fast)]
    return Dichotomy(
        status="ok",
        rank=splitting.rank,
        decay_rate=float(np.exp(slow.log_rate)) if slow else None,
        growth_rate=float(np.exp(-fast.log_rate)) if fast else None,
        decay_margin=-float(np.expm1(slow.log_rate)) if slow else np.inf,
        growth_margin=float(np.expm1(-fast.log_rate)) if fast else np.inf,
        constant_decay=constants[0],
        constant_growth=constants[1],
        constant=max(constants),
    )


def shared_rate(splitting: Splitting, gap: tuple[float, float]) -> SharedRate:
    r"""Choose the exponent a that maximises $\tanh(a/2) / K(a)$, the roughness bound of a splitting.

    **Arguments:**

    - `splitting`, `gap`: as for `dichotomy_constants`.

    **Returns:** the exponent, at most $\min(-\ln \text{lower}, \ln \text{upper})$, and its constant.

    Reference: Battelli, Franca & Palmer, arXiv 2111.04553, theorem 5.2.
    """
    if not _has_gap(splitting, gap):
        return SharedRate(0.0, np.inf)
    both = [branch for branch in (decay_branch(splitting), growth_branch(splitting)) if _present(branch)]
    rate: Rate = best_rate(both, max(_shrink_edges(gap)), "shared")
    return SharedRate(-rate.log_rate, float(np.exp(rate.log_constant)))


def constants(
    splitting: Splitting,
    decay_rates: Float[np.ndarray, " decay_rates"],
    growth_rates: Float[np.ndarray, " growth_rates"],
) -> Constants:
    r"""Constants $C_-(r)$ and $C_+(r)$ at given rates: the price of every rate, for a curve.

    **Arguments:**

    - `splitting`: a splitting with status `ok`; if periodic, over one period.
    - `decay_rates`: rates r₋ > 0, growth factors per layer.
    - `growth_rates`: rates r₊ > 0, growth factors per layer.

    **Returns:** constants; on a periodic stack upper bounds over all lags, inf at rates that its
    multipliers do not keep.

    **Raises:** `ValueError` for a missing splitting or a rate that is not positive.
    """
    return drained(constants_steps(splitting, decay_rates, growth_rates))


def constants_steps(
    splitting: Splitting,
    decay_rates: Float[np.ndarray, " decay_rates"],
    growth_rates: Float[np.ndarray, " growth_rates"],
) -> Steps[Constants]:
    """Find what `constants` does, one lag of a window a step; its cost grows like L² d³.

    **Arguments, Returns, Raises:** as `constants`.
    """
    if splitting.status != "ok":
        raise ValueError(f'splitting must have status "ok"; got "{splitting.status}".')
    if not ((decay_rates > 0).all() and (growth_rates > 0).all()):
        raise ValueError(
            f"rates must be positive (growth factors per layer); got {decay_rates}, {growth_rates}."
        )
    decay = yield from stretch(log_constant_steps(decay_branch(splitting), np.log(decay_rates)), 0.0, 0.5)
    growth = yield from stretch(log_constant_steps(growth_branch(splitting), -np.log(growth_rates)), 0.5, 1.0)
    return Constants(np.exp(decay), np.exp(growth))


def _has_gap(splitting: Splitting, gap: tuple[float, float]) -> bool:
    return splitting.status == "ok" and gap[0] < 1 < gap[1]


def _present(branch: Branch) -> bool:
    return branch.maps.shape[1] > 0


def _shrink_edges(gap: tuple[float, float]) -> tuple[float, float]:
    """Log shrink factors of the two edges."""
    with np.errstate(divide="ignore"):
        return float(np.log(gap[0])), -float(np.log(gap[1]))
