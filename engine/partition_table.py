r"""Which injections keep fast changes invisible to the persistent coordinate, row by row."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from engine.bounded_solution import GatedStack, bounded_solution
from engine.injection import Injection
from engine.layer_injection import AnyInjection, respecting, with_cross_term
from engine.perturbation import Directions
from engine.splitting import Splitting
from engine.visibility import SIZES, Loop, Response, base, response

Kind = Literal["constant", "commuting", "saturating", "respecting-cross", "respecting"]
"""The injections of the table.

- `constant`: b, the open loop.
- `commuting`: ‖W‖₂ u + b, which commutes with every projector at the same depth.
- `saturating`: tanh(W u + b), aligned with nothing.
- `respecting-cross`: first derivative intertwines the projectors, second derivative mixes.
- `respecting`: the same without the mixing.
"""

ROWS: tuple[tuple[Kind, Loop], ...] = (
    ("constant", "open"),
    ("commuting", "open"),
    ("commuting", "closed"),
    ("saturating", "open"),
    ("saturating", "closed"),
    ("respecting-cross", "open"),
    ("respecting", "open"),
    ("respecting", "closed"),
)


class Row(NamedTuple):
    """One row of the table; the responses are None when no bounded solution or splitting exists."""

    injection: Kind
    projectors: Loop
    fast: Response | None
    slow: Response | None


def partition_table(
    factors: Float[np.ndarray, "layers d d"],
    splitting: Splitting,
    amplitude: float,
    matrix: Float[np.ndarray, "d d"],
    bias: Float[np.ndarray, " d"],
    directions: Directions,
    *,
    sizes: Sequence[float] = SIZES,
    cross_strength: float = 1.0,
) -> list[Row]:
    r"""Measure the responses to fast and slow changes for every kind of injection.

    **Arguments:**

    - `factors`: layer maps B, one period or the whole window.
    - `splitting`: of these layers, rank at least 1.
    - `amplitude`: gate amplitude ϱ.
    - `matrix`, `bias`: W and b of the injections; without a bias u* may be zero and nothing moves.
    - `directions`: of the changes.
    - `sizes`: η at which the responses are measured.
    - `cross_strength`: of the mixing second derivative, per state unit.

    **Returns:** the rows of `ROWS`, in that order.

    **Raises:** `ValueError` when nothing persists, or when splitting or directions do not fit.
    """
    if splitting.rank < 1:
        raise ValueError(f"splitting must have at least one persistent direction; got rank {splitting.rank}.")
    commuting = np.linalg.norm(matrix, 2) * np.eye(len(matrix))
    aligned = respecting(splitting, matrix, bias)
    injections: dict[Kind, AnyInjection | None] = {
        "constant": Injection(np.zeros_like(matrix), bias, saturating=False),
        "commuting": Injection(commuting, bias, saturating=False),
        "saturating": Injection(matrix, bias, saturating=True),
        "respecting": aligned,
        "respecting-cross": None,
    }
    centre = bounded_solution(GatedStack(factors, splitting, aligned, amplitude))
    if centre is not None:
        injections["respecting-cross"] = with_cross_term(aligned, splitting, centre[:-1], cross_strength)
    rows = []
    for kind, loop in ROWS:
        injection = injections[kind]
        unchanged = (
            None if injection is None else base(GatedStack(factors, splitting, injection, amplitude), loop)
        )
        fast, slow = (
            None if unchanged is None else response(unchanged, change, directions, sizes)
            for change in ("fast", "slow")
        )
        rows.append(Row(kind, loop, fast, slow))
    return rows
