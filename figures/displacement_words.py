"""What the displacement figure says: its caption, and what stands behind its question mark."""

import math

from figures.number import significant, typed
from figures.phrase import at_resolution, fitting
from figures.read_me import ReadMe
from presets.visibility_quantities import LENT_BIAS

LINEAR = 0.05
"""Relative distance from the first-order slope up to which the response counts as linear."""

READ_ME = ReadMe(
    formula=(
        r"u^*(\ell+1)=B(\ell)u^*(\ell)+\varrho\,\psi(\hat u^*),\qquad d_+=\sup_\ell\|P_+u^*_\varrho\|,\qquad "
        r"d_+'(0)=\sup_\ell\|P_+G[\psi(0)]\|"
    ),
    statement=(
        "Theorem 10 and Proposition 11. u* is the one bounded solution, followed from ϱ = 0 by Newton’s "
        "method on the two-point problem of the window, or on the whole line for one layer or period, "
        "repeated. Depths that belong to the ends of a window do not count. All blocks share u*; the deep "
        "blocks of a cascade tend to it while |ϱ| is certified. If nothing persists, d₊ is 0 and ‖u*‖ is "
        "drawn instead."
    ),
    reading=(
        "Solid: d₊, the size of the persistent part. Dashed: all of u*. Dotted: the first-order slope at "
        "0. Green: certified to exist and to keep the split. Uprights: the true limits, of the ψ drawn. A "
        "curve ends where u* can no longer be followed; near a pole it leaves through the top (▴)."
    ),
)


def lent(resolution: int | None) -> str:
    """Own up to a bias that is not the visitor's."""
    said = f"ψ(0) = 0 pushes nothing: u* = 0. Drawn with a bias of {LENT_BIAS:g}·(1,…,1)/√d"
    return f"{said}{at_resolution(resolution)}."


def pushed(amplitude: float, value: float, slope: float, *, persists: bool, resolution: int | None) -> str:
    """Say how far u* is pushed at the current ϱ, and whether the response is still linear.

    **Arguments:**

    - `amplitude`: the current ϱ.
    - `value`: size of the persistent part, or of u* where nothing persists, state units; NaN where lost.
    - `slope`: its derivative at ϱ = 0+.
    - `persists`: which of the two it is.
    - `resolution`: H in layers; None when exact.
    """
    where, at = f"At ϱ = {typed(amplitude)}", at_resolution(resolution)
    if math.isnan(value):
        return f"{where} no settled state can be followed from ϱ = 0{at}."
    subject = "by" if persists else "as nothing persists, the whole state stands at"
    text = f"{where}, {subject} {significant(value)} state units"
    if amplitude == 0 or value == 0:
        return f"{text}{at}."
    linear = abs(amplitude) * slope
    close = abs(value - linear) <= LINEAR * linear
    rest = (
        "still in line with the slope at 0" if close else f"where the slope at 0 gives {significant(linear)}"
    )
    return fitting(f"{text}, {rest}{at}.", f"{text}, {rest}.", f"{text}.")
