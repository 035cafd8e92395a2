from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from engine.layer_bound import GELU_SLOPE, layer_bound, norm_radius
from engine.preln_tokens import token_runs
from engine.preln_weights import Block
from engine.stream_growth import stream_growth
from tests.engine.real_stack import KIND, LENGTH, TOKENS, WIDTH, mean_gate, real_blocks, state_and_differences
from tests.engine.test_preln_block import KINDS, drawn_block
from tests.engine.test_preln_block import WIDTH as BLOCK_WIDTH

ROUNDOFF = 1e-12
START, DIFFERENCES = state_and_differences()


def added_by_hand(block: Block, state: np.ndarray, kind: dict[str, Any]) -> np.ndarray:
    """What a lone token gets from attention and MLP, in plain NumPy."""

    def normal(x, gain, shift):
        x = x - x.mean() if kind["norm"] == "layer" else x
        return gain * x / np.sqrt(np.mean(x**2) + 1e-5) + (shift if kind["norm"] == "layer" else 0)

    def mlp(z):
        hidden = block.mlp_in @ z + block.mlp_in_bias
        if kind["activation"] == "gelu":
            active = hidden * ndtr(hidden)
        else:
            gate = block.mlp_gate @ z + block.mlp_gate_bias
            active = gate / (1 + np.exp(-gate)) * hidden
        return block.mlp_out @ active + block.mlp_out_bias

    group = len(block.output_weights) // len(block.value_weights)
    inputs = normal(state, block.attention_gain, block.attention_shift)
    attention = block.output_bias + sum(
        output
        @ (
            block.value_weights[head // group] @ inputs
            + np.broadcast_to(block.value_bias, (2, 3))[head // group]
        )
        for head, output in enumerate(block.output_weights)
    )
    if kind["order"] == "sequential":
        inputs = normal(state + attention, block.mlp_gain, block.mlp_shift)
    return attention + mlp(inputs)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(KINDS), st.integers(0, 50), st.floats(-4, 4))
def test_no_state_gets_more_than_the_bound(kind, seed, log_size):
    block = drawn_block(kv_heads=2, seed=seed)
    state = np.exp(log_size) * np.random.default_rng(seed).standard_normal(BLOCK_WIDTH)
    assert np.linalg.norm(added_by_hand(block, state, kind)) <= layer_bound(block, **kind)


def test_the_linear_rate_is_attained():
    """x + c S(x): the value path returns the normalised state, so every layer adds c √d."""
    scale = 0.7
    block = Block(
        query_weights=np.zeros((1, WIDTH, WIDTH)),
        key_weights=np.zeros((1, WIDTH, WIDTH)),
        value_weights=np.eye(WIDTH)[None],
        output_weights=scale * np.eye(WIDTH)[None],
        mlp_in=np.zeros((6, WIDTH)),
        mlp_out=np.zeros((WIDTH, 6)),
        mlp_gate=np.zeros((6, WIDTH)),
    )
    assert layer_bound(block, **KIND) == pytest.approx(scale * np.sqrt(WIDTH))
    depth = 40
    states = np.broadcast_to(START, (3, TOKENS, WIDTH)).copy()
    run = token_runs([block] * depth, states, block_length=LENGTH, epsilon=1e-12, **KIND)[:, 0]
    found = stream_growth([block] * depth, run, epsilon=1e-12, **KIND)
    np.testing.assert_allclose(found.size, found.bound, rtol=1e-9)
    assert found.exponent == pytest.approx(1, abs=0.1)


def test_gelu_slope_is_the_largest_one():
    points = np.linspace(-6, 6, 10001)
    slopes = ndtr(points) + points * np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
    assert slopes.max() <= GELU_SLOPE < slopes.max() + 1e-5


def test_a_bias_that_pays_off_is_used():
    block = drawn_block(kv_heads=2)._replace(mlp_in_bias=np.full(5, -9.0))
    kind: dict[str, Any] = {"norm": "rms", "activation": "gelu", "order": "parallel"}
    small = layer_bound(block, **kind)
    assert small < layer_bound(block._replace(mlp_in_bias=np.full(5, 9.0)), **kind)


def test_radius_of_the_norms():
    assert norm_radius(np.array([1.0, -2.0, 1.0, 0.5]), np.ones(4), 4, "rms") == pytest.approx(4)
    assert norm_radius(1.0, np.ones(4), 4, "layer") == pytest.approx(4)
    with pytest.raises(ValueError, match=r"'swiglu' needs mlp_gate"):
        layer_bound(real_blocks(1)[0]._replace(mlp_gate=0.0), **KIND)


def test_real_runs_stay_below_the_bound_and_their_normalised_states_in_the_ball():
    blocks = real_blocks(32, seed=5)
    states = START + np.array([0.1, 1.0, 10.0])[:, None, None] * DIFFERENCES
    gate = mean_gate(0.3)
    run = token_runs(blocks, states, block_length=LENGTH, gate=gate, **KIND)
    for tokens in np.moveaxis(run, 1, 0):
        found = stream_growth(blocks, tokens, forcing=0.3 * np.sqrt(WIDTH), **KIND)
        assert (found.size <= found.bound * (1 + ROUNDOFF)).all()
        assert (found.normalised <= np.sqrt(WIDTH) * (1 + ROUNDOFF)).all()
        assert found.normalised.min() > 1
        assert found.exponent is not None
        assert found.exponent < 1.2
