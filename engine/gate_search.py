"""Crossings found by scanning the amplitude and solving between neighbours: wide or long loops."""

import numpy as np
from jaxtyping import Float
from scipy.optimize import elementwise

from engine.closed_loop import multipliers_over
from engine.hold import Loop

FIRST_STEP = 1e-4
"""Smallest scanned amplitude."""

SEARCHED_TO = 30.0
"""Largest scanned amplitude."""

POINTS = 160
FEWEST_POINTS = 24
COMFORTABLE_WIDTH = 16

ROUNDED_CIRCLE = 1e-12
"""Log modulus above which a multiplier counts as outside: pairs that stay on the circle do not."""

LARGEST_LOG = 50.0
RELATIVE_TOLERANCE = 1e-14
RESIDUAL = 1e-9
"""A returned crossing has a multiplier whose log modulus is at most this."""


def search(loop: Loop, phase: float = 0.0) -> Float[np.ndarray, " roots"]:
    r"""Scan $\varrho$ on both sides and solve for every change of the number of growing multipliers.

    Between two scanned amplitudes with c and c' multipliers outside the unit circle, the sorted
    log modulus of index min(c, c') changes sign and is continuous: Chandrupatla's method finds a
    root. Two crossings that undo each other between neighbours are missed.

    **Arguments:**

    - `loop`: closed maps; the amplitude counted in `engine.pencil.amplitude_unit`.
    - `phase`: φ, radians.

    **Returns:** the crossings found up to `SEARCHED_TO`, unsorted.

    Reference: Chandrupatla, Adv. Eng. Softw. 28 (1997) 145-149.
    """
    grid = _scan_points(loop)
    log_modulus = _ranked(loop, grid, phase)
    outside = (log_modulus > 0).sum(axis=1)
    changes = np.flatnonzero(outside[1:] != outside[:-1])
    if changes.size == 0:
        return np.zeros(0)
    index = np.minimum(outside[changes], outside[changes + 1])

    def height(amplitudes: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        return _ranked(loop, amplitudes, phase)[np.arange(chosen.size), chosen]

    result = elementwise.find_root(
        height,
        (grid[changes], grid[changes + 1]),
        args=(index,),
        tolerances={"xatol": 0.0, "xrtol": RELATIVE_TOLERANCE, "fatol": 0.0, "frtol": 0.0},
    )
    return result.x[np.abs(result.f_x) <= RESIDUAL]


def _scan_points(loop: Loop) -> np.ndarray:
    wide = max(loop.width / COMFORTABLE_WIDTH, 1.0)
    slow = wide**2 if loop.layers is None else 4 * wide**2
    points = max(int(POINTS / slow), FEWEST_POINTS)
    side = np.geomspace(FIRST_STEP, SEARCHED_TO, points)
    return np.concatenate([-side[::-1], [0.0], side])


def _ranked(loop: Loop, amplitudes: np.ndarray, phase: float) -> np.ndarray:
    log_modulus, _ = multipliers_over(loop, amplitudes, phase)
    ranked = np.sort(log_modulus, axis=1)[:, ::-1] - ROUNDED_CIRCLE
    return np.clip(ranked, -LARGEST_LOG, LARGEST_LOG)
