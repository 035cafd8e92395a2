import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.constants import constants, dichotomy_constants, shared_rate
from engine.dichotomy import exact_spectrum
from engine.lag_tail import tail
from engine.lags import decay_branch, growth_branch, lags, log_norms
from engine.splitting import Splitting, split
from tests.engine.test_splitting import between, constructed, orthogonal, rotation
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12
SHARP = 1e-10
NEVER_LARGER = 1e-12
LEVELLED = 1e-7
seeds = st.integers(0, 2**32 - 1)


def tied(generator) -> np.ndarray:
    generator = np.asarray(generator)
    return (np.eye(len(generator)) + generator)[None]


def saddle(rates: tuple[float, float], coupling: float) -> np.ndarray:
    return np.array([[[rates[0], coupling], [0.0, rates[1]]]])


def of_period(factors: np.ndarray) -> tuple[Splitting, tuple[float, float]]:
    spectrum = exact_spectrum(factors)
    assert spectrum.persistent_rank is not None
    assert spectrum.gap is not None
    return split(factors, spectrum.persistent_rank, periodic=True), spectrum.gap


def chosen(factors: np.ndarray):
    return dichotomy_constants(*of_period(factors))


def green_bound(found) -> float:
    return 1 / (found.constant_decay / found.decay_margin + found.constant_growth / found.growth_margin)


def rotating_period(seed: int, period: int = 4) -> np.ndarray:
    """Rank 2, moduli 1.7, 1.4, .6, .5 per layer, skewed."""
    random = np.random.default_rng(seed)
    frames = orthogonal(random, period, 4)
    stretch = np.diag([1.7, 1.4, 0.6, 0.5]) + 0.4 * np.triu(random.standard_normal((period, 4, 4)), 1)
    return np.roll(frames, -1, axis=0) @ stretch @ np.swapaxes(frames, 1, 2)


def constructed_splitting(*, singular: bool) -> Splitting:
    """The reference splitting of 40 layers, cut out of the whole line."""
    return between(split(constructed(-60, 100, singular=singular), 1, periodic=False), 60, 100)


@settings(deadline=None, max_examples=12)
@given(seeds, st.integers(1, 4), st.integers(1, 7), st.data())
def test_reduced_norms_are_those_of_the_full_products(seed, width, layers, data):
    rank = data.draw(st.integers(0, width))
    factors = np.random.default_rng(seed).standard_normal((layers, width, width))
    found = split(factors, rank, periodic=False)
    if found.status != "ok":
        return
    worst = np.zeros((2, layers + 1))
    for start in range(layers + 1):
        forward, back = found.decaying[start], found.persistent[start]
        worst[:, 0] = np.maximum(worst[:, 0], [np.linalg.norm(forward, 2), np.linalg.norm(back, 2)])
        for lag in range(1, layers - start + 1):
            forward = factors[start + lag - 1] @ forward
            worst[0, lag] = max(worst[0, lag], np.linalg.norm(forward, 2))
        for lag in range(1, start + 1):
            growing = factors[start - lag] @ found.unstable[start - lag]
            back = found.unstable[start - lag] @ np.linalg.lstsq(growing, back, rcond=None)[0]
            worst[1, lag] = max(worst[1, lag], np.linalg.norm(back, 2))
    norms = lags(found)
    scale = 1e-9 * worst.max()
    np.testing.assert_allclose(np.exp(norms.log_decay), worst[0], rtol=1e-6, atol=scale)
    np.testing.assert_allclose(np.exp(norms.log_growth), worst[1], rtol=1e-6, atol=scale)


@pytest.mark.parametrize("singular", [False, True])
def test_constructed_norms_and_constants(singular):
    expected = case("cocycle", f"B1_constructed_singular={singular}")["outputs"]
    found = constructed_splitting(singular=singular)
    norms = lags(found, 12)
    decay = numbers(expected["N_minus[n]=max_s||Phi(s+n,s)P-(s)||, n=0..12"])
    np.testing.assert_allclose(np.exp(norms.log_decay), decay, rtol=SHARP)
    np.testing.assert_allclose(np.exp(norms.log_growth), numbers(expected["N_plus[n], n=0..12"]), rtol=SHARP)
    price = constants(found, np.array([0.7]), np.array([1.25]))
    assert price.decay[0] == pytest.approx(float(expected["C_minus(r=0.7), max over n<=12"]), rel=SHARP)
    assert price.growth[0] == pytest.approx(float(expected["C_plus(r=1.25)"]), rel=SHARP)


