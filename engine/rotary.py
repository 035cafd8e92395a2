r"""Rotary positions: queries and keys are turned by angles that grow with the position."""

import jax.numpy as jnp
import numpy as np

from engine.preln_weights import Numbers

BASE = 10_000.0
"""Ratio of the slowest to the fastest wavelength, as in the original and in most models."""


def check_head_width(head_width: int) -> None:
    """Refuse heads whose features do not pair up.

    **Raises:** `ValueError` for an odd head width.
    """
    if head_width % 2:
        raise ValueError(f"rotary positions need an even head width; got {head_width}.")


def rotated(vectors: Numbers, on: Numbers | bool = True) -> Numbers:
    r"""Turn feature pair (i, i + w/2) of token t by the angle $t\,b^{-2i/w}$, w the head width.

    Scores then depend on the distance of two tokens only, and the turns have norm 1.

    **Arguments:**

    - `vectors`: queries or keys, (heads, tokens, head width), oldest token first.
    - `on`: False leaves them as they are, in the same compiled kernel.

    **Returns:** the turned vectors; those of odd width are never turned (see `check_head_width`).

    Reference: Su et al., Neurocomputing 568 (2024) 127063.
    """
    _, tokens, width = vectors.shape
    if width % 2:
        return vectors
    rates = BASE ** (-2 * np.arange(width // 2) / width)
    angles = jnp.asarray(on) * np.arange(tokens)[:, None] * rates
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    first, second = vectors[..., : width // 2], vectors[..., width // 2 :]
    return jnp.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)
