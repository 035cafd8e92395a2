r"""Small changes of a gated stack, in the classes whose visibility the theory compares."""

from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float

from engine.bounded_solution import GatedStack
from engine.layer_injection import shifted

Change = Literal["slow", "fast", "fast-same-index", "gate", "injection", "compression"]
"""What is changed.

- `slow`: $\\delta A$ writes into the persistent directions only, $P_-(\\ell+1)\\,\\delta A(\\ell) = 0$.
- `fast`: into the decaying ones only, $P_+(\\ell+1)\\,\\delta A(\\ell) = 0$.
- `fast-same-index`: the fast class as the prose has it, $P_+(\\ell)\\,\\delta A(\\ell) = 0$.
- `gate`: the amplitude, ϱ ↦ (1 + η) ϱ.
- `injection`: a constant is added to ψ.
- `compression`: weight moves between the tokens of the summary, their sum stays 1.
"""


class Directions(NamedTuple):
    """Directions in which the parts of a gated stack are changed, each of size 1.

    **Fields:**

    - `generators`: 2-norm 1 each, before they are projected into a class.
    - `shift`: of the injection.
    - `weights`: of the compression; they sum to zero.
    """

    generators: Float[np.ndarray, "layers d d"]
    shift: Float[np.ndarray, " d"]
    weights: Float[np.ndarray, " tokens"]


def drawn_directions(layers: int, width: int, tokens: int, seed: int) -> Directions:
    """Draw directions from the normal distribution.

    **Arguments:**

    - `layers`, `width`, `tokens`: L (or the period), d and the length of a block.
    - `seed`: of the generator.

    **Returns:** the directions; one token leaves nothing to move: weights zero.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    maps = generator.standard_normal((layers, width, width))
    shift = generator.standard_normal(width)
    weights = generator.standard_normal(tokens)
    weights -= weights.mean()
    size = np.abs(weights).sum()
    return Directions(
        generators=maps / np.linalg.norm(maps, 2, axis=(1, 2))[:, None, None],
        shift=shift / np.linalg.norm(shift),
        weights=weights / size if tokens > 1 and size > 0 else np.zeros(tokens),
    )


def check_change(change: str) -> None:
    """Refuse an unknown class.

    **Raises:** `ValueError` unless `change` is a `Change`.
    """
    if change not in get_args(Change):
        raise ValueError(f"change must be one of {', '.join(get_args(Change))}; got {change!r}.")


def changed(
    stack: GatedStack,
    change: Change,
    size: float,
    directions: Directions,
    projectors: Float[np.ndarray, "depths d d"],
) -> GatedStack:
    r"""Change one part of a gated stack by η times its direction.

    **Arguments:**

    - `stack`: the gated stack.
    - `change`: which class.
    - `size`: η.
    - `directions`: of the change.
    - `projectors`: $P_+$ at the depths 0 … L, which define the first three classes.

    **Returns:** the changed stack, with the splitting of the unchanged one.

    **Raises:** `ValueError` for an unknown class, or directions that do not fit the stack.
    """
    check_change(change)
    if directions.generators.shape != stack.factors.shape:
        raise ValueError(
            f"directions must have shape {stack.factors.shape}; got {directions.generators.shape}."
        )
    if change == "gate":
        return stack._replace(amplitude=(1 + size) * stack.amplitude)
    if change == "injection":
        return stack._replace(injection=shifted(stack.injection, size * directions.shift))
    if change == "compression":
        return stack._replace(compression=stack.compression + size * directions.weights)
    written = _class_part(change, directions.generators, projectors)
    return stack._replace(factors=stack.factors + size * written)


def _class_part(change: Change, generators: np.ndarray, projectors: np.ndarray) -> np.ndarray:
    """Project generators into a class of δA, by the projector behind the layer (the prose: before it)."""
    if change == "slow":
        return projectors[1:] @ generators
    hidden = projectors[1:] if change == "fast" else projectors[:-1]
    return generators - hidden @ generators
