import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import certificate
from engine.dichotomy import exact_spectrum, layer_moduli, spectrum_of_moduli, window_spectrum
from engine.qr_flow import carried_frame, log_stretches, random_frame
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12
CONDITIONED = 1e-9
GOLDEN = (np.sqrt(5) - 1) / 2
seeds = st.integers(0, 2**32 - 1)
few = settings(deadline=None, max_examples=15)


def expected_points(identifier: str) -> np.ndarray:
    return numbers(case("cocycle", identifier)["outputs"]["sigma_dich"])


def scalar_stack(values: list[float] | np.ndarray) -> np.ndarray:
    return np.array(values, dtype=float).reshape(-1, 1, 1)


def alternating_blocks(lengths: list[int], first: float, second: float) -> np.ndarray:
    return scalar_stack(np.concatenate([np.full(n, (first, second)[i % 2]) for i, n in enumerate(lengths)]))


def henon_layers(steps: int, a: float = 1.4, b: float = 0.3) -> np.ndarray:
    x, y, layers = 0.1, 0.1, np.empty((steps, 2, 2))
    for step in range(-1000, steps):
        if step >= 0:
            layers[step] = [[-2 * a * x, 1.0], [b, 0.0]]
        x, y = 1 - a * x * x + y, b * x
    return layers


def almost_mathieu(depth: int, energy: float = 0.0) -> np.ndarray:
    layers = np.zeros((depth, 2, 2))
    layers[:, 0, 0] = energy - 4 * np.cos(2 * np.pi * GOLDEN * np.arange(depth))
    layers[:, 0, 1], layers[:, 1, 0] = -1.0, 1.0
    return layers


def test_tied_triangular():
    matrix = np.eye(3) + numbers(case("cocycle", "A1_tied_upper3")["inputs"]["A"])
    spectrum = exact_spectrum(matrix[None])
    np.testing.assert_allclose(spectrum.upper, expected_points("A1_tied_upper3"), rtol=ROUNDOFF)
    assert (spectrum.method, spectrum.verdict, spectrum.certified) == ("exact-tied", "hyperbolic", True)
    assert spectrum.persistent_rank == 1
    assert spectrum.gap == pytest.approx((0.5, 1.4))


def sheared_rotation() -> np.ndarray:
    shear = np.array([[1.0, 3.0], [0.0, 1.0]])
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    return shear @ (1.1 * turn) @ np.linalg.inv(shear)


def test_tied_complex_pair_is_one_point_and_windows_stay_within_the_bound():
    entry = case("cocycle", "A2_tied_complex_nonnormal")
    spectrum = exact_spectrum(sheared_rotation()[None])
    np.testing.assert_allclose(spectrum.upper, [1.1], rtol=ROUNDOFF)
    np.testing.assert_array_equal(spectrum.multiplicity, [2])
    assert spectrum.gap == (0.0, spectrum.lower[0])
    window = window_spectrum(np.array([sheared_rotation()] * 64), 8)
    bound = np.log(float(entry["outputs"]["kappa_S"])) / 8
    assert np.abs(np.log([window.lower[0], window.upper[0]]) - np.log(1.1)).max() <= bound
    assert window.verdict != "hyperbolic"


@pytest.mark.parametrize(
    ("identifier", "multiplicity"),
    [
        ("A3_period2_stable_factors_unstable_product", [1, 1]),
        ("A4_period2_unstable_factors_stable_product", [2]),
        ("A14_singular_period3", [1, 1]),
    ],
)
def test_periodic_cases(identifier, multiplicity):
    inputs = case("cocycle", identifier)["inputs"]
    if identifier.startswith("A4"):
        factors = np.array([np.diag([2, 1 / 8]), np.diag([1 / 8, 2])])
    else:
        factors = numbers([inputs[name] for name in ("B0", "B1", "B2") if name in inputs])
    spectrum = exact_spectrum(factors)
    np.testing.assert_allclose(spectrum.upper, np.ravel(expected_points(identifier)), rtol=ROUNDOFF)
    np.testing.assert_array_equal(spectrum.multiplicity, multiplicity)
    assert spectrum.method == "exact-periodic"


def test_a_window_of_a_singular_period_shows_the_zero():
    inputs = case("cocycle", "A14_singular_period3")["inputs"]
    factors = np.tile(numbers([inputs[name] for name in ("B0", "B1", "B2")]), (16, 1, 1))
    spectrum = window_spectrum(factors, 12)
    assert spectrum.lower[-1] == 0
    assert spectrum.lower[0] == pytest.approx(4 ** (1 / 3), rel=0.1)
    assert spectrum.persistent_rank == 1


