import numpy as np
import pytest

from engine.constants import dichotomy_constants, shared_rate
from engine.dichotomy import exact_spectrum
from engine.gate import boundary
from engine.green import green_norm
from engine.hold import held_loop
from engine.ladder import Certificate, ladder
from engine.resolvent_radius import resolvent_radius
from engine.roughness import remaining_exponent, roughness_radius
from engine.splitting import split
from engine.topology import phases
from tests.engine.loop_cases import SADDLE
from tests.reference_cases import case

ROUNDOFF = 1e-12
SHARP = 1e-10
SLACK = 1 + 1e-9
PERIOD_TWO = np.array([[[0.5, 2.0], [0.0, 0.5]], [[0.5, 0.0], [2.0, 0.5]]])


def rungs(factors, injection, refresh_period=1):
    spectrum = exact_spectrum(factors)
    splitting = split(factors, spectrum.persistent_rank or 0, periodic=True)
    gap = spectrum.gap or (1.0, 1.0)
    constants = dichotomy_constants(splitting, gap)
    radius = resolvent_radius(factors).value if refresh_period == 1 else None
    norm = green_norm(splitting, constants)
    return ladder(constants, shared_rate(splitting, gap), norm, radius, float(np.linalg.norm(injection, 2)))


def true_limit(factors, injection, refresh_period=1, split_phases=((0.0, 1),)):
    found = boundary(held_loop(factors, injection, refresh_period, periodic=True), split_phases)
    return min(-found.negative, found.positive)


def random_injection(random, width):
    if random.random() < 0.5:
        return random.standard_normal((width, width))
    return np.outer(random.standard_normal(width), random.standard_normal(width))


def assert_ordered(found):
    assert found.green_bound <= found.green_bound_split * SLACK
    assert found.green_bound_split <= found.green_norm_bound * SLACK
    assert found.green_bound <= found.paper_estimate * SLACK
    assert found.paper_estimate <= 2 * found.green_bound * SLACK
    assert found.roughness_bound <= found.green_bound_split * SLACK


@pytest.mark.parametrize("block", range(10))
def test_order_of_the_ladder_on_random_tied_loops(block):
    random = np.random.default_rng(block)
    for _ in range(20):
        width = int(random.integers(1, 5))
        factors = random.choice([0.4, 0.8, 1.2]) * random.standard_normal((1, width, width))
        injection = random_injection(random, width)
        found = rungs(factors, injection)
        assert_ordered(found)
        assert found.radius_bound is not None
        assert found.green_norm_bound <= found.radius_bound * SLACK
        assert found.radius_bound <= true_limit(factors, injection) * SLACK
        assert (
            found.best == (found.radius_bound, "radius_bound")
            or found.best.value <= found.radius_bound * SLACK
        )


@pytest.mark.parametrize("seed", range(10))
def test_turning_the_features_changes_no_rung_and_a_stronger_psi_divides_them(seed):
    random = np.random.default_rng(seed)
    factors, injection = 0.8 * random.standard_normal((1 + seed % 3, 3, 3)), random_injection(random, 3)
    turn = np.linalg.qr(random.standard_normal((3, 3)))[0]
    plain, turned = rungs(factors, injection), rungs(turn @ factors @ turn.T, turn @ injection @ turn.T)
    stronger = rungs(factors, 2.5 * injection)
    assert turned.best.name == plain.best.name == stronger.best.name
    for name in plain._fields[:-1]:
        value = getattr(plain, name)
        assert getattr(turned, name) == pytest.approx(value, rel=1e-6)
        assert getattr(stronger, name) == pytest.approx(value / 2.5, rel=ROUNDOFF)


@pytest.mark.parametrize("block", range(6))
def test_green_bounds_hold_for_every_period_hold_and_ring(block):
    random = np.random.default_rng(100 + block)
    for _ in range(10):
        width, period = int(random.integers(1, 4)), int(random.integers(1, 4))
        refresh_period = int(random.choice([1, 2, 3, 8]))
        split_phases = phases("ring", 3) if random.random() < 0.3 else phases("self", 1)
        factors = random.choice([0.4, 0.8, 1.2]) * random.standard_normal((period, width, width))
        injection = random_injection(random, width)
        found = rungs(factors, injection, refresh_period)
        assert_ordered(found)
        assert found.best.value <= true_limit(factors, injection, refresh_period, split_phases) * SLACK


