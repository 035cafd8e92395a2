from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from engine import preln_block
from engine.device import jax
from engine.preln_block import block_output, homogeneous_generator
from engine.preln_weights import Block, check_block
from tests.reference_cases import case, identifiers, numbers

ROUNDOFF = 1e-12
KINDS = [
    {"norm": norm, "activation": activation, "order": order}
    for norm, activation, order in product(("rms", "layer"), ("gelu", "swiglu"), ("sequential", "parallel"))
]
WORDS = {"rms": "rms", "ln": "layer", "seq": "sequential", "par": "parallel"}
WIDTH, HEADS, HEAD_WIDTH, HIDDEN = 6, 4, 3, 5


def drawn_block(kv_heads: int, seed: int = 0) -> Block:
    """Give every weight, gain, shift and bias a value of its own."""
    normal = np.random.default_rng(seed).standard_normal
    return Block(
        query_weights=normal((HEADS, HEAD_WIDTH, WIDTH)),
        key_weights=normal((kv_heads, HEAD_WIDTH, WIDTH)),
        value_weights=normal((kv_heads, HEAD_WIDTH, WIDTH)),
        output_weights=0.3 * normal((HEADS, WIDTH, HEAD_WIDTH)),
        mlp_in=normal((HIDDEN, WIDTH)),
        mlp_out=0.3 * normal((WIDTH, HIDDEN)),
        mlp_gate=normal((HIDDEN, WIDTH)),
        attention_gain=1.0 + 0.2 * normal(WIDTH),
        attention_shift=0.2 * normal(WIDTH),
        mlp_gain=1.0 + 0.2 * normal(WIDTH),
        mlp_shift=0.2 * normal(WIDTH),
        query_bias=normal((HEADS, HEAD_WIDTH)),
        key_bias=normal((kv_heads, HEAD_WIDTH)),
        value_bias=normal((kv_heads, HEAD_WIDTH)),
        output_bias=0.2 * normal(WIDTH),
        mlp_in_bias=normal(HIDDEN),
        mlp_gate_bias=normal(HIDDEN),
        mlp_out_bias=0.2 * normal(WIDTH),
    )


def state_of(seed: int) -> np.ndarray:
    return np.random.default_rng(100 + seed).standard_normal(WIDTH)


def automatic_jacobian(block: Block, states: np.ndarray, **kind: Any) -> np.ndarray:
    """Differentiate the nonlinear block: entry [t, i, s, j] is d out[t, i] / d in[s, j]."""
    epsilon, *weights = jax.tree.map(jax.numpy.asarray, (preln_block.EPSILON, *block))
    apply = partial(preln_block._output_kernel, **kind)
    with jax.disable_jit():  # operation by operation, all kinds of block share what is compiled
        return np.asarray(
            jax.jacfwd(lambda rows: apply(rows, epsilon, jax.numpy.asarray(False), *weights))(
                jax.numpy.asarray(states)
            )
        )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(kind.values()))
@pytest.mark.parametrize("kv_heads", [2, HEADS], ids=["grouped", "ungrouped"])
def test_closed_forms_are_the_derivative_of_the_real_block(kind: dict[str, Any], kv_heads: int) -> None:
    block, state = drawn_block(kv_heads), state_of(kv_heads)
    found = homogeneous_generator(block, state, **kind)
    jacobian = automatic_jacobian(block, np.stack([state] * 3), **kind)
    np.testing.assert_allclose(found.value, 2.0 * jacobian[1, :, 0], rtol=0, atol=ROUNDOFF)
    own = np.eye(WIDTH) + found.mixing
    np.testing.assert_allclose(own, jacobian[1, :, 1] - jacobian[1, :, 0], rtol=0, atol=ROUNDOFF)
    for later, earlier in product(range(3), range(3)):
        expected = (earlier == later) * own + (earlier <= later) * found.value / (later + 1)
        np.testing.assert_allclose(jacobian[later, :, earlier], expected, rtol=0, atol=ROUNDOFF)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(kind.values()))
def test_equal_tokens_stay_equal_and_move_to_the_reported_state(kind: dict[str, Any]) -> None:
    block, state = drawn_block(kv_heads=2), state_of(3)
    after = block_output(block, np.stack([state] * 3), **kind)
    expected = homogeneous_generator(block, state, **kind).output
    np.testing.assert_allclose(after, np.stack([expected] * 3), rtol=0, atol=ROUNDOFF)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(kind.values()))