@pytest.mark.parametrize(
    ("identifier", "first"), [("A5_scalar_doubling", 2.0), ("A6_scalar_doubling_8_half", 8.0)]
)
def test_doubling_blocks_fill_the_whole_interval(identifier, first):
    factors = alternating_blocks([2**j for j in range(10)], first, 0.5)
    spectrum = window_spectrum(factors, 64)
    np.testing.assert_allclose(
        [spectrum.lower[0], spectrum.upper[0]], expected_points(identifier), rtol=ROUNDOFF
    )
    assert spectrum.verdict == "contains-one"
    assert spectrum.persistent_rank is None


@pytest.mark.parametrize("window", [5, 10, 20, 40])
def test_linear_blocks_at_every_resolution(window):
    entry = case("cocycle", "A7_scalar_linear_blocks_8_half")["outputs"]
    factors = alternating_blocks([length for j in range(1, 21) for length in (j, j)], 8.0, 0.5)
    spectrum = window_spectrum(factors, window)
    edges = numbers(entry["steklov_edges"][f"H={window}"])
    np.testing.assert_allclose([spectrum.lower[0], spectrum.upper[0]], edges, rtol=ROUNDOFF)
    assert np.exp(log_stretches(factors).mean()) == pytest.approx(float(entry["lyapunov"]), rel=ROUNDOFF)


@pytest.mark.parametrize("window", [1, 5, 21, 34, 100])
def test_quasiperiodic_scalar_reaches_the_dirichlet_edges(window):
    outputs = case("cocycle", "A8_quasiperiodic_scalar")["outputs"]
    values = np.exp(0.3 + 0.8 * np.cos(2 * np.pi * GOLDEN * np.arange(4000)))
    spectrum = window_spectrum(scalar_stack(values), window)
    edges = numbers(outputs["steklov_edges_supremum_over_phase"][f"H={window}"])
    np.testing.assert_allclose([spectrum.lower[0], spectrum.upper[0]], edges, rtol=1e-5)
    assert edges[0] * (1 - ROUNDOFF) <= spectrum.lower[0] <= spectrum.upper[0] <= edges[1] * (1 + ROUNDOFF)


def test_almost_mathieu_exponents():
    outputs = case("cocycle", "A9_almost_mathieu")["outputs"]
    exponents = log_stretches(almost_mathieu(20000)).mean(axis=0)
    np.testing.assert_allclose(exponents, numbers(outputs["lyapunov_log"]), atol=1e-4)
    assert exponents.sum() == pytest.approx(0, abs=CONDITIONED)


def test_triangular_switch_is_not_read_off_its_diagonal():
    factors = np.array([np.diag([0.5, 2.0])] * 60 + [np.diag([2.0, 0.5])] * 60)
    factors[60, 0, 1] = 1.0
    spectrum = window_spectrum(factors, 10)
    assert (spectrum.verdict, spectrum.certified, spectrum.persistent_rank) == ("hyperbolic", True, 1)
    assert spectrum.gap == pytest.approx((0.54, 1.87), abs=0.005)
    assert spectrum.upper[1] < 0.54
    assert spectrum.lower[0] > 1.86


def test_henon_exponents_and_their_exact_sum():
    """N41. The mean over n steps of the attractor strays by about 0.3/√n, some 0.001; the sum is ln 0.3."""
    outputs = case("cocycle", "G1_henon_attractor")["outputs"]
    layers = henon_layers(60000)
    exponents = log_stretches(layers).mean(axis=0)
    np.testing.assert_allclose(exponents, [0.419, -1.623], atol=5e-3)
    np.testing.assert_allclose(exponents, outputs["lyapunov_published"], atol=2e-3)
    assert exponents.sum() == pytest.approx(float(outputs["sum_exact"]), abs=CONDITIONED)
    assert exponents.sum() == pytest.approx(np.log(0.3), abs=CONDITIONED)


@pytest.mark.parametrize("count", range(1, 7))
def test_leading_directions_followed_alone_are_those_of_the_full_run(count):
    """N44."""
    factors = np.random.default_rng(44).standard_normal((60, 6, 6))
    frame = random_frame(6)
    full, leading = log_stretches(factors, frame), log_stretches(factors, frame[:, :count])
    assert leading.shape == (60, count)
    np.testing.assert_allclose(leading.mean(axis=0), full[:, :count].mean(axis=0), atol=1e-10)


