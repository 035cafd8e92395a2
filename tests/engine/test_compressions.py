import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compressions import (
    first_weights,
    last_weights,
    mean_weights,
    multilevel_weights,
    scored_weights,
    selected_weights,
)

ROUNDOFF = 1e-12


@given(seed=st.integers(0, 999), tokens=st.integers(1, 12))
@settings(deadline=None, max_examples=50)
def test_every_compression_returns_the_value_all_tokens_share(seed, tokens):
    random = np.random.default_rng(seed)
    chosen = np.append(random.integers(0, 12, 2), 0)
    weights = random.dirichlet(np.ones(3))
    for found in (
        mean_weights(tokens),
        first_weights(tokens),
        last_weights(tokens),
        selected_weights(tokens, chosen, weights),
        scored_weights(tokens, random.standard_normal(12), 0.7),
        multilevel_weights(tokens, np.array([2, 3, 2])),
    ):
        assert found.shape == (tokens,)
        assert found.sum() == pytest.approx(1, abs=ROUNDOFF)
        assert (found >= 0).all()


def test_ends_of_the_block():
    np.testing.assert_array_equal(first_weights(3), [1, 0, 0])
    np.testing.assert_array_equal(last_weights(3), [0, 0, 1])
    np.testing.assert_array_equal(mean_weights(4), [0.25] * 4)


def test_positions_a_ragged_block_lacks_drop_out():
    positions, weights = np.array([2, 0, 7]), np.array([0.5, 0.25, 0.25])
    np.testing.assert_allclose(selected_weights(8, positions, weights), [0.25, 0, 0.5, 0, 0, 0, 0, 0.25])
    np.testing.assert_allclose(selected_weights(3, positions, weights), [1 / 3, 0, 2 / 3])
    np.testing.assert_allclose(selected_weights(1, positions, weights), [1])


def test_selected_weights_may_be_negative_and_name_a_position_twice():
    found = selected_weights(3, np.array([0, 1, 1]), np.array([-1.0, 1.5, 0.5]))
    np.testing.assert_allclose(found, [-1, 2, 0])


def test_scores_become_shares_and_a_hard_choice_when_cold():
    scores = np.log(np.array([1.0, 2.0, 5.0, 2.0]))
    np.testing.assert_allclose(scored_weights(4, scores, 1.0), [0.1, 0.2, 0.5, 0.2])
    np.testing.assert_allclose(scored_weights(2, scores, 1.0), [1 / 3, 2 / 3])
    np.testing.assert_array_equal(scored_weights(4, scores, 0.0), [0, 0, 1, 0])
    np.testing.assert_array_equal(scored_weights(2, np.array([3.0, 3.0, 9.0]), 0.0), [1, 0])
    np.testing.assert_allclose(scored_weights(4, 1e4 * scores, 1e-3), [0, 0, 1, 0])


def test_means_of_equal_means_are_the_mean():
    np.testing.assert_allclose(multilevel_weights(24, np.array([2, 4, 3])), mean_weights(24), rtol=ROUNDOFF)


def test_ragged_groups_average_the_members_they_have():
    np.testing.assert_allclose(multilevel_weights(3, np.array([2, 2])), [1 / 4, 1 / 4, 1 / 2])
    np.testing.assert_allclose(multilevel_weights(5, np.array([2, 2, 2])), [1 / 8] * 4 + [1 / 2])
    np.testing.assert_allclose(multilevel_weights(5, np.array([4, 2])), [1 / 8] * 4 + [1 / 2])


def test_misuse_is_named():
    for empty in (mean_weights, first_weights, last_weights):
        with pytest.raises(ValueError, match="tokens must be at least 1; got 0"):
            empty(0)
    with pytest.raises(ValueError, match="weights must sum to 1; got"):
        selected_weights(3, np.array([0]), np.array([0.5]))
    with pytest.raises(ValueError, match="positions must be at least 0, one for each weight"):
        selected_weights(3, np.array([-1]), np.array([1.0]))
    with pytest.raises(ValueError, match="positions must keep a weight among the 2 tokens present"):
        selected_weights(2, np.array([5]), np.array([1.0]))
    with pytest.raises(ValueError, match="scores must be finite, one for each of 3 tokens"):
        scored_weights(3, np.zeros(2), 1.0)
    with pytest.raises(ValueError, match=r"temperature must be at least 0; got -1"):
        scored_weights(3, np.zeros(3), -1.0)
    with pytest.raises(ValueError, match="levels must be at least 1 and multiply to 5 tokens or more"):
        multilevel_weights(5, np.array([2, 2]))