def test_queries_and_keys_move_the_output_but_not_the_generator(kind: dict[str, Any]) -> None:
    block, state = drawn_block(kv_heads=2), state_of(4)
    other = block._replace(query_weights=-block.query_weights, key_bias=np.ones((2, HEAD_WIDTH)))
    for before, after in zip(
        homogeneous_generator(block, state, **kind), homogeneous_generator(other, state, **kind), strict=True
    ):
        np.testing.assert_array_equal(before, after)
    unequal = np.stack([state, state_of(5), state_of(6)])
    change = block_output(other, unequal, **kind) - block_output(block, unequal, **kind)
    assert np.abs(change[0]).max() <= ROUNDOFF  # the first token sees only itself
    assert np.abs(change[2]).max() > 1e-3


@pytest.mark.parametrize("activation", ["gelu", "swiglu"])
@pytest.mark.parametrize("order", ["sequential", "parallel"])
def test_layer_norm_never_reads_the_mean(activation: Any, order: Any) -> None:
    found = homogeneous_generator(
        drawn_block(kv_heads=2), state_of(1), norm="layer", activation=activation, order=order
    )
    constant = np.ones(WIDTH)
    np.testing.assert_allclose(found.mixing @ constant, 0.0, atol=ROUNDOFF)
    np.testing.assert_allclose(found.value @ constant, 0.0, atol=ROUNDOFF)


def test_rms_norm_and_gelu_ignore_shift_and_gate() -> None:
    block, state = drawn_block(kv_heads=2), state_of(2)
    bare = block._replace(attention_shift=0.0, mlp_shift=0.0, mlp_gate=0.0, mlp_gate_bias=0.0)
    kind: dict[str, Any] = {"norm": "rms", "activation": "gelu", "order": "sequential"}
    for one, other in zip(
        homogeneous_generator(block, state, **kind), homogeneous_generator(bare, state, **kind), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def reference_block(given: dict[str, Any]) -> Block:
    part = {key: np.array(entry, dtype=np.float64) for key, entry in given.items() if isinstance(entry, list)}
    return Block(
        query_weights=part["WQ"][None],
        key_weights=part["WK"][None],
        value_weights=part["WV"][None],
        output_weights=part["WO"][None],
        mlp_in=part["W1"],
        mlp_out=part["W2"],
        mlp_gate=part["Wg"],
        attention_gain=part["g1"],
        attention_shift=part["b1"],
        mlp_gain=part["g2"],
        mlp_shift=part["b2"],
        value_bias=part["bV"][None],
        mlp_in_bias=part["c1"],
    )


@pytest.mark.parametrize("identifier", identifiers("tokens", "A5-block-"))
def test_reference_cases(identifier: str) -> None:
    given, expected = (case("tokens", identifier)[key] for key in ("input", "output"))
    norm, activation, order = identifier.removeprefix("A5-block-").split("-")
    kind: dict[str, Any] = {"norm": WORDS[norm], "activation": activation, "order": WORDS[order]}
    block, state = reference_block(given), np.array(given["x"])
    found = homogeneous_generator(block, state, epsilon=given["eps"], **kind)
    np.testing.assert_allclose(found.mixing, numbers(expected["M"]), rtol=0, atol=ROUNDOFF)
    np.testing.assert_allclose(found.value, numbers(expected["V"]), rtol=0, atol=ROUNDOFF)
    np.testing.assert_allclose(found.output, numbers(expected["block_out"]), rtol=0, atol=ROUNDOFF)
    after = block_output(block, np.stack([state, state]), epsilon=given["eps"], **kind)
    np.testing.assert_allclose(after[1], numbers(expected["block_out"]), rtol=0, atol=ROUNDOFF)


def test_there_are_four_reference_cases() -> None:
    assert len(identifiers("tokens", "A5-block-")) == 4


def test_unknown_names_are_refused() -> None:
    block = drawn_block(kv_heads=2)
    with pytest.raises(ValueError, match=r"norm must be one of .*; got 'batch'"):
        check_block(block, WIDTH, "batch", "gelu", "parallel")
    with pytest.raises(ValueError, match=r"activation must be one of .*; got 'relu'"):
        check_block(block, WIDTH, "rms", "relu", "parallel")
    with pytest.raises(ValueError, match=r"order must be one of .*; got 'post'"):
        check_block(block, WIDTH, "rms", "gelu", "post")


def test_misfitting_weights_are_refused() -> None:
    kind: dict[str, Any] = {"norm": "rms", "activation": "swiglu", "order": "parallel"}
    block = drawn_block(kv_heads=2)
    with pytest.raises(ValueError, match=r"weights read 6 features; the states have 5"):
        homogeneous_generator(block, np.ones(5), **kind)
    three = block._replace(value_weights=np.ones((3, HEAD_WIDTH, WIDTH)))
    with pytest.raises(ValueError, match=r"multiple of key and value heads; got 4 and 3"):
        homogeneous_generator(three, state_of(0), **kind)
    with pytest.raises(ValueError, match=r"'swiglu' needs mlp_gate"):
        homogeneous_generator(block._replace(mlp_gate=0.0), state_of(0), **kind)
