import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.signal

from engine.gate import boundary, closed_spectrum, margins, multipliers_at
from engine.hold import held_loop
from engine.topology import phases
from tests.reference_cases import case

CROSSING = 1e-11
RESIDUAL = 1e-9
PUBLISHED = 5e-5
IDENTITY, SWAP = np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]])
PERIOD_TWO = np.array([[[0.5, 2.0], [0.0, 0.5]], [[0.5, 0.0], [2.0, 0.5]]])


def find(factors, injection, refresh_period=1, split=((0.0, 1),)):
    factors = np.asarray(factors, dtype=float)
    stack = factors if factors.ndim == 3 else factors[None]
    return boundary(held_loop(stack, np.asarray(injection, float), refresh_period, periodic=True), split)


def assert_sides(found, negative, positive):
    np.testing.assert_allclose([found.negative, found.positive], [negative, positive], rtol=CROSSING)


def rotated(matrix, seed=0):
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal(np.shape(matrix)))[0]
    return turn @ matrix @ turn.T


def sampled(numerator, denominator, step, method):
    plant: Any = scipy.signal.tf2ss(numerator, denominator)
    discrete: Any = scipy.signal.cont2discrete(plant, step, method)
    return discrete[:4]


def random_loop(seed):
    """Draw widths, periods, holds and degenerate shapes in turn."""
    rng = np.random.default_rng(seed)
    width, period, refresh_period = rng.integers(1, 6), rng.integers(1, 4), rng.integers(1, 4)
    factors = 0.9 * rng.standard_normal((period, width, width)) / math.sqrt(width)
    injection = rng.standard_normal((width, width))
    if seed % 4 == 1:
        factors, injection = np.triu(factors), np.outer(injection[0], injection[-1])
    if seed % 4 == 2:
        factors[..., 0], injection[:, 0] = 0.0, 0.0
    if seed % 4 == 3:
        injection = np.triu(injection, 1)
    split = phases("ring", int(rng.integers(2, 5))) if seed % 5 == 0 else phases("self", 1)
    return held_loop(factors, injection, int(refresh_period), periodic=True), split


def written_out(loop, amplitude, split):
    """Multipliers by the plain product, phase by phase."""
    values = []
    for phase, copies in split:
        product = np.eye(loop.width)
        for factor, gate in zip(loop.factors, loop.injections, strict=True):
            product = (factor + amplitude * np.exp(1j * phase) * gate) @ product
        values += [np.linalg.eigvals(product)] * copies
    return np.concatenate(values)


@pytest.mark.parametrize("seed", range(60))
def test_the_count_changes_only_at_the_crossings(seed):
    loop, split = random_loop(seed)
    found = boundary(loop, split)
    values = [crossing.value for crossing in found.crossings]
    for value in values:
        on_circle = np.abs(np.abs(written_out(loop, value, split)) - 1).min()
        assert on_circle <= RESIDUAL
    ends = np.concatenate([[-8.0], [value for value in values if abs(value) < 8], [8.0]])
    for left, right in pairwise(ends):
        inside = left + (right - left) * np.linspace(0.02, 0.98, 25)
        counts = {int((np.abs(written_out(loop, each, split)) > 1).sum()) for each in inside}
        assert len(counts) == 1


@pytest.mark.parametrize("seed", range(0, 40, 3))
def test_scaling_the_injection_scales_the_crossings(seed):
    loop, split = random_loop(seed)
    plain = [crossing.value for crossing in boundary(loop, split).crossings]
    scaled = boundary(loop._replace(injections=-3e4 * loop.injections), split)
    mirrored = [-3e4 * crossing.value for crossing in scaled.crossings][::-1]
    np.testing.assert_allclose(mirrored, plain, rtol=1e-8)


