import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import certificate
from engine.certificate import SQUARINGS, block_gaps
from engine.qr_flow import log_stretches
from tests.reference_cases import case

ROUNDOFF = 1e-11
seeds = st.integers(0, 2**32 - 1)


def random_stack(seed: int, depth: int = 23, width: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((depth, width, width)) / np.sqrt(width)


def switching_diagonal(coupling: float) -> np.ndarray:
    factors = np.array([np.diag([0.5, 2.0])] * 60 + [np.diag([2.0, 0.5])] * 60)
    factors[60, 0, 1] = coupling
    return factors


def plain_edges(factors: np.ndarray, window: int) -> tuple[np.ndarray, np.ndarray]:
    """The same edges by one NumPy QR per map and one SVD per stretch and rank."""
    depth, width, _ = factors.shape
    frame = certificate.random_frame(width)
    for layer in factors[::-1]:
        frame = np.linalg.qr(layer.T @ frame)[0]
    triangles = []
    for layer in factors:
        frame, triangle = np.linalg.qr(layer @ frame)
        triangles.append(triangle)
    lower, upper = np.full(width + 1, np.inf), np.full(width + 1, -np.inf)
    for start in range(depth - window + 1):
        product = np.eye(width)
        for triangle in triangles[start : start + window]:
            product = triangle @ product
        for rank in range(width + 1):
            if rank > 0:
                least = np.linalg.svd(product[:rank, :rank], compute_uv=False)[-1]
                lower[rank] = min(lower[rank], np.log(least) / window)
            if rank < width:
                largest = np.linalg.norm(product[rank:, rank:], 2)
                upper[rank] = max(upper[rank], np.log(largest) / window)
    return lower, upper


@pytest.mark.parametrize("width", [1, 2, 4, 17])
@pytest.mark.parametrize("window", [1, 4, 9, 23])
def test_edges_agree_with_plain_products_and_never_flatter(width, window):
    factors = random_stack(width, width=width)
    lower, upper = plain_edges(factors, window)
    found = block_gaps(factors[None], window)
    slack = np.log(width) / 2 ** (SQUARINGS + 2) / window
    excess_lower, excess_upper = lower[1:] - found.lower[0, 1:], found.upper[0, :-1] - upper[:-1]
    for excess in (excess_lower, excess_upper):
        assert excess.min() >= -1e-8
        assert excess.max() <= slack + 1e-8
    assert found.lower[0, 0] == np.inf
    assert found.upper[0, -1] == -np.inf


@settings(deadline=None, max_examples=15)
@given(seeds, st.floats(-200, 200))
def test_scaling_every_map_shifts_every_edge(seed, shift):
    factors = random_stack(seed)
    plain, scaled = block_gaps(factors[None], 5), block_gaps(np.exp(shift) * factors[None], 5)
    np.testing.assert_allclose(scaled.lower[:, 1:], plain.lower[:, 1:] + shift, atol=1e-9)
    np.testing.assert_allclose(scaled.upper[:, :-1], plain.upper[:, :-1] + shift, atol=1e-9)


def test_a_stack_in_a_large_batch_is_treated_as_if_alone():
    factors = np.random.default_rng(1).standard_normal((1100, 9, 4, 4))
    together = block_gaps(factors, 4)
    for index in (0, 1023, 1024, 1099):
        alone = block_gaps(factors[index][None], 4)
        np.testing.assert_allclose(together.lower[index], alone.lower[0], atol=ROUNDOFF)
        np.testing.assert_allclose(together.upper[index], alone.upper[0], atol=ROUNDOFF)


def test_a_triangular_switch_has_its_gap_and_loses_it_without_coupling():
    entry = case("cocycle", "A10_wholeline_triangular_c=1")
    assert entry["outputs"]["has_dichotomy_at_1"]
    gap = block_gaps(switching_diagonal(float(entry["inputs"]["c"]))[None], 10)
    assert np.exp(gap.upper[0, 1]) == pytest.approx(0.54, abs=0.005)
    assert np.exp(gap.lower[0, 1]) == pytest.approx(1.87, abs=0.005)
    lost = block_gaps(switching_diagonal(0.0)[None], 10)
    assert lost.upper[0, 1] > lost.lower[0, 1]


def test_the_gap_of_orthogonally_split_rates_is_exact_over_any_length():
    random = np.random.default_rng(4)
    frames = np.linalg.qr(random.standard_normal((2049, 3, 3)))[0]
    factors = frames[1:] @ (np.array([3.0, 0.5, 0.01])[:, None] * np.swapaxes(frames[:-1], 1, 2))
    found = block_gaps(factors[None], 1024)
    np.testing.assert_allclose(found.lower[0, 1:], np.log([3.0, 0.5, 0.01]), atol=1e-3)
    np.testing.assert_allclose(found.upper[0, :-1], np.log([3.0, 0.5, 0.01]), atol=1e-3)


@pytest.mark.parametrize("width", [3, 17])
def test_a_singular_layer_ends_growth_behind_it_but_not_ahead(width):
    factors = np.array([np.diag(np.linspace(2.0, 0.5, width))] * 12)
    factors[5, -1, -1] = 0.0
    found = block_gaps(factors[None], 4)
    assert found.lower[0, -1] == -np.inf
    assert found.lower[0, 1] == pytest.approx(np.log(2.0), abs=0.02)
    assert np.isfinite(found.lower[0, 1:-1]).all()


def test_zero_layers_give_no_growth_and_no_nan():
    found = block_gaps(np.zeros((1, 8, 3, 3)), 4)
    assert (found.lower[0, 1:] == -np.inf).all()
    assert (found.upper[0] == -np.inf).all()


def test_the_first_direction_grows_as_the_sweep_says():
    factors = random_stack(7, depth=20)
    logs = np.convolve(log_stretches(factors)[:, 0], np.ones(5) / 5, mode="valid")
    assert block_gaps(factors[None], 5).lower[0, 1] == pytest.approx(logs.min(), abs=ROUNDOFF)


def test_moving_the_window_or_the_depth_does_not_recompile():
    block_gaps(random_stack(1, depth=20)[None], 5)
    compiled = certificate._gap_kernel._cache_size()  # type: ignore[attr-defined]
    block_gaps(random_stack(2, depth=21)[None], 7)
    assert certificate._gap_kernel._cache_size() == compiled  # type: ignore[attr-defined]


@pytest.mark.parametrize("window", [0, 9])
def test_a_window_outside_the_stack_is_refused(window):
    with pytest.raises(ValueError, match=rf"window must lie in 1..8 \(maps\); got {window}"):
        block_gaps(np.ones((1, 8, 2, 2)), window)
