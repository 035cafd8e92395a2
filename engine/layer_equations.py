r"""The layers as one system of equations, $u(\ell+1) - B(\ell)\,u(\ell)/\gamma$ for all $\ell$, kept banded.

Written as a matrix T, the system is block bidiagonal. Its singular values say how far $\gamma$ is from
the spectrum, and its least-norm solutions approximate the projectors. An orthogonal sweep turns T into a
banded triangle; $T^T T$ is never formed, which would lose half the digits of a small singular value.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigvalsh_tridiagonal, lapack

from engine.steps import Steps, drained

LARGEST_DENSE = 128
"""Triangles up to this size give their smallest singular value densely; larger ones by Lanczos."""

STEPS, SHARP = 80, 1e-14
"""Lanczos steps at most, and the relative gain of a step at which they end."""

ROUNDOFF = float(np.finfo(np.float64).eps)


class Triangle(NamedTuple):
    r"""Upper triangle R of a block-bidiagonal matrix, in blocks.

    **Fields:**

    - `diagonal`: diagonal blocks $R_i$, upper triangular.
    - `beside`: the blocks right of them, $C_i$; the last one stands for nothing.
    """

    diagonal: Float[np.ndarray, "*batch blocks d d"]
    beside: Float[np.ndarray, "*batch blocks d d"]


def triangle(
    heads: Float[np.ndarray, "*batch blocks d d"], feet: Float[np.ndarray, "*batch blocks d d"]
) -> Triangle:
    r"""Triangularise matrices whose block column i holds `heads[i]` in block row i and `feet[i]` below it.

    One small QR per layer, $[S_i, 0;\, E_i, D_{i+1}] = Q\,[R_i, C_i;\, 0, S_{i+1}]$ with $S_0 = D_0$,
    carries the rest on: entries stay of one size, no layers are multiplied.

    **Arguments:**

    - `heads`: $D_i$, at least one.
    - `feet`: $E_i$.

    **Returns:** the triangle, batch axes first.

    Reference: Golub & Van Loan, Matrix Computations, 4th ed., section 5.2.
    """
    return drained(triangle_steps(heads, feet))


def triangle_steps(
    heads: Float[np.ndarray, "*batch blocks d d"], feet: Float[np.ndarray, "*batch blocks d d"]
) -> Steps[Triangle]:
    """Triangularise as `triangle` does, one block column a step."""
    *batch, blocks, width, _ = heads.shape
    rows = np.zeros((blocks, *batch, width, 2 * width))
    panel = np.zeros((*batch, 2 * width, 2 * width))
    rest = heads[..., 0, :, :]
    for block in range(blocks):
        panel[..., :width, :width] = rest
        panel[..., width:, :width] = feet[..., block, :, :]
        panel[..., width:, width:] = heads[..., min(block + 1, blocks - 1), :, :]
        found = np.asarray(np.linalg.qr(panel, mode="r"))
        rows[block], rest = found[..., :width, :], found[..., width:, width:]
        yield (block + 1) / blocks
    diagonal, beside = np.split(np.moveaxis(rows, 0, -3), 2, axis=-1)
    return Triangle(diagonal, beside)


def banded(of: Triangle) -> Float[np.ndarray, "bands columns"]:
    """Store one triangle as LAPACK does: entry (i, j) in row 2d − 1 + i − j of column j."""
    blocks, width, _ = of.diagonal.shape
    rows = np.concatenate([of.diagonal, of.beside], axis=2)
    row, column = np.nonzero(np.arange(2 * width) >= np.arange(width)[:, None])
    bands = np.zeros((2 * width, (blocks + 1) * width))
    bands[2 * width - 1 + row - column, np.arange(blocks)[:, None] * width + column] = rows[:, row, column]
    return np.asfortranarray(bands[:, : blocks * width])


def solved(
    bands: Float[np.ndarray, "bands columns"], right: Float[np.ndarray, "columns sides"], *, transposed: bool
) -> Float[np.ndarray, "columns sides"]:
    """Solve R x = right, or R^T x = right; infinite for a singular triangle."""
    found, info = lapack.dtbtrs(bands, right, uplo="U", trans="T" if transposed else "N")  # pyright: ignore[reportAttributeAccessIssue]
    return found if info == 0 else np.full_like(right, np.inf)


def smallest_singular_value(bands: Float[np.ndarray, "bands columns"]) -> float:
    r"""Smallest singular value of a banded triangle: Lanczos on the inverse of $R^T R$.

    Exact up to `LARGEST_DENSE`; beyond, an upper bound that is sharp unless very many singular values
    crowd at the lower end, where it is about 0.1 % too large.

    **Arguments:**

    - `bands`: from `banded`.

    **Returns:** $\sigma_{\min}$, to round-off of the largest entry; 0 when it is below that.

    Reference: Golub & Van Loan, Matrix Computations, 4th ed., section 10.1.
    """
    return drained(smallest_singular_value_steps(bands))


def smallest_singular_value_steps(bands: Float[np.ndarray, "bands columns"]) -> Steps[float]:
    """Find what `smallest_singular_value` does, one Lanczos step at a time."""
    size, least = bands.shape[1], ROUNDOFF * float(np.abs(bands).max())
    if size <= LARGEST_DENSE:
        found = float(np.linalg.svd(_dense(bands), compute_uv=False)[-1])
        return found if found > least else 0.0
    largest = yield from _largest_inverse(bands)
    return float(1 / np.sqrt(largest)) if largest < 1 / least**2 else 0.0


def _largest_inverse(bands: np.ndarray) -> Steps[float]:
    """Largest eigenvalue of the inverse of R^T R, from below; inf where it overflows."""
    size = bands.shape[1]
    vector = np.random.default_rng(size).standard_normal(size)
    basis, centre, beside = np.zeros((STEPS, size)), np.zeros(STEPS), np.zeros(STEPS)
    found = 0.0
    for step in range(STEPS):
        basis[step] = vector / np.linalg.norm(vector)
        half = solved(bands, basis[step][:, None], transposed=True)
        vector = solved(bands, half, transposed=False)[:, 0]
        if not np.isfinite(vector @ vector):
            return np.inf
        centre[step] = basis[step] @ vector
        for _ in range(2):
            vector = vector - basis[: step + 1].T @ (basis[: step + 1] @ vector)
        beside[step] = np.linalg.norm(vector)
        before, found = found, float(eigvalsh_tridiagonal(centre[: step + 1], beside[:step])[-1])
        if found - before <= SHARP * found or beside[step] == 0:
            break
        yield (step + 1) / STEPS
    return found


def _dense(bands: np.ndarray) -> np.ndarray:
    most, size = len(bands) - 1, bands.shape[1]
    dense = np.zeros((size, size))
    for above in range(min(most + 1, size)):
        np.fill_diagonal(dense[:, above:], bands[most - above, above:])
    return dense