@pytest.mark.parametrize("seed", range(1, 40, 3))
def test_another_basis_leaves_the_crossings_where_they_are(seed):
    loop, split = random_loop(seed)
    random = np.random.default_rng(seed)
    basis = np.eye(loop.width) + 0.3 * random.standard_normal((loop.width, loop.width)) / loop.width
    factors, injections = (basis @ each @ np.linalg.inv(basis) for each in (loop.factors, loop.injections))
    plain = [crossing.value for crossing in boundary(loop, split).crossings]
    moved = boundary(loop._replace(factors=factors, injections=injections), split)
    np.testing.assert_allclose([crossing.value for crossing in moved.crossings], plain, rtol=1e-8)


def test_kinds_are_the_multipliers_themselves():
    """N63: each limit says which multiplier it belongs to, and that multiplier is on the circle."""
    found = find([[0.6, 0.5], [-0.3, 0.7]], IDENTITY)
    loop = held_loop(np.array([[[0.6, 0.5], [-0.3, 0.7]]]), IDENTITY, 1, periodic=True)
    assert (found.negative_crossing, found.positive_crossing) == ("complex", "complex")
    for edge in (found.negative, found.positive):
        assert np.abs(multipliers_at(loop, edge).log_modulus).min() <= RESIDUAL


def test_reference_counterexample():
    reference = case("cocycle", "D1_margin_formula_exceeds_truth")
    rate, truth = np.array(reference["inputs"]["A"]), reference["outputs"]
    left, _, right = np.linalg.svd(rate)
    worst = find(np.eye(2) + rate, -np.outer(left[:, -1], right[-1]))
    assert_sides(worst, float(truth["(v)_G_worst_negative"]), float(truth["(v)_G_worst_positive"]))
    assert (worst.negative_crossing, worst.positive_crossing) == ("-1", "+1")
    for injection, key in ((SWAP, "(v)_G_swap"), (IDENTITY, "(v)_G_id")):
        assert_sides(find(np.eye(2) + rate, injection), *map(float, truth[key]))


def test_reference_normal_saddle():
    truth = case("cocycle", "D2_normal_saddle")["outputs"]
    saddle = np.diag([0.5, 1.5])
    for injection, key in ((IDENTITY, "(v)_I"), (np.ones((2, 2)) / 2, "(v)_ones/2"), (SWAP, "(v)_swap")):
        assert_sides(find(saddle, injection), *map(float, truth[key]))
    one_sided = find(saddle, np.ones((2, 2)) / 2)
    assert (one_sided.positive_crossing, one_sided.status) == ("none", "complete")


def test_reference_looped_stack():
    truth = case("cocycle", "D3_lti_loop")["outputs"]
    found = find(np.diag([0.9, 0.5, 0.2]), np.eye(3))
    assert_sides(found, float(truth["(v)-"]), float(truth["(i)=(ii)=(iv)=(v)+"]))
    assert (found.negative_crossing, found.positive_crossing) == ("-1", "+1")


def test_reference_mixed_four():
    reference = case("cocycle", "D4_4d_mixed")
    found = find(np.eye(4) + np.array(reference["inputs"]["A"]), reference["inputs"]["G"])
    truth = reference["outputs"]
    assert_sides(found, *map(float, truth["first_crossings (v)"]))
    for kind, key in (("+1", "plus1_crossings"), ("-1", "minus1_crossings")):
        values = [crossing.value for crossing in found.crossings if crossing.kind == kind]
        np.testing.assert_allclose(values, np.array(truth[key], float), rtol=CROSSING)


def test_reference_period_two():
    assert_sides(find(PERIOD_TWO, IDENTITY), *map(float, case("cocycle", "D5_period2")["outputs"]["(v)"]))
    each = np.array([SWAP, np.diag([1.0, -1.0])])
    assert_sides(find(PERIOD_TWO, each), *map(float, case("cocycle", "D6_period2_G")["outputs"]["(v)"]))


def test_repeating_a_tied_stack_changes_nothing_but_signs():
    factor, injection = np.array([[0.6, 0.5], [-0.3, 0.7]]), np.array([[0.4, 0.0], [0.3, -0.2]])
    once, thrice = find(factor, injection), find(np.repeat(factor[None], 3, axis=0), injection)
    assert_sides(thrice, once.negative, once.positive)