def test_the_worst_injection_shows_that_the_estimate_is_not_a_bound():
    reference = case("cocycle", "D1_margin_formula_exceeds_truth")
    rate, truth = np.array(reference["inputs"]["A"]), reference["outputs"]
    factors, swap = np.eye(2)[None] + rate, np.array([[0.0, 1.0], [1.0, 0.0]])
    found = rungs(factors, swap)
    for value, key in (
        (found.paper_estimate, "(i)_margin"),
        (found.green_bound, "(ii)_green"),
        (found.green_norm_bound, "(iii)_blocksum"),
        (found.radius_bound, "(iv)_l2radius"),
        (found.roughness_bound, "BFP tanh(a/2)/K, a=-log(1/2)^... min(log2, log1.5)=log1.5, K=C"),
    ):
        assert value == pytest.approx(float(truth[key]), rel=SHARP)
    assert true_limit(factors, swap) < found.paper_estimate
    assert found.best.name == "radius_bound"


@pytest.mark.parametrize("shear", [1, 3, 10, 100])
def test_reference_ratio_of_estimate_and_truth(shear):
    expected = case("cocycle", "D8_ratio_i_over_v")["outputs"]["ratio (i)/(v)"][f"c={shear}"]
    rate = np.array([[-0.5, float(shear)], [0.0, 0.5]])
    left, _, right = np.linalg.svd(rate)
    worst = -np.outer(left[:, -1], right[-1])
    factors = np.eye(2)[None] + rate
    ratio = rungs(factors, worst).paper_estimate / true_limit(factors, worst)
    assert ratio == pytest.approx(float(expected), rel=1e-8)


def test_reference_normal_saddle_and_looped_stack():
    normal = case("cocycle", "D2_normal_saddle")["outputs"]
    found = rungs(np.diag([0.5, 1.5])[None], np.eye(2))
    for value, key in (
        (found.paper_estimate, "(i)"),
        (found.green_bound, "(ii)"),
        (found.radius_bound, "(iv)"),
        (found.roughness_bound, "BFP"),
    ):
        assert value == pytest.approx(float(normal[key]), rel=SHARP)
    looped = case("cocycle", "D3_lti_loop")["outputs"]
    found = rungs(np.diag([0.9, 0.5, 0.2])[None], np.eye(3))
    for value in (found.paper_estimate, found.green_bound, found.green_norm_bound, found.radius_bound):
        assert value == pytest.approx(float(looped["(i)=(ii)=(iv)=(v)+"]), rel=SHARP)
    assert found.roughness_bound == pytest.approx(float(looped["BFP"]), rel=SHARP)


def test_reference_periodic_saddle():
    expected = case("cocycle", "D5_period2")["outputs"]
    found = rungs(PERIOD_TWO, np.eye(2))
    assert found.paper_estimate == pytest.approx(float(expected["(i)"]), rel=SHARP)
    assert found.radius_bound == pytest.approx(float(expected["l2_radius"]), rel=SHARP)
    assert found.green_norm_bound == pytest.approx(float(expected["green_blocksum_inverse"]), rel=SHARP)


def test_reference_mixed_four():
    reference = case("cocycle", "D4_4d_mixed")
    injection = np.array(reference["inputs"]["G"])
    factors = np.eye(4)[None] + np.array(reference["inputs"]["A"])
    found = rungs(factors, injection)
    assert np.linalg.norm(injection, 2) == pytest.approx(float(reference["outputs"]["L_psi"]), rel=ROUNDOFF)
    limits = np.abs(np.array(reference["outputs"]["first_crossings (v)"], float))
    assert found.best.value <= limits.min()
    assert found.paper_estimate == pytest.approx(0.128, abs=2e-3)


