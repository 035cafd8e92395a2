"""From which depth on the tokens of a block agree."""

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float


class Depth(NamedTuple):
    """Where a decaying curve settles below a tolerance.

    **Fields:**

    - `status`: `reached`, `not-reached` (the curve ends above the tolerance) or
      `trivial` (it never exceeds the tolerance).
    - `depth`: layers after which the curve stays below the tolerance; None when not reached.
    - `first_crossing`: first layer below the tolerance, however brief; None when there is none.
    """

    status: Literal["reached", "not-reached", "trivial"]
    depth: int | None
    first_crossing: int | None


def saturation_depth(log_curve: Float[np.ndarray, " depths"], tolerance: float) -> Depth:
    r"""Measure the smallest $\ell_0$ with curve(l) ≤ tolerance for all $\ell_0 \le \ell \le L$.

    A curve that dips below the tolerance and comes back is not saturated by its dip.
    Nothing is extrapolated: a curve above the tolerance at its end has not saturated
    within these layers.

    **Arguments:**

    - `log_curve`: natural log of the curve at depths 0..L; −inf for zero.
    - `tolerance`: positive threshold, in the curve's own unit.

    **Returns:** the settled depth and the first crossing, in layers.

    **Raises:** `ValueError` for an empty or undefined curve or a tolerance that is not positive.
    """
    if not tolerance > 0:
        raise ValueError(f"tolerance must be positive; got {tolerance}.")
    if not len(log_curve) or np.isnan(log_curve).any():
        raise ValueError(f"log_curve must hold numbers at depths 0..L; got {log_curve}.")
    above = np.flatnonzero(log_curve > np.log(tolerance))
    if not len(above):
        return Depth("trivial", 0, 0)
    below = np.flatnonzero(log_curve <= np.log(tolerance))
    first = int(below[0]) if len(below) else None
    settled = int(above[-1]) + 1
    if settled == len(log_curve):
        return Depth("not-reached", None, first)
    return Depth("reached", settled, first)


def paper_bound(log_kappa: float, constant: float, rate: float, tolerance: float) -> int | None:
    r"""The paper's depth bound $\lceil \log(\kappa_\alpha C_f/\mathrm{tol}) / \log(1/r_f) \rceil$, C′ = 1.

    It ignores the cancellation between sectors: it grows like P where the truth grows
    like log P.

    **Arguments:**

    - `log_kappa`: natural log of the kernel's eigenvector condition number.
    - `constant`: C_f ≥ 0 of the transverse sectors.
    - `rate`: r_f ≥ 0, growth factor per layer.
    - `tolerance`: positive threshold.

    **Returns:** layers, at least 0; None when r_f ≥ 1 or C_f is infinite, for then there
    is no bound. At r_f = 0 it is the limit from above: 1 layer.

    **Raises:** `ValueError` unless tolerance > 0, constant ≥ 0 and rate ≥ 0.
    """
    if not (tolerance > 0 and constant >= 0 and rate >= 0):
        raise ValueError(
            "tolerance must be positive, constant and rate at least 0; "
            f"got tolerance {tolerance}, constant {constant}, rate {rate}."
        )
    if rate >= 1 or constant == np.inf:
        return None
    if constant == 0:
        return 0
    needed = log_kappa + np.log(constant) - np.log(tolerance)
    if needed <= 0:
        return 0
    return 1 if rate == 0 else int(np.ceil(needed / -np.log(rate)))