def test_gain_margin_of_a_sampled_loop():
    """N50: 2/(s³ + 3s² + 2s) behind a zero-order hold of 0.05 s, whose loop meets the circle at that gain."""
    state, entry, reading, _ = sampled([2], [1, 3, 2, 0], 0.05, "zoh")
    found = find(state, -entry @ reading)
    assert (found.negative, found.positive, found.positive_crossing) == (0.0, 0.0, "+1")
    down, up = margins([crossing.value for crossing in found.crossings], 1.0)
    assert down == 0.0
    np.testing.assert_allclose(up, 2.7928, rtol=PUBLISHED)
    assert up == pytest.approx(2.792786, abs=1e-6)
    assert np.abs(np.linalg.eigvals(state - up * entry @ reading)).max() == pytest.approx(1, abs=RESIDUAL)


def test_reduction_margin_without_upper_limit():
    """N52."""
    # (s² + s/2 + 1/20)/s³: its gain may fall to 0.1, no upper limit. The bilinear rule keeps the
    # imaginary axis, hence the margins, exactly; the direct path D of the sampled plant turns the
    # gain g into ϱ = −g/(1 + gD), so that "no limit" is ϱ = −1/D.
    state, entry, reading, direct = sampled([1, 0.5, 0.05], [1, 0, 0, 0], 0.5, "bilinear")
    feedthrough = float(direct[0, 0])
    found = find(state, entry @ reading)
    down, up = margins([crossing.value for crossing in found.crossings], -1 / (1 + feedthrough))
    gains = [factor / (1 + feedthrough) for factor in (down, up)]
    np.testing.assert_allclose(gains[0] / (1 - feedthrough * gains[0]), 0.1, rtol=1e-9)
    np.testing.assert_allclose(gains[1] * feedthrough, 1.0, rtol=1e-9)


def test_margins_by_hand():
    assert margins([-2.0, 0.5, 1.5, math.inf], 1.0) == (0.5, 1.5)
    assert margins([-2.0, 0.5], -1.0) == (0.0, 2.0)
    assert margins([0.5], 1.0) == (0.5, math.inf)
    assert margins([0.0, 3.0], -1.0) == (0.0, math.inf)
    assert margins([2.0], 2.0) == (1.0, 1.0)
    assert margins([1.0], 0.0) == (0.0, math.inf)


def test_no_injection_never_crosses():
    assert find(np.diag([0.5, 2.0]), np.zeros((2, 2)))[:4] == ("complete", None, -math.inf, "none")


@pytest.mark.parametrize(
    ("factor", "kind"),
    [(np.diag([1.0, 0.5]), "+1"), (np.diag([-1.0, 0.5]), "-1"), ([[0.6, 0.8], [-0.8, 0.6]], "complex")],
)
def test_an_open_loop_on_the_circle_has_boundary_zero(factor, kind):
    for injection in (IDENTITY, np.zeros((2, 2)), np.diag([0.0, 1.0])):
        found = find(factor, injection)
        assert (found.negative, found.positive) == (0.0, 0.0)
        assert (found.negative_crossing, found.positive_crossing) == (kind, kind)


@pytest.mark.parametrize("turned", [False, True])
def test_determinant_that_never_moves(turned):
    # det(B + ϱG) and every multiplier are constant in ϱ: all pencil eigenvalues are infinite.
    strict = np.triu(np.random.default_rng(3).standard_normal((6, 6)), 1)
    factor = np.diag([0.1, 0.4, 0.5, 0.8, 1.4, 1.7]) + strict
    found = find(rotated(factor), rotated(strict)) if turned else find(factor, strict)
    assert found.crossings == ()
    assert found.status == "complete"


def test_singular_layers_and_injections():
    shared = np.diag([1.0, 0.0, 0.0])
    assert_sides(find(rotated(0.5 * shared), rotated(shared)), -1.5, 0.5)
    assert find(np.zeros((3, 3)), np.triu(np.ones((3, 3)), 1)).crossings == ()


