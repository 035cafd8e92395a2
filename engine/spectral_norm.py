"""Exact 2-norms of many small matrices, inside a compiled kernel."""

import jax
import jax.numpy as jnp


def spectral_norms(matrices: jax.Array) -> jax.Array:
    r"""Largest singular value of each matrix: closed form up to 2×2, LAPACK's SVD above.

    For 2×2, $2\sigma_1$ is the sum of the moduli of the two halves, conformal and
    anticonformal, into which a plane map splits: a sum without cancellation.

    **Arguments:**

    - `matrices`: any batch of square matrices, (…, d, d).

    **Returns:** their 2-norms, (…).
    """
    width = matrices.shape[-1]
    if width == 1:
        return jnp.abs(matrices[..., 0, 0])
    if width == 2:
        (a, b), (c, d) = (jnp.moveaxis(matrices[..., row, :], -1, 0) for row in range(2))
        return (jnp.hypot(a + d, c - b) + jnp.hypot(a - d, b + c)) / 2
    return jnp.linalg.svd(matrices, compute_uv=False)[..., 0]


def normalised(matrices: jax.Array, log_scale: jax.Array) -> tuple[jax.Array, jax.Array]:
    r"""Bring each matrix to Frobenius norm one and collect the logs of the norms.

    The collected log bounds that of the 2-norm from above, by at most $\frac12 \log d$.

    **Arguments:**

    - `matrices`: a batch (…, d, d).
    - `log_scale`: the logs collected so far, (…); they stay −inf once a matrix is zero.

    **Returns:** the rescaled batch and the new logs.
    """
    norms = jnp.sqrt(jnp.sum(matrices**2, axis=(-2, -1)))
    safe = jnp.where(norms > 0, norms, 1.0)
    return matrices / safe[..., None, None], log_scale + jnp.log(norms)
