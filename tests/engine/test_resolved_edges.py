import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.qr_flow import log_stretches
from engine.resolved_edges import edges_by_depth, edges_by_window, sliding_edges

ROUNDOFF = 1e-12
seeds = st.integers(0, 2**32 - 1)


def turned(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@settings(deadline=None, max_examples=10)
@given(seeds, st.integers(1, 24))
def test_edges_are_the_extremes_of_the_mean_stretches(seed, window):
    factors = np.random.default_rng(seed).standard_normal((24, 2, 2))
    logs = log_stretches(factors)
    means = np.array([logs[start : start + window].mean(axis=0) for start in range(25 - window)])
    for edges in (
        edges_by_window(factors, np.array([window])),
        edges_by_depth(factors, window, np.array([24])),
    ):
        np.testing.assert_allclose(edges.lower[0], means.min(axis=0), atol=ROUNDOFF)
        np.testing.assert_allclose(edges.upper[0], means.max(axis=0), atol=ROUNDOFF)


@settings(deadline=None, max_examples=10)
@given(seeds)
def test_a_running_reading_knows_nothing_of_later_layers(seed):
    factors = np.random.default_rng(seed).standard_normal((40, 2, 2))
    early = edges_by_depth(factors, 4, np.array([10, 25]))
    for row, depth in enumerate((10, 25)):
        alone = edges_by_depth(factors[:depth], 4, np.array([depth]))
        np.testing.assert_allclose([early.lower[row], early.upper[row]], [alone.lower[0], alone.upper[0]])


def test_only_the_first_stretch_shows_the_transient():
    """Ten layers [[½, 0], [10, 2]] read alone give ±0.884; the sweep has forgotten that by the second ten."""
    factors = np.tile(np.array([[0.5, 0.0], [10.0, 2.0]]), (60, 1, 1))
    edges = edges_by_depth(factors, 10, np.array([10, 60]))
    singular = np.log(np.linalg.svd(np.linalg.matrix_power(factors[0], 10), compute_uv=False)) / 10
    np.testing.assert_allclose(edges.upper[0], singular, rtol=1e-4)
    assert edges.lower[1, 0] == pytest.approx(np.log(2), abs=1e-9)


def test_a_point_shrinks_like_one_over_the_window_and_an_interval_does_not():
    frame = np.array([[1.0, 3.0], [0.0, 1.0]])
    point = np.tile(1.1 * frame @ turned(1.0) @ np.linalg.inv(frame), (400, 1, 1))
    windows = np.array([8, 16, 32, 64, 128])
    edges = edges_by_window(point, windows)
    condition = np.linalg.cond(frame)
    assert ((edges.upper - edges.lower) * windows[:, None] <= 2 * np.log(condition) + ROUNDOFF).all()
    switching = np.repeat([2.0, 0.5] * 2, 200).reshape(-1, 1, 1)
    edges = edges_by_window(switching, windows)
    np.testing.assert_allclose(edges.upper - edges.lower, 2 * np.log(2), rtol=ROUNDOFF)


def test_a_lost_direction_is_zero_wherever_a_stretch_contains_it():
    logs = np.array([[0.0], [-np.inf], [1.0], [2.0]])
    lower, upper = sliding_edges(logs, 2)
    assert lower[0] == -np.inf
    assert upper[0] == 1.5


def test_bad_input_is_refused():
    factors = np.ones((5, 1, 1))
    for windows in ([0], [6], []):
        with pytest.raises(ValueError, match=r"windows must lie in 1\.\.5"):
            edges_by_window(factors, np.array(windows, dtype=int))
    with pytest.raises(ValueError, match=r"depths must lie in 3\.\.5"):
        edges_by_depth(factors, 3, np.array([2]))
    with pytest.raises(ValueError, match="window must be at least 1"):
        edges_by_depth(factors, 0, np.array([2]))