def test_reciprocal_multipliers_make_the_pair_pencil_singular():
    # 2 · 1/2 = 1 for every ϱ, so complex crossings are scanned: those of the pair 1/2 ± 3i/5.
    factor, injection = np.zeros((2, 4, 4))
    factor[:2, :2], factor[2:, 2:] = np.diag([2.0, 0.5]), [[0.5, 0.6], [-0.6, 0.5]]
    injection[2:, 2:] = IDENTITY
    found = find(rotated(factor), rotated(injection))
    assert found.status == "searched"
    assert found.searched_to is not None
    assert found.searched_to > 10
    np.testing.assert_allclose([found.negative, found.positive], [-1.3, 0.3], rtol=1e-9)


def test_pairs_that_stay_on_the_circle():
    # det = 1: complex pairs lie on the circle for −5 < ϱ < −1 and arrive there through ±1.
    found = find([[3.0, -1.0], [1.0, 0.0]], np.diag([1.0, 0.0]))
    assert [crossing.kind for crossing in found.crossings] == ["-1", "+1"]
    np.testing.assert_allclose([crossing.value for crossing in found.crossings], [-5, -1], rtol=CROSSING)


@pytest.mark.parametrize("width", [2, 3, 5])
@pytest.mark.parametrize("turned", [False, True])
def test_defective_multipliers(width, turned):
    block = 0.5 * np.eye(width) + np.diag(np.ones(width - 1), 1)
    found = find(rotated(block) if turned else block, np.eye(width))
    np.testing.assert_allclose([found.negative, found.positive], [-1.5, 0.5], rtol=1e-9)
    assert (found.negative_crossing, found.positive_crossing) == ("-1", "+1")


def test_width_one_and_extreme_scales():
    assert_sides(find([[0.5]], [[1.0]]), -1.5, 0.5)
    assert_sides(find([[0.0]], [[1e-200]]), -1e200, 1e200)
    assert_sides(find([[1e8]], [[1e-3]]), -(1e8 - 1) / 1e-3, math.inf)


def test_singular_period_three():
    inputs = case("cocycle", "A14_singular_period3")["inputs"]
    factors = np.array([inputs["B0"], inputs["B1"], inputs["B2"]], dtype=float)
    found = find(factors, IDENTITY)
    loop = held_loop(factors, IDENTITY, 1, periodic=True)
    assert found.status == "complete"
    for edge in (found.negative, found.positive):
        assert np.abs(multipliers_at(loop, edge).log_modulus).min() <= RESIDUAL


@pytest.mark.parametrize(("period", "width"), [(1, 14), (24, 3)])
def test_wide_and_long_loops_are_searched(period, width):
    rng = np.random.default_rng(7)
    factors = 0.9 * rng.standard_normal((period, width, width)) / math.sqrt(width)
    loop = held_loop(factors, rng.standard_normal((width, width)), 1, periodic=True)
    found = boundary(loop)
    assert found.status == "searched"
    assert found.searched_to is not None
    inside = np.linspace(found.negative, found.positive, 41)[1:-1]
    counts = {int((np.abs(written_out(loop, each, ((0.0, 1),))) > 1).sum()) for each in inside}
    assert len(counts) == 1
    for edge in (found.negative, found.positive):
        assert np.abs(multipliers_at(loop, edge).log_modulus).min() <= RESIDUAL


def test_closed_spectrum_meets_one_at_the_boundary():
    loop = held_loop(PERIOD_TWO, IDENTITY, 1, periodic=True)
    found = boundary(loop)
    assert closed_spectrum(loop, found.positive).verdict == "contains-one"
    inside, outside = (
        closed_spectrum(loop, 0.99 * found.positive),
        closed_spectrum(loop, 1.01 * found.positive),
    )
    assert (inside.persistent_rank, outside.persistent_rank) == (1, 2)
    assert inside.method == "exact-periodic"


def test_closed_spectrum_counts_every_block_of_a_ring():
    loop = held_loop(np.array([[[0.6, 0.5], [-0.3, 0.7]]]), IDENTITY, 1, periodic=True)
    assert closed_spectrum(loop, 0.2, phases("ring", 5)).multiplicity.sum() == 10
