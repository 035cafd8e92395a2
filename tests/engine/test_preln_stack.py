from itertools import islice
from typing import Any

import numpy as np
import pytest

from engine.preln_block import block_output, homogeneous_generator
from engine.preln_stack import LAYERS_PER_CALL, linearise, random_blocks, random_stack

ROUNDOFF = 1e-12
SHAPE: dict[str, Any] = {"width": 6, "heads": 2, "kv_heads": 1, "hidden": 8}
SCALES: dict[str, Any] = {"attention_scale": 1.5, "mlp_scale": 0.7}
KIND: dict[str, Any] = {"norm": "rms", "activation": "swiglu", "order": "sequential"}
STACK: dict[str, Any] = {**SHAPE, **SCALES, **KIND, "tied": False, "seed": 3}
PAST_ONE_CALL = LAYERS_PER_CALL + 3


def drawn(seed: int) -> tuple[np.random.Generator, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator, generator.standard_normal(SHAPE["width"])


def test_the_walk_chains_single_blocks_also_across_kernel_calls() -> None:
    generator, state = drawn(seed=1)
    blocks = list(islice(random_blocks(generator, **SHAPE, **SCALES), PAST_ONE_CALL))
    found = linearise(blocks, state, **KIND)
    assert found.states.shape == (PAST_ONE_CALL + 1, SHAPE["width"])
    for layer, block in enumerate(blocks):
        np.testing.assert_allclose(found.states[layer], state, rtol=0, atol=ROUNDOFF)
        expected = homogeneous_generator(block, state, **KIND)
        np.testing.assert_allclose(found.mixing[layer], expected.mixing, rtol=0, atol=ROUNDOFF)
        np.testing.assert_allclose(found.value[layer], expected.value, rtol=0, atol=ROUNDOFF)
        state = expected.output


def test_small_differences_follow_the_linear_flow_to_first_order() -> None:
    generator, state = drawn(seed=2)
    blocks = list(islice(random_blocks(generator, **SHAPE, **SCALES), 4))
    found = linearise(blocks, state, **KIND)
    direction = generator.standard_normal((3, SHAPE["width"]))
    errors = []
    for amplitude in (1e-3, 1e-4):
        tokens, linear = state + amplitude * direction, amplitude * direction
        for layer, block in enumerate(blocks):
            tokens = block_output(block, tokens, **KIND)
            seen = np.cumsum(linear, axis=0) / np.arange(1, 4)[:, None]
            linear = linear + linear @ found.mixing[layer].T + seen @ found.value[layer].T
        errors.append(np.abs(tokens - found.states[-1] - linear).max() / amplitude)
    assert errors[1] < 0.02
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.2)


def test_a_deeper_stack_begins_with_the_same_layers() -> None:
    shallow, deep = random_stack(depth=5, **STACK), random_stack(depth=PAST_ONE_CALL, **STACK)
    for short, long in zip(shallow, deep, strict=True):
        np.testing.assert_array_equal(short, long[:5])
    assert deep[0].shape == (PAST_ONE_CALL, 6, 6)


def test_tied_layers_share_weights_but_not_tangents() -> None:
    tied, untied = random_stack(depth=3, **{**STACK, "tied": True}), random_stack(depth=3, **STACK)
    for one, other in zip(tied, untied, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        assert np.abs(one[1] - other[1]).max() > 1e-3
        assert np.abs(one[1] - one[0]).max() > 1e-3


def test_the_seed_decides() -> None:
    again, other = random_stack(depth=2, **STACK), random_stack(depth=2, **{**STACK, "seed": 4})
    np.testing.assert_array_equal(random_stack(depth=2, **STACK)[0], again[0])
    assert np.abs(again[0] - other[0]).max() > 1e-3


def test_silent_branches_leave_the_identity() -> None:
    mixing, value = random_stack(depth=2, **{**STACK, "attention_scale": 0.0, "mlp_scale": 0.0})
    assert not mixing.any()
    assert not value.any()


def test_the_state_grows_at_most_linearly() -> None:
    generator, start = drawn(seed=5)
    block = next(random_blocks(generator, **SHAPE, attention_scale=50.0, mlp_scale=50.0))
    depth = 4 * LAYERS_PER_CALL
    states = linearise([block] * depth, start, norm="rms", activation="gelu", order="parallel").states
    path = sum(output @ block.value_weights[0] for output in block.output_weights)
    mlp = np.linalg.norm(block.mlp_out, 2) * np.linalg.norm(block.mlp_in, 2)
    per_layer = (np.linalg.norm(path, 2) + mlp) * np.sqrt(SHAPE["width"])
    sizes = np.linalg.norm(states, axis=1)
    assert (sizes <= sizes[0] + per_layer * np.arange(depth + 1)).all()


def test_errors_name_what_was_received() -> None:
    with pytest.raises(ValueError, match=r"got width=6, heads=4, kv_heads=1"):
        random_stack(depth=2, **{**STACK, "heads": 4})
    with pytest.raises(ValueError, match=r"got width=6, heads=3, kv_heads=2"):
        random_stack(depth=2, **{**STACK, "heads": 3, "kv_heads": 2})
    with pytest.raises(ValueError, match=r"at least one block; got none"):
        linearise([], np.ones(6), **KIND)
    with pytest.raises(ValueError, match=r"layer 1 leaves the floating-point range"):
        random_stack(depth=3, **{**STACK, "mlp_scale": 1e200})