def test_lags_below_a_contracting_one_are_enough():
    branch = decay_branch(constructed_splitting(singular=False))
    bare = branch._replace(starts=np.broadcast_to(np.eye(2), branch.starts.shape))
    longest = log_norms(bare, 8)[8] / 8
    assert np.log(0.62) < longest < np.log(0.7)
    weighted = log_norms(branch, 40) - np.arange(41) * np.log(0.7)
    assert weighted.argmax() < 8


@pytest.mark.parametrize("identifier", ["D1_margin_formula_exceeds_truth", "D2_normal_saddle"])
def test_scalar_branches_take_the_edges(identifier):
    reference = case("cocycle", identifier)
    is_skewed = identifier.startswith("D1")
    factors = tied(numbers(reference["inputs"]["A"])) if is_skewed else np.diag([0.5, 1.5])[None]
    found = chosen(factors)
    expected = reference["outputs"]
    assert found.constant == pytest.approx(float(expected["C"]), rel=ROUNDOFF)
    assert (found.decay_rate, found.growth_rate) == pytest.approx((0.5, 1.5), rel=ROUNDOFF)
    margin = min(found.decay_margin, found.growth_margin) / found.constant
    assert margin == pytest.approx(float(expected["(i)_margin" if is_skewed else "(i)"]), rel=ROUNDOFF)
    assert green_bound(found) == pytest.approx(
        float(expected["(ii)_green" if is_skewed else "(ii)"]), rel=ROUNDOFF
    )
    shared = shared_rate(*of_period(factors))
    name = next(key for key in expected if key.startswith("BFP"))
    assert np.tanh(shared.exponent / 2) / shared.constant == pytest.approx(
        float(expected[name]), rel=ROUNDOFF
    )


def test_orthogonal_bundles_cost_nothing():
    inputs = case("cocycle", "A3_period2_stable_factors_unstable_product")["inputs"]
    factors = numbers([inputs["B0"], inputs["B1"]])
    expected = case("cocycle", "D5_period2")["outputs"]
    found = chosen(factors)
    assert found.constant == pytest.approx(float(expected["C (orthogonal bundles, r=edges)"]), rel=ROUNDOFF)
    assert min(found.decay_margin, found.growth_margin) == pytest.approx(float(expected["(i)"]), rel=ROUNDOFF)
    assert green_bound(found) == pytest.approx(float(expected["green_blocksum_inverse"]), rel=ROUNDOFF)
    window = lags(split(np.tile(factors, (15, 1, 1)), 1, periodic=False))
    exact = case("cocycle", "A3_period2_stable_factors_unstable_product")["outputs"]["sigma_dich"]
    depths = np.arange(31)
    np.testing.assert_allclose(window.log_growth, -depths * np.log(float(exact[0])), atol=ROUNDOFF)
    np.testing.assert_allclose(window.log_decay, depths * np.log(float(exact[1])), atol=1e-10)


def test_near_defective_block_prefers_a_slower_rate():
    reference = case("cocycle", "D4_4d_mixed")
    found = chosen(tied(numbers(reference["inputs"]["A"])))
    lipschitz = float(reference["outputs"]["L_psi"])
    margin = min(found.decay_margin, found.growth_margin) / (found.constant * lipschitz)
    assert margin == pytest.approx(0.128, abs=5e-4)
    assert found.decay_rate == pytest.approx(3 / 4, rel=ROUNDOFF)


def test_roughness_constant_is_the_green_bound_at_its_rates():
    reference = case("cocycle", "D7_bfp")
    exponent, constant = float(reference["inputs"]["alpha"]), float(reference["inputs"]["K"])
    rates = np.exp([-exponent, exponent])
    factors = saddle((rates[0], rates[1]), np.sqrt(constant**2 - 1) * (rates[1] - rates[0]))
    splitting, gap = of_period(factors)
    found = shared_rate(splitting, gap)
    assert (found.exponent, found.constant) == pytest.approx((exponent, constant), rel=SHARP)
    largest = float(reference["outputs"]["delta_max"])
    assert np.tanh(found.exponent / 2) / found.constant == pytest.approx(largest, rel=SHARP)
    price = constants(splitting, rates[:1] * (1 + ROUNDOFF), rates[1:] * (1 - ROUNDOFF))
    bound = 1 / (price.decay[0] / (1 - rates[0]) + price.growth[0] / (rates[1] - 1))
    assert bound == pytest.approx(float(reference["outputs"]["green_bound_at_r=e^{-+alpha}"]), rel=SHARP)


