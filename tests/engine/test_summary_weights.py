from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compressions import last_weights, mean_weights, selected_weights
from engine.summary_weights import summary_weights
from engine.token_blocks import in_blocks, in_sequence, padded_blocks


@given(st.integers(1, 9), st.integers(1, 40), st.sampled_from([mean_weights, last_weights]))
def test_every_block_is_pooled_by_the_tokens_it_has(length, tokens, pool):
    rows = summary_weights(pool, tokens, length)
    states = np.random.default_rng(tokens).standard_normal((tokens, 2))
    found = (rows[:, :, None] * in_blocks(states, length)).sum(axis=1)
    parts = [states[start : start + length] for start in range(0, tokens, length)]
    np.testing.assert_allclose(found, [pool(len(part)) @ part for part in parts], atol=1e-13)


def test_a_block_that_keeps_no_weight_is_refused():
    pool = partial(selected_weights, positions=np.array([2]), weights=np.ones(1))
    assert summary_weights(pool, 6, 3).tolist() == [[0, 0, 1], [0, 0, 1]]
    with pytest.raises(ValueError, match=r"must keep a weight among the 2 tokens present"):
        summary_weights(pool, 5, 3)


def test_an_empty_sequence_or_block_is_refused():
    with pytest.raises(ValueError, match=r"tokens and block_length must be at least 1; got 0 and 3"):
        summary_weights(mean_weights, 0, 3)
    with pytest.raises(ValueError, match=r"got 3 and 0"):
        summary_weights(mean_weights, 3, 0)


@given(st.integers(1, 9), st.integers(1, 40), st.integers(1, 3))
def test_blocks_join_to_the_sequence_they_were_cut_from(length, tokens, runs):
    states = np.random.default_rng(tokens).standard_normal((runs, tokens, 2))
    cut = padded_blocks(states, length)
    np.testing.assert_array_equal(in_sequence(cut[None], tokens, length)[0], states)
    np.testing.assert_array_equal(cut[0, : -(-tokens // length), :length], in_blocks(states[0], length))
