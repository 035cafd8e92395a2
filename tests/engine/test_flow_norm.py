import numpy as np
import pytest

from engine import flow_norm as module
from engine.flow_norm import flow_norm
from engine.sectors import sector_norms
from engine.token_flow import propagate

ROUNDOFF = 1e-11
SETTLED = 1e-6

KERNELS = [("causal", 0.0), ("bidirectional", 0.0), ("leaky", 0.3)]


def random_stack(seed: int) -> np.ndarray:
    return 0.4 * np.random.default_rng(seed).standard_normal((2, 6, 2, 2))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("tokens", "block_length"), [(10, 4), (4, 4), (3, 8), (5, 1)])
def test_small_flows_are_decomposed(kernel, tokens, block_length):
    mixing, value = random_stack(tokens)
    columns = [
        propagate(unit.reshape(tokens, 2), mixing, value, block_length, *kernel).ravel()
        for unit in np.eye(2 * tokens)
    ]
    found = flow_norm(mixing, value, tokens, block_length, *kernel)
    assert found.last_rise == 0
    assert found.log_norm == pytest.approx(np.log(np.linalg.norm(np.array(columns), 2)), abs=ROUNDOFF)


@pytest.mark.parametrize("kernel", KERNELS)
def test_power_iteration_comes_close_from_below(kernel, monkeypatch):
    mixing, value = random_stack(1)
    exact = flow_norm(mixing, value, 22, 8, *kernel).log_norm
    monkeypatch.setattr(module, "MATRIX_SIZE", 1)
    found = flow_norm(mixing, value, 22, 8, *kernel)
    assert exact - SETTLED <= found.log_norm <= exact + ROUNDOFF
    assert found.last_rise <= module.SETTLED


def test_bidirectional_norms_are_the_larger_of_two_sectors():
    mixing, value = random_stack(2)
    expected = sector_norms(mixing, value, np.array([1.0, np.inf]))[:, -1].max()
    assert flow_norm(mixing, value, 600, 600, "bidirectional").log_norm == pytest.approx(
        expected, abs=SETTLED
    )
    assert flow_norm(mixing, value, 7, 7, "bidirectional").log_norm == pytest.approx(expected, abs=ROUNDOFF)


def test_growth_beyond_floats_and_exact_zeros():
    mixing = np.full((2048, 1, 1), 1.5)
    for tokens in (6, 1200):
        found = flow_norm(mixing, 0 * mixing, tokens, 6, "leaky", 0.1).log_norm
        assert found == pytest.approx(2048 * np.log(2.5), rel=ROUNDOFF)
        assert flow_norm(0 * mixing - 1, 0 * mixing, tokens, 6, "leaky", 0.1) == (-np.inf, 0.0)


def test_misuse_is_named():
    mixing, value = random_stack(3)
    with pytest.raises(ValueError, match="tokens must be at least 1; got 0"):
        flow_norm(mixing, value, 0, 4, "causal")
    with pytest.raises(ValueError, match="block_length must be at least 1 token; got 0"):
        flow_norm(mixing, value, 3, 0, "causal")