@settings(deadline=None, max_examples=15)
@given(seeds, st.integers(1, 5))
def test_the_rates_beat_every_rate_of_a_fine_grid(seed, period):
    factors = rotating_period(seed, period)
    splitting, gap = of_period(factors)
    found = dichotomy_constants(splitting, gap)
    decay, growth = np.linspace(gap[0], 1, 400)[1:-1], np.linspace(1, gap[1], 400)[1:-1]
    price = constants(splitting, decay, growth)
    for best, grid in (
        (found.decay_margin / found.constant_decay, (1 - decay) / price.decay),
        (found.growth_margin / found.constant_growth, (growth - 1) / price.growth),
    ):
        assert best >= grid.max() * (1 - NEVER_LARGER)
        assert best == pytest.approx(grid.max(), rel=0.02)
    own = constants(splitting, np.array([found.decay_rate]), np.array([found.growth_rate]))
    assert own.decay[0] == pytest.approx(found.constant_decay, rel=1e-9)
    assert own.growth[0] == pytest.approx(found.constant_growth, rel=1e-9)
    shared = shared_rate(splitting, gap)
    assert np.tanh(shared.exponent / 2) / shared.constant <= green_bound(found) * (1 + NEVER_LARGER)


@settings(deadline=None, max_examples=10)
@given(seeds)
def test_turned_and_scaled_stacks_have_turned_and_scaled_norms(seed):
    random = np.random.default_rng(seed)
    factors, turn, scale = rotating_period(seed), orthogonal(random, 1, 4)[0], 1.1
    plain = lags(split(factors, 2, periodic=True), 30)
    moved = lags(split(scale * (turn @ factors @ turn.T), 2, periodic=True), 30)
    shift = np.arange(31) * np.log(scale)
    np.testing.assert_allclose(moved.log_decay, plain.log_decay + shift, atol=SHARP)
    np.testing.assert_allclose(moved.log_growth, plain.log_growth - shift, atol=SHARP)


@settings(deadline=None, max_examples=10)
@given(seeds, st.integers(1, 5), st.integers(0, 12))
def test_the_tail_bounds_all_later_norms(seed, period, known):
    splitting = split(rotating_period(seed, period), 2, periodic=True)
    for branch in (decay_branch(splitting), growth_branch(splitting)):
        norms = log_norms(branch, 120)
        bound = tail(branch, known)
        later = np.arange(known, 121)
        assert (norms[known:] <= bound.log_norm + (later - known) * bound.log_rate + SHARP).all()
        levelled = norms[-period:] - np.arange(121 - period, 121) * bound.log_rate
        assert tail(branch, 120).log_norm - 120 * bound.log_rate == pytest.approx(
            levelled.max(), abs=LEVELLED
        )


def test_the_tail_of_a_turning_pair_is_its_worst_angle():
    skew = np.array([[1.0, 3.48], [0.0, 1.0]])
    factor = 0.95 * skew @ rotation(0.4) @ np.linalg.inv(skew)
    found = dichotomy_constants(split(factor[None], 0, periodic=True), (0.95, np.inf))
    spread = np.linalg.cond(skew)
    assert tail(decay_branch(split(factor[None], 0, periodic=True)), 0).log_norm == pytest.approx(
        np.log(spread)
    )
    assert found.decay_rate == pytest.approx(0.95, rel=1e-4)
    assert found.constant_decay == pytest.approx(spread, rel=1e-3)
    assert found.constant_decay <= spread * (1 + NEVER_LARGER)


