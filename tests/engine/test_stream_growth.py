import numpy as np
import pytest

from engine.stream_growth import stream_growth
from tests.engine.real_stack import KIND, WIDTH, real_blocks

BLOCKS = real_blocks(4)


def test_sizes_and_normalised_sizes_are_those_of_the_largest_token():
    tokens = np.zeros((5, 2, WIDTH))
    tokens[:, 1, 0] = [3.0, 0.0, 1e200, 2.0, 4.0]
    found = stream_growth(BLOCKS, tokens, **KIND)
    np.testing.assert_allclose(found.size, [3.0, 0.0, 1e200, 2.0, 4.0])
    np.testing.assert_allclose(found.normalised, [2.0, 0.0, 2.0, 2.0, 2.0], rtol=1e-4)
    assert found.bound[0] == 3.0
    assert (np.diff(found.bound) > 0).all()
    layered = stream_growth(BLOCKS, tokens + 5.0, norm="layer", activation="swiglu", order="sequential")
    np.testing.assert_allclose(layered.normalised[[0, 3]], 2.0, rtol=1e-4)


def test_powers_of_depth_give_their_exponent():
    depths = np.arange(5.0)
    tokens = np.zeros((5, 1, WIDTH))
    tokens[:, 0, 1] = depths**0.35
    assert stream_growth(BLOCKS, tokens, **KIND).exponent == pytest.approx(0.35)
    assert stream_growth(BLOCKS, 0 * tokens, **KIND).exponent is None


def test_misuse_is_named():
    tokens = np.ones((5, 2, WIDTH))
    with pytest.raises(ValueError, match=r"tokens must hold 5 depths, one more than layers; got 4"):
        stream_growth(BLOCKS, tokens[:4], **KIND)
    tokens[2, 1, 0] = np.inf
    with pytest.raises(ValueError, match=r"tokens must be finite; got inf in norm"):
        stream_growth(BLOCKS, tokens, **KIND)
