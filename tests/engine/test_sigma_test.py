import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layer_equations import LARGEST_DENSE, banded, smallest_singular_value, triangle
from engine.sigma_test import sigma_test
from tests.reference_cases import case, identifiers, numbers

ROUNDOFF = 1e-12
PUBLISHED_DIGITS = 5e-4
ONE = np.array([1.0])
seeds = st.integers(0, 2**32 - 1)

QUIET_LAYERS = np.array([[[0.5, 2.0], [0.0, 0.5]], [[0.5, 0.0], [2.0, 0.5]]])


def equations(factors: np.ndarray, gamma: float) -> np.ndarray:
    """T written out: one block row per layer, both ends free."""
    layers, width, _ = factors.shape
    written = np.zeros((layers * width, (layers + 1) * width))
    for layer, factor in enumerate(factors):
        rows = slice(layer * width, (layer + 1) * width)
        written[rows, rows] = -factor / gamma
        written[rows, rows.stop : rows.stop + width] = np.eye(width)
    return written


def written_out(factors: np.ndarray, gamma: float) -> tuple[float, float]:
    whole, width = equations(factors, gamma), factors.shape[1]
    wide = np.linalg.svd(whole, compute_uv=False)[-1]
    tall = np.linalg.svd(whole[:, width:-width], compute_uv=False)[-1]
    return wide, tall


def doubling(up: float, down: float, layers: int) -> np.ndarray:
    found: list[float] = []
    while len(found) < layers:
        block = (len(found) + 1).bit_length() - 1
        found += [down if block % 2 else up] * 2**block
    return np.array(found[:layers]).reshape(-1, 1, 1)


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(1, 4), st.integers(2, 40))
def test_values_are_those_of_the_equations_written_out(seed, width, layers):
    random = np.random.default_rng(seed)
    factors = random.standard_normal((layers, width, width))
    gammas = random.uniform(0.5, 2.0, 3)
    found = sigma_test(factors, gammas)
    expected = np.array([written_out(factors, gamma) for gamma in gammas])
    np.testing.assert_allclose(found.wide, expected[:, 0], atol=ROUNDOFF)
    np.testing.assert_allclose(found.tall, expected[:, 1], atol=ROUNDOFF)
    np.testing.assert_array_equal(found.value, np.minimum(found.wide, found.tall))


@settings(deadline=None, max_examples=10)
@given(seeds, st.floats(0.2, 5.0))
def test_scaling_layers_and_growth_factor_together_changes_nothing(seed, scale):
    factors = np.random.default_rng(seed).standard_normal((60, 3, 3))
    here, there = sigma_test(factors, ONE), sigma_test(scale * factors, scale * ONE)
    np.testing.assert_allclose(here, there, atol=ROUNDOFF)


@settings(deadline=None, max_examples=10)
@given(seeds)
def test_a_longer_window_never_raises_either_value(seed):
    factors = np.random.default_rng(seed).standard_normal((50, 2, 2))
    short, long = sigma_test(factors[10:40], ONE), sigma_test(factors, ONE)
    assert (long.wide <= short.wide + ROUNDOFF).all()
    assert (long.tall <= short.tall + ROUNDOFF).all()


@pytest.mark.parametrize("identifier", identifiers("cocycle", "A11"))
def test_a_scalar_on_the_spectrum(identifier):
    reference = case("cocycle", identifier)
    factors = np.full((reference["inputs"]["L"], 1, 1), float(reference["inputs"]["a"]))
    found = sigma_test(factors, ONE * float(reference["inputs"]["gamma"]))
    np.testing.assert_allclose(found.wide, numbers(reference["outputs"]["wide"]), rtol=ROUNDOFF)
    np.testing.assert_allclose(found.tall, numbers(reference["outputs"]["tall"]), rtol=ROUNDOFF)


@pytest.mark.parametrize(("layers", "value"), [(10, 0.296), (30, 0.115), (100, 0.0593), (300, 0.0511)])
def test_a_scalar_beside_the_spectrum_comes_down_to_its_distance(layers, value):
    found = sigma_test(np.full((layers, 1, 1), 1.05), ONE)
    assert found.value[0] == pytest.approx(value, abs=PUBLISHED_DIGITS)
    assert found.value[0] > 0.05


def test_constant_ends_hide_a_saddle_in_the_spectrum():
    expected = case("cocycle", "H1_constant_extension_breaks_A4")["outputs"]["sigma_min at gamma=1 (float64)"]
    window = QUIET_LAYERS[np.arange(30) % 2]
    extended = np.concatenate([np.repeat(window[:1], 60, 0), window, np.repeat(window[-1:], 60, 0)])
    assert sigma_test(window, ONE).value[0] == pytest.approx(expected["ext=0"], abs=5e-6)
    assert sigma_test(extended, ONE).value[0] == pytest.approx(expected["ext=60"], rel=2e-3)


def test_each_kind_of_end_sees_one_kind_of_switch():
    decay_then_growth = np.repeat([0.5, 2.0], 60).reshape(-1, 1, 1)
    found, turned = sigma_test(decay_then_growth, ONE), sigma_test(decay_then_growth[::-1], ONE)
    assert found.wide[0] < 1e-10
    assert found.tall[0] > 0.4
    assert turned.tall[0] < 1e-10
    assert turned.wide[0] > 0.4


def test_blocks_of_doubling_length_fail_at_one():
    assert sigma_test(doubling(2.0, 0.5, 255), ONE).value[0] < 1e-9


def test_values_below_round_off_are_zero_however_long_the_stack():
    found = sigma_test(np.repeat([8.0, 0.1], 600).reshape(-1, 1, 1), ONE)
    assert found.tall[0] == 0
    assert found.wide[0] == pytest.approx(0.9, abs=1e-3)


def test_singular_layers_are_allowed():
    factors = np.tile(np.diag([1.5, 0.0]), (80, 1, 1))
    np.testing.assert_allclose(sigma_test(factors, ONE), np.transpose([written_out(factors, 1.0)]), rtol=1e-9)


def test_one_layer_leaves_nothing_between_fixed_ends():
    assert sigma_test(np.array([[[0.5]]]), ONE).tall[0] == np.inf


@settings(deadline=None, max_examples=10)
@given(seeds)
def test_krylov_and_dense_values_agree(seed):
    random = np.random.default_rng(seed)
    blocks = LARGEST_DENSE // 3 + 2
    heads, feet = random.standard_normal((2, blocks, 3, 3))
    bands = banded(triangle(heads, feet))
    written = np.zeros(((blocks + 1) * 3, blocks * 3))
    for block in range(blocks):
        columns = slice(3 * block, 3 * block + 3)
        written[columns, columns] = heads[block]
        written[3 * block + 3 : 3 * block + 6, columns] = feet[block]
    expected = np.linalg.svd(written, compute_uv=False)[-1]
    assert smallest_singular_value(bands) == pytest.approx(expected, abs=ROUNDOFF)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="at least one layer; got a stack of 0"):
        sigma_test(np.zeros((0, 2, 2)), ONE)
    for gammas in ([0.0], [-1.0], [np.nan], [1.0, np.inf]):
        with pytest.raises(ValueError, match="gammas must be positive"):
            sigma_test(np.ones((3, 1, 1)), np.array(gammas))