def test_a_defective_rate_is_left_for_a_slower_one():
    block = np.array([[[0.5, 1.0], [0.0, 0.5]]])
    found = dichotomy_constants(split(block, 0, periodic=True), (0.5, np.inf))
    powers = np.array([np.linalg.norm(np.linalg.matrix_power(block[0], lag), 2) for lag in range(300)])
    rates = np.linspace(0.7, 0.76, 2001)
    best = ((1 - rates) / (powers / rates[:, None] ** np.arange(300)).max(axis=1)).max()
    assert found.decay_margin / found.constant_decay == pytest.approx(best, rel=1e-4)
    assert found.decay_margin / found.constant_decay >= best


def test_nilpotent_and_vanishing_layers():
    shift = dichotomy_constants(split(np.eye(2, k=1)[None], 0, periodic=True), (0.0, np.inf))
    assert (shift.decay_rate, shift.constant_decay) == pytest.approx((0.5, 2.0), rel=ROUNDOFF)
    zero = dichotomy_constants(split(np.zeros((1, 2, 2)), 0, periodic=True), (0.0, np.inf))
    assert (zero.decay_rate, zero.decay_margin, zero.constant_decay) == (0.0, 1.0, 1.0)


def test_an_absent_branch_has_no_rate():
    shrinking, growing = chosen(np.diag([0.5, 0.25])[None]), chosen(np.diag([3.0, 2.0])[None])
    assert (shrinking.growth_rate, shrinking.growth_margin, shrinking.constant_growth) == (None, np.inf, 0.0)
    assert (growing.decay_rate, growing.decay_margin, growing.constant_decay) == (None, np.inf, 0.0)
    assert green_bound(shrinking) == pytest.approx(0.5, rel=ROUNDOFF)
    assert green_bound(growing) == pytest.approx(1.0, rel=ROUNDOFF)


@pytest.mark.parametrize("gap", [(0.6335, 1.4584), (0.7, 1.2), (0.2, 1.9)])
def test_window_rates_stay_within_the_certified_edges(gap):
    factors = constructed(0, 40, singular=True)
    splitting = split(factors, 1, periodic=False)
    found = dichotomy_constants(splitting, gap)
    assert found.decay_rate is not None
    assert found.growth_rate is not None
    assert gap[0] * (1 - ROUNDOFF) <= found.decay_rate < 1 < found.growth_rate <= gap[1] * (1 + ROUNDOFF)
    norms, depths = lags(splitting), np.arange(41)
    assert found.constant_decay == pytest.approx(
        np.exp((norms.log_decay - depths * np.log(found.decay_rate)).max()), rel=SHARP
    )
    assert found.constant_growth == pytest.approx(
        np.exp((norms.log_growth + depths * np.log(found.growth_rate)).max()), rel=SHARP
    )


@pytest.mark.parametrize("angle", [0.0, 0.4])
def test_a_switch_of_diagonals_without_coupling_costs_everything(angle):
    switch = np.array([np.diag([0.5, 2.0])] * 60 + [np.diag([2.0, 0.5])] * 60)
    found = split(rotation(angle) @ switch @ rotation(-angle), 1, periodic=False)
    assert found.status == "no-split" or lags(found).log_growth.max() > np.log(1e16)


def test_no_gap_no_rates():
    splitting = split(np.diag([2.0, 0.5])[None], 1, periodic=True)
    missing = split(np.diag([0.5, 0.5])[None], 1, periodic=True)
    for found in (dichotomy_constants(splitting, (1.0, 2.0)), dichotomy_constants(missing, (0.5, 2.0))):
        assert (found.status, found.decay_rate, found.decay_margin, found.constant) == (
            "no-split",
            None,
            0.0,
            np.inf,
        )
    assert shared_rate(missing, (0.5, 2.0)) == (0.0, np.inf)


def test_bad_input_is_named():
    splitting = split(np.diag([2.0, 0.5])[None], 1, periodic=True)
    missing = split(np.diag([0.5, 0.5])[None], 1, periodic=True)
    with pytest.raises(ValueError, match='status "ok"; got "no-split"'):
        lags(missing)
    with pytest.raises(ValueError, match="most must be at least 0"):
        lags(splitting, -1)
    with pytest.raises(ValueError, match='status "ok"; got "no-split"'):
        constants(missing, np.ones(1), np.ones(1))
    with pytest.raises(ValueError, match="rates must be positive"):
        constants(splitting, np.zeros(1), np.ones(1))
