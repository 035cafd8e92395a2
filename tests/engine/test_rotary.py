import numpy as np
import pytest

from engine.preln_block import block_output
from engine.rotary import rotated
from tests.engine.real_stack import KIND, WIDTH, real_blocks

ROUNDOFF = 1e-12


def test_lengths_stay_and_scores_depend_on_the_distance_alone():
    random = np.random.default_rng(0)
    query, key = random.standard_normal((2, 1, 1, 6))
    turned = [np.asarray(rotated(np.repeat(vector, 9, axis=1)))[0] for vector in (query, key)]
    np.testing.assert_allclose(np.linalg.norm(turned[0], axis=1), np.linalg.norm(query), rtol=ROUNDOFF)
    scores = turned[0] @ turned[1].T
    for distance in range(-8, 9):
        diagonal = np.diagonal(scores, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=ROUNDOFF)
    assert abs(scores[0, 0] - scores[1, 0]) > 1e-3


def test_pairs_turn_at_the_published_rates():
    turned = np.asarray(rotated(np.repeat(np.eye(4)[:2, None], 3, axis=1)))
    np.testing.assert_allclose(turned[0, 2], [np.cos(2), 0, np.sin(2), 0], atol=ROUNDOFF)
    np.testing.assert_allclose(turned[1, 2], [0, np.cos(0.02), 0, np.sin(0.02)], atol=ROUNDOFF)


def test_positions_change_unequal_tokens_but_neither_equal_ones_nor_the_first():
    block = real_blocks(1)[0]
    state = np.random.default_rng(2).standard_normal(WIDTH)
    equal = np.stack([state] * 3)
    unequal = equal + np.random.default_rng(3).standard_normal((3, WIDTH))
    for tokens, moves in ((equal, False), (unequal, True)):
        plain, turned = (block_output(block, tokens, rotary=rotary, **KIND) for rotary in (False, True))
        np.testing.assert_allclose(turned[0], plain[0], atol=ROUNDOFF)
        assert (np.abs(turned[2] - plain[2]).max() > 1e-4) == moves


def test_heads_that_do_not_pair_up_are_refused():
    block = real_blocks(1)[0]
    odd = block._replace(output_weights=block.output_weights[:, :, :1])
    with pytest.raises(ValueError, match=r"rotary positions need an even head width; got 1"):
        block_output(odd, np.ones((2, WIDTH)), rotary=True, **KIND)
