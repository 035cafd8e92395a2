import numpy as np
import pytest

from engine.row_screen import _bounds_kernel, row_sum_bounds

ROUNDOFF = 1e-10


def case_of(tokens: int, switches: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(tokens + 100 * width)
    maps = random.standard_normal((tokens, tokens, width, width))
    maps *= np.tri(tokens)[:, :, None, None]
    return maps, random.random(switches), random.standard_normal((switches, tokens, width, width))


@pytest.mark.parametrize(
    ("tokens", "switches", "width", "slack"),
    [(1, 1, 2, 0), (5, 3, 1, 0), (9, 17, 2, 0), (8, 90, 3, 0.02), (17, 16, 8, 0.04), (4, 3, 20, 4.0)],
)
def test_bounds_hold_the_sums_closely(tokens, switches, width, slack):
    maps, scale, shared = case_of(tokens, switches, width)
    blocks = scale[:, None, None, None, None] * maps - shared[:, None]
    norms = np.linalg.norm(blocks, 2, axis=(3, 4)) * np.tri(tokens)
    expected = norms.sum(axis=2).T
    lower, upper = row_sum_bounds(maps, scale, shared)
    assert lower.shape == upper.shape == (tokens, switches)
    assert (lower <= expected * (1 + ROUNDOFF)).all()
    assert (upper >= expected * (1 - ROUNDOFF)).all()
    assert (upper <= expected * (1 + slack + ROUNDOFF)).all()


def test_numbers_of_tokens_and_switches_share_a_compiled_kernel():
    row_sum_bounds(*case_of(8, 60, 2))
    compiled = _bounds_kernel._cache_size()  # type: ignore[attr-defined]
    row_sum_bounds(*case_of(5, 3, 2))
    assert _bounds_kernel._cache_size() == compiled  # type: ignore[attr-defined]
