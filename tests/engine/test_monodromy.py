import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.monodromy import multipliers
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12
CONDITIONED = 1e-9
seeds = st.integers(0, 2**32 - 1)
few = settings(deadline=None, max_examples=20)


def random_period(seed: int, period: int = 3, width: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((period, width, width))


def diagonalised_period(moduli: np.ndarray, period: int) -> np.ndarray:
    """Layers T(l+1) diag(moduli) T(l)⁻¹ with T of that period: every multiplier is moduli^period."""
    frames = np.random.default_rng(5).standard_normal((period, moduli.size, moduli.size))
    frames = np.eye(moduli.size) + 0.2 * frames
    return np.roll(frames, -1, axis=0) @ np.diag(moduli) @ np.linalg.inv(frames)


@few
@given(seeds)
def test_log_moduli_add_up_to_the_determinants(seed):
    factors = random_period(seed)
    assert multipliers(factors).log_modulus.sum() == pytest.approx(
        np.linalg.slogdet(factors)[1].sum(), abs=CONDITIONED
    )


@few
@given(seeds)
def test_a_short_product_has_the_same_eigenvalues(seed):
    factors = random_period(seed, period=2, width=3)
    direct = np.linalg.eigvals(factors[1] @ factors[0])
    found = multipliers(factors)
    values = np.exp(found.log_modulus + 1j * found.phase)
    distances = np.abs(values[:, None] - direct[None]).min(axis=1)
    assert distances.max() <= CONDITIONED * np.abs(direct).max()


@few
@given(seeds, st.integers(1, 4))
def test_starting_elsewhere_in_the_period_changes_nothing(seed, shift):
    factors = random_period(seed, period=5)
    moved = multipliers(np.roll(factors, shift, axis=0))
    np.testing.assert_allclose(moved.log_modulus, multipliers(factors).log_modulus, atol=CONDITIONED)


@few
@given(seeds)
def test_two_periods_square_the_multipliers(seed):
    factors = random_period(seed)
    twice = multipliers(np.concatenate([factors, factors]))
    np.testing.assert_allclose(twice.log_modulus, 2 * multipliers(factors).log_modulus, atol=CONDITIONED)


def test_scaling_a_layer_shifts_the_logs_even_far_beyond_floats():
    factors = random_period(1, period=64)
    logs = multipliers(1e20 * factors).log_modulus
    np.testing.assert_allclose(logs - 64 * np.log(1e20), multipliers(factors).log_modulus, atol=CONDITIONED)


def test_small_multipliers_are_as_accurate_as_large_ones():
    moduli = np.array([2.0, 1.0, 0.1, 1e-3, 1e-6])
    found = multipliers(diagonalised_period(moduli, 64)).log_modulus / 64
    np.testing.assert_allclose(found, np.log(moduli), atol=ROUNDOFF)


@pytest.mark.parametrize("period", [1, 2, 3])
def test_phases_of_a_rotation_and_a_flip(period):
    cosine, sine = np.cos(0.4), np.sin(0.4)
    layer = np.zeros((3, 3))
    layer[:2, :2] = 1.1 * np.array([[cosine, -sine], [sine, cosine]])
    layer[2, 2] = -0.5
    mix = np.array([[1.0, 0.3, 0.1], [0.0, 1.0, 0.7], [0.5, 0.0, 1.0]])
    found = multipliers(np.array([mix @ layer @ np.linalg.inv(mix)] * period))
    np.testing.assert_allclose(found.log_modulus, period * np.log([1.1, 1.1, 0.5]), atol=ROUNDOFF)
    flip = np.pi if period % 2 else 0.0
    np.testing.assert_allclose(
        np.sort(np.abs(found.phase)), np.sort([0.4 * period, 0.4 * period, flip]), atol=ROUNDOFF
    )
    assert (found.phase > -np.pi).all()


def test_period_two_traps():
    shears = numbers(
        [case("cocycle", "A3_period2_stable_factors_unstable_product")["inputs"][b] for b in ("B0", "B1")]
    )
    expected = numbers(
        case("cocycle", "A3_period2_stable_factors_unstable_product")["outputs"]["monodromy_eigs"]
    )
    np.testing.assert_allclose(np.exp(multipliers(shears).log_modulus), expected, rtol=ROUNDOFF)
    swaps = np.array([np.diag([2, 1 / 8]), np.diag([1 / 8, 2])])
    np.testing.assert_allclose(multipliers(swaps).log_modulus, 2 * np.log([0.5, 0.5]), atol=ROUNDOFF)


def test_a_singular_layer_gives_an_exact_zero():
    entry = case("cocycle", "A14_singular_period3")
    factors = numbers([entry["inputs"][name] for name in ("B0", "B1", "B2")])
    found = multipliers(factors)
    assert found.log_modulus[0] / 3 == pytest.approx(
        np.log(float(entry["outputs"]["sigma_dich"][0])), abs=ROUNDOFF
    )
    assert found.log_modulus[1] == -np.inf
    assert found.phase[1] == 0


@pytest.mark.parametrize("period", [1, 2, 5])
def test_rank_deficient_layers_lose_as_many_directions_as_they_must(period):
    factors = random_period(3, period)
    factors[0] = factors[0] @ np.diag([1.0, 1.0, 0.0, 0.0])
    assert np.isneginf(multipliers(factors).log_modulus).sum() == 2


def test_a_nilpotent_period_has_only_zeros():
    shift = np.diag(np.ones(3), 1)
    assert np.isneginf(multipliers(np.array([shift, np.eye(4)])).log_modulus).all()


def test_width_one_multiplies_the_entries():
    found = multipliers(np.array([2.0, -0.5, 3.0]).reshape(3, 1, 1))
    assert found.log_modulus[0] == pytest.approx(np.log(3.0), abs=ROUNDOFF)
    assert found.phase[0] == pytest.approx(np.pi)


def test_an_empty_period_is_refused():
    with pytest.raises(ValueError, match="at least one layer; got a period of 0"):
        multipliers(np.zeros((0, 2, 2)))