@pytest.mark.parametrize("ratio", [2, 5, 20])
def test_independent_scalars_read_at_multiples_of_the_log_of_the_depth(ratio):
    """A13 is a limit: at H = c log L the best of L stretches still strays by O(log H) of its H logs.

    By Deheuvels, Devroye and Lynch (1986) by at most 3/2 log H / t in the limit, t the tilt of the coin
    that makes the mean α typical; 1/t more for chance.
    """
    alpha = float(case("cocycle", "A13_erdos_renyi")["outputs"][f"alpha(c={ratio})"])
    depth = 2**17
    window = round(ratio * np.log(depth))
    values = np.random.default_rng(13).choice([2.0, 0.5], depth)
    spectrum = window_spectrum(scalar_stack(values), window)
    strays = (1.5 * np.log(window) + 1) / np.arctanh(alpha)
    edges = np.log2([spectrum.lower[0], spectrum.upper[0]])
    np.testing.assert_allclose(edges, [-alpha, alpha], atol=strays / window)
    mean = log_stretches(scalar_stack(values)).mean()
    assert mean == pytest.approx(0, abs=4 * np.log(2) / np.sqrt(depth))


def test_random_fibonacci_exponent():
    """G3. The mean over n steps strays by about 0.4/√n, some 0.001: twice that is allowed.

    The edges [1/φ, φ] of its spectrum belong to runs of one sign, longer than a window has any.
    """
    outputs = case("cocycle", "G3_random_fibonacci")["outputs"]
    signs = np.random.default_rng(0).choice([-1.0, 1.0], 200_000)
    layers = np.zeros((signs.size, 2, 2))
    layers[:, 0, 1], layers[:, 1, 0], layers[:, 1, 1] = 1.0, 1.0, signs
    top = np.exp(log_stretches(layers)[:, 0].mean())
    assert top == pytest.approx(float(outputs["exp(lyap1)"]), abs=2e-3)
    golden = float(outputs["sigma_dich"][1])
    all_plus = log_stretches(np.tile(layers[signs > 0][0], (200, 1, 1)))[50:150]
    np.testing.assert_allclose(np.exp(all_plus), [[golden, 1 / golden]] * 100, rtol=CONDITIONED)


def test_sinus_of_the_logarithm():
    outputs = case("cocycle", "G4_sinlog_coslog")["outputs"]
    depths = np.arange(1, 40002)
    logs = np.diff(depths * np.sin(np.log(depths)))
    spectrum = window_spectrum(scalar_stack(np.exp(logs)), 10)
    np.testing.assert_allclose(
        np.log([spectrum.lower[0], spectrum.upper[0]]), numbers(outputs["sigma_dich_log"]), atol=1e-5
    )


def test_the_start_frame_of_short_triangular_stacks():
    """N46."""
    layers = np.array([[[0.5, 0.0], [10.0, 2.0]]] * 10)
    from_identity = log_stretches(layers, np.eye(2)).mean(axis=0)
    np.testing.assert_allclose(from_identity, [0.882859, -0.882859], atol=1e-6)
    warm = carried_frame(np.concatenate([layers] * 10), random_frame(2))
    np.testing.assert_allclose(
        log_stretches(layers, warm).mean(axis=0), [np.log(2), -np.log(2)], atol=ROUNDOFF
    )


def test_layer_radii_are_spectral():
    radii = layer_moduli(np.array([[[0.9, 0.9], [0.9, 0.9]], [[0.5, 5.0], [0.0, 0.5]]]))[:, 0]
    np.testing.assert_allclose(radii, [1.8, 0.5], rtol=ROUNDOFF)
    assert layer_moduli(np.array([[[-2.0]]]))[:, 0][0] == 2
    np.testing.assert_allclose(layer_moduli(np.array([np.diag([-2.0, 3.0])]))[0], [3.0, 2.0])


@few
@given(seeds)
def test_the_whole_stack_as_window_gives_back_its_determinant(seed):
    factors = np.random.default_rng(seed).standard_normal((24, 3, 3))
    spectrum = window_spectrum(factors, 24)
    total = (np.log(spectrum.upper + spectrum.lower) - np.log(2)) @ spectrum.multiplicity
    assume((spectrum.multiplicity == 1).all())  # neighbours out of order are merged
    assert 24 * total == pytest.approx(np.linalg.slogdet(factors)[1].sum(), abs=CONDITIONED)