def test_reference_roughness():
    reference = case("cocycle", "D7_bfp")
    constant, exponent = float(reference["inputs"]["K"]), float(reference["inputs"]["alpha"])
    expected = reference["outputs"]
    radius = roughness_radius(constant, exponent)
    assert radius == pytest.approx(float(expected["delta_max"]), rel=ROUNDOFF)
    remaining = remaining_exponent(constant, exponent, radius / 2)
    assert remaining == pytest.approx(float(expected["beta(delta_max/2)"]), rel=ROUNDOFF)
    assert remaining_exponent(constant, exponent, radius) == float(expected["beta(delta_max)"])
    assert remaining_exponent(constant, exponent, 0.0) == pytest.approx(exponent, rel=ROUNDOFF)
    shrink, grow = np.exp(-exponent), np.exp(exponent)
    green = 1 / (constant * (1 / (1 - shrink) + 1 / (grow - 1)))
    assert green == pytest.approx(float(expected["green_bound_at_r=e^{-+alpha}"]), rel=ROUNDOFF)
    assert roughness_radius(np.inf, 0.0) == 0.0


@pytest.mark.parametrize("refresh_period", [1, 2, 4, 8, 16])
def test_green_bounds_hold_for_the_held_references(refresh_period):
    saddle = case("cocycle", "E3_held_saddle")
    injection = np.array(saddle["inputs"]["G"])
    sides = np.array(saddle["outputs"]["first_crossings[-,+]"][f"Lr={refresh_period}"], float)
    assert rungs(SADDLE, injection, refresh_period).best.value <= np.abs(sides).min()
    turning = case("cocycle", "E2_held_stable_complex")
    sides = np.array(turning["outputs"]["first_crossings[-,+]"][f"Lr={refresh_period}"], float)
    factors = np.array(turning["inputs"]["B"])[None]
    assert rungs(factors, np.eye(2), refresh_period).best.value <= np.abs(sides).min()
    if f"a=-1/10,Lr={refresh_period}" in case("cocycle", "E1_held_scalar")["outputs"]:
        scalar = case("cocycle", "E1_held_scalar")["outputs"][f"a=-1/10,Lr={refresh_period}"]
        bound = rungs(np.array([[[0.9]]]), np.eye(1), refresh_period).best.value
        assert bound <= min(abs(float(value)) for value in scalar.values())
        assert bound == pytest.approx(0.1, rel=ROUNDOFF)


def test_the_energy_radius_proves_nothing_for_a_held_summary():
    # Sheared rotation: modulus .95, angle .4, shear 3.48, a summary held for 8 layers.
    shear = np.array([[1.0, 3.48], [0.0, 1.0]])
    turn = np.array([[np.cos(0.4), -np.sin(0.4)], [np.sin(0.4), np.cos(0.4)]])
    factors = (0.95 * shear @ turn @ np.linalg.inv(shear))[None]
    left, right = 1.8587756533739608, 0.23561944901923448
    injection = np.outer([np.cos(left), np.sin(left)], [np.cos(right), np.sin(right)])
    held, radius = true_limit(factors, injection, 8), resolvent_radius(factors).value
    assert (held, radius) == (pytest.approx(0.0058, abs=5e-5), pytest.approx(0.0073, abs=5e-5))
    found = rungs(factors, injection, 8)
    assert found.radius_bound is None
    assert 0.97 * held < found.green_norm_bound <= held
    assert found.best == Certificate(found.green_norm_bound, "green_norm_bound")


def test_the_block_sum_may_beat_the_energy_radius_on_a_periodic_stack():
    # Rows of the Green operator sum to at most 12, a column to 21: its ℓ² norm is 14.26.
    found = rungs(np.array([[[10.0]], [[1.0]], [[0.0]]]), np.eye(1))
    assert found.green_norm_bound == pytest.approx(1 / 12, rel=ROUNDOFF)
    assert found.radius_bound == pytest.approx(1 / 14.26495495, rel=1e-8)
    assert found.best.name == "green_norm_bound"


def test_no_reaction_and_no_dichotomy():
    assert rungs(SADDLE, np.zeros((2, 2))).best.value == np.inf
    for factors in (np.array([[[0.6, 0.8], [-0.8, 0.6]]]), np.diag([1.0, 0.5])[None]):
        lost = rungs(factors, np.eye(2))
        assert lost[:6] == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        assert lost.best.value == 0.0
    constants = dichotomy_constants(split(SADDLE, 1, periodic=True), (0.5, 1.4))
    with pytest.raises(ValueError, match="lipschitz must be at least 0; got -1"):
        ladder(constants, shared_rate(split(SADDLE, 1, periodic=True), (0.5, 1.4)), 1.0, None, -1.0)
