r"""The order of a small effect: the slope of its size against the size of its cause, both as logs."""

import math
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float


class FittedOrder(NamedTuple):
    """How fast an effect vanishes with its cause.

    **Fields:**

    - `status`: `order`; `zero` when at most one size is above round-off; `missing` when at
      most one size exists.
    - `slope`: exponent q of effect ∝ cause^q, None without `order`.
    """

    status: Literal["order", "zero", "missing"]
    slope: float | None


def fitted_order(
    causes: Float[np.ndarray, " sizes"], effects: Float[np.ndarray, " sizes"], floor: float
) -> FittedOrder:
    r"""Fit $\log$ effect $= q \log$ cause $+ c$ by least squares.

    **Arguments:**

    - `causes`: sizes of the cause, positive.
    - `effects`: sizes of the effect; nan or inf where there is none.
    - `floor`: effects up to this size are round-off and left out.

    **Returns:** the fitted order.

    **Raises:** `ValueError` for a cause that is not positive.
    """
    if not (causes > 0).all():
        raise ValueError(f"causes must be positive; got {causes}.")
    finite = np.isfinite(effects)
    if finite.sum() < min(2, len(effects)):
        return FittedOrder("missing", None)
    seen = finite & (np.nan_to_num(effects) > floor)
    if seen.sum() < 2:
        return FittedOrder("zero", None)
    across, along = np.log(causes[seen]), np.log(effects[seen])
    across = across - across.mean()
    spread = float(across @ across)
    slope = float(across @ along) / spread if spread > 0 else math.nan
    return FittedOrder("order", slope) if math.isfinite(slope) else FittedOrder("missing", None)
