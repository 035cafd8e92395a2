r"""A depth-periodic saddle whose persistent and decaying directions are known and move with depth."""

import numpy as np
from jaxtyping import Float


def turning_bundles(
    period: int, growth: float, decay: float, tilts: tuple[float, float]
) -> tuple[Float[np.ndarray, "period 2 2"], Float[np.ndarray, "depths 2 2"]]:
    r"""Write a saddle in bundle coordinates, $B(\ell) = F(\ell+1)\,\mathrm{diag}(r_+, r_-)\,F(\ell)^{-1}$.

    The frames are two shears, $F = [[1, 0], [a, 1]]\,[[1, b], [0, 1]]$ with
    $a = t_1 \sin(2\pi\ell/p)$ and $b = t_2 \cos(2\pi\ell/p)$: their columns are the persistent
    and the decaying direction.

    **Arguments:**

    - `period`: layers p after which the stack repeats.
    - `growth`, `decay`: $r_+ > 1 > r_-$, growth factors per layer.
    - `tilts`: $(t_1, t_2)$, how far the two directions swing.

    **Returns:** the layers of one period, and the frames F at the depths 0 … p.

    **Raises:** `ValueError` for a period below 1 or rates that make no saddle.
    """
    if period < 1 or not 0 <= decay < 1 < growth:
        raise ValueError(
            f"expected period >= 1 and 0 <= decay < 1 < growth; got {period=}, {decay=}, {growth=}."
        )
    turns = 2 * np.pi * (np.arange(period + 1) % period) / period
    swing, lean = tilts[0] * np.sin(turns), tilts[1] * np.cos(turns)
    one = np.ones(period + 1)
    frames = np.stack([one, lean, swing, 1 + swing * lean], axis=1).reshape(-1, 2, 2)
    inverse = np.stack([1 + swing * lean, -lean, -swing, one], axis=1).reshape(-1, 2, 2)
    return frames[1:] @ (np.array([growth, decay])[:, None] * inverse[:-1]), frames
