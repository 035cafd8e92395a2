"""The spectral projector of one repeated layer, and the injection that harms it most."""

import numpy as np
import scipy.linalg
from jaxtyping import Float


def persistent_projector(factor: Float[np.ndarray, "d d"]) -> Float[np.ndarray, "d d"]:
    r"""Project onto the generalised eigenspaces of B with $|\mu| > 1$, along the others.

    From the ordered real Schur form $B = Q\,[[T_{11}, T_{12}], [0, T_{22}]]\,Q^T$ and the
    Sylvester equation $T_{11} X - X T_{22} = T_{12}$: $P_+ = Q\,[[I, X], [0, 0]]\,Q^T$.

    **Arguments:**

    - `factor`: the layer map B, growth per layer.

    **Returns:** $P_+$; zero when nothing persists, the identity when everything does.

    Reference: Golub & Van Loan, Matrix Computations, 4th ed., section 7.6.3.
    """
    width = len(factor)
    triangle, basis, rank = scipy.linalg.schur(factor, sort="ouc")  # pyright: ignore[reportAssignmentType]
    inner = np.zeros((width, width))
    inner[:rank, :rank] = np.eye(rank)
    if 0 < rank < width:
        inner[:rank, rank:] = scipy.linalg.solve_sylvester(
            triangle[:rank, :rank], -triangle[rank:, rank:], triangle[:rank, rank:]
        )
    return basis @ inner @ basis.T


def worst_injection(factor: Float[np.ndarray, "d d"]) -> Float[np.ndarray, "d d"]:
    r"""Find the real unit rank-one W whose gate needs the smallest amplitude to put a multiplier at +1 or −1.

    With $(\pm I - B)\,v = \sigma_{\min} u$ the map $B + \varrho\,u v^T$ has the multiplier $\pm 1$ at
    $\varrho = \sigma_{\min}$, and no real W of norm 1 reaches $\pm 1$ earlier. The worse sign is taken.

    **Arguments:**

    - `factor`: the layer map B, growth per layer.

    **Returns:** $u v^T$, of 2-norm 1.

    Reference: Trefethen & Embree, Spectra and Pseudospectra, section 49 (structured distance to singularity).
    """
    candidates = [np.linalg.svd(sign * np.eye(len(factor)) - factor) for sign in (1.0, -1.0)]
    left, _, right = min(candidates, key=lambda svd: svd[1][-1])
    return np.outer(left[:, -1], right[-1])