@few
@given(seeds, st.floats(-3, 3))
def test_scaling_the_maps_scales_the_spectrum(seed, shift):
    factors = np.random.default_rng(seed).standard_normal((24, 3, 3))
    plain, scaled = window_spectrum(factors, 6), window_spectrum(np.exp(shift) * factors, 6)
    np.testing.assert_allclose(scaled.upper, np.exp(shift) * plain.upper, rtol=CONDITIONED)
    np.testing.assert_allclose(scaled.lower, np.exp(shift) * plain.lower, rtol=CONDITIONED)
    exact = exact_spectrum(np.exp(shift) * factors[:4])
    np.testing.assert_allclose(
        exact.upper, np.exp(shift) * exact_spectrum(factors[:4]).upper, rtol=CONDITIONED
    )


@few
@given(seeds)
def test_intervals_are_ordered_apart_and_count_every_direction(seed):
    spectrum = window_spectrum(np.random.default_rng(seed).standard_normal((32, 4, 4)), 8)
    assert spectrum.multiplicity.sum() == 4
    assert (spectrum.lower <= spectrum.upper).all()
    assert (spectrum.lower[:-1] > spectrum.upper[1:]).all()
    assert spectrum.whisker_lower is not None
    assert spectrum.whisker_upper is not None
    assert (spectrum.whisker_lower <= spectrum.lower * (1 + ROUNDOFF)).all()
    assert (spectrum.whisker_upper >= spectrum.upper * (1 - ROUNDOFF)).all()


def test_layers_per_map_take_the_root():
    matrix = np.diag([4.0, 0.25])
    np.testing.assert_allclose(exact_spectrum(matrix[None], layers_per_map=2).upper, [2.0, 0.5])
    window = window_spectrum(np.array([matrix] * 8), 4, layers_per_map=2)
    np.testing.assert_allclose(window.upper, [2.0, 0.5])
    assert window.gap == pytest.approx((0.5, 2.0), rel=1e-2)


@pytest.mark.parametrize(
    ("modulus", "rank", "gap"),
    [([0.5, 0.2], 0, (0.5, np.inf)), ([3.0, 2.0], 2, (0.0, 2.0)), ([0.0, 2.0], 1, (0.0, 2.0))],
)
def test_gap_and_rank_of_known_moduli(modulus, rank, gap):
    spectrum = spectrum_of_moduli(np.array(modulus), method="exact-tied")
    assert spectrum.persistent_rank == rank
    assert spectrum.gap == gap


def test_window_gaps_without_growing_or_decaying_directions():
    decaying = window_spectrum(np.array([np.diag([0.5, 0.2])] * 8), 4)
    assert decaying.persistent_rank == 0
    assert decaying.gap == pytest.approx((0.5, np.inf), rel=1e-2)
    growing = window_spectrum(np.array([np.diag([3.0, 2.0])] * 8), 4)
    assert growing.persistent_rank == 2
    assert growing.gap == pytest.approx((0.0, 2.0), rel=1e-2)


def test_equal_moduli_merge_and_the_unit_circle_is_seen():
    spectrum = spectrum_of_moduli(np.array([1 + 5e-9, 0.5, 0.5 + 1e-9]), method="exact-periodic")
    np.testing.assert_array_equal(spectrum.multiplicity, [1, 2])
    assert spectrum.verdict == "contains-one"
    assert (spectrum.persistent_rank, spectrum.gap) == (None, None)


def test_three_layers_have_no_verdict():
    spectrum = window_spectrum(np.array([np.diag([2.0, 0.5])] * 3), 2)
    assert (spectrum.verdict, spectrum.certified, spectrum.gap) == ("undecided", False, None)
    np.testing.assert_allclose(spectrum.upper, [2.0, 0.5], rtol=1e-5)


def test_a_long_window_means_the_whole_stack():
    factors = np.random.default_rng(0).standard_normal((6, 2, 2))
    spectrum = window_spectrum(factors, 50)
    assert spectrum.resolution == 6


def test_moving_the_window_does_not_recompile():
    factors = np.random.default_rng(0).standard_normal((20, 3, 3))
    window_spectrum(factors, 5)
    compiled = certificate._gap_kernel._cache_size()  # type: ignore[attr-defined]
    window_spectrum(factors[:19], 6)
    assert certificate._gap_kernel._cache_size() == compiled  # type: ignore[attr-defined]


def test_misuse_is_named():
    factors = np.ones((4, 1, 1))
    with pytest.raises(ValueError, match="window must be at least 1 map of a non-empty stack; got 0 of 4"):
        window_spectrum(factors, 0)
    with pytest.raises(ValueError, match="layers_per_map must be at least 1; got 0"):
        exact_spectrum(factors, layers_per_map=0)
    with pytest.raises(ValueError, match="finite numbers, each at least 0"):
        spectrum_of_moduli(np.array([np.nan]), method="window")
