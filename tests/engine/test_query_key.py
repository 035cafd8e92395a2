import numpy as np
import pytest

from engine.query_key import query_key_response, with_other_queries_and_keys
from tests.engine.real_stack import AMPLITUDES, KIND, LENGTH, mean_gate, real_blocks, state_and_differences

SLOPE = 0.05
START, DIFFERENCES = state_and_differences()
BLOCKS = real_blocks()


@pytest.mark.parametrize(("rotary", "expected"), [(False, 2), (True, 1)])
def test_order_is_two_without_positions_and_one_with_rotary_ones(rotary, expected):
    found = query_key_response(
        BLOCKS, START, DIFFERENCES, block_length=LENGTH, amplitudes=AMPLITUDES, seed=3, rotary=rotary, **KIND
    )
    assert found.order.slope == pytest.approx(expected, abs=SLOPE)
    assert (found.change > 0).all()
    assert not found.first_change.any()


def test_the_gate_carries_the_change_to_the_first_token_at_second_order():
    found = query_key_response(
        BLOCKS,
        START,
        DIFFERENCES,
        block_length=LENGTH,
        amplitudes=AMPLITUDES,
        seed=3,
        gate=mean_gate(0.3),
        **KIND,
    )
    assert found.order.slope == pytest.approx(2, abs=SLOPE)
    ratio = found.first_change[1:] / found.first_change[:-1]
    np.testing.assert_allclose(ratio, 100, rtol=0.1)


def test_equal_tokens_do_not_move():
    found = query_key_response(
        BLOCKS, START, 0 * DIFFERENCES, block_length=LENGTH, amplitudes=AMPLITUDES, seed=3, **KIND
    )
    assert found.order.status == "zero"


def test_only_queries_and_keys_are_redrawn_at_their_size():
    for before, after in zip(BLOCKS, with_other_queries_and_keys(BLOCKS, 3), strict=True):
        for name, one, other in zip(before._fields, before, after, strict=True):
            if name in ("query_weights", "key_weights"):
                assert np.shape(one) == np.shape(other)
                assert np.abs(one - other).max() > 0.01
            else:
                assert one is other
