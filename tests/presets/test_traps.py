"""The traps P1–P9 of the theory: what each naive number says, and what is true."""

import math
from typing import Any

import numpy as np
import pytest

from engine import growth
from engine.dichotomy import Spectrum
from presets import loop_quantities, quantities
from presets.naive import Naive, naive
from tests.presets.traps import coupled, layers_of, projector_norms, trap, worst_projector
from tests.reference_cases import case, numbers

ROUNDOFF = 1e-12
EXACT = 1e-9
AS_PRINTED = 5e-3
"""A number the theory prints with two decimals."""

ASYMPTOTIC = 0.02
"""A natural log averaged over 64 layers against its limit."""


def naive_of(name: str) -> Naive:
    return naive(trap(name))


def truth(name: str, **changes: str) -> Spectrum:
    return quantities.spectrum(trap(name, **changes))


def edges(found: Spectrum) -> list[float]:
    assert len(found.lower) == 1
    return [float(found.lower[0]), float(found.upper[0])]


def outputs(identifier: str) -> dict[str, Any]:
    return case("cocycle", identifier)["outputs"]


def test_p1_quiet_layers_make_a_saddle():
    found = naive_of("P1")
    assert found.radii == pytest.approx((0.5, 0.5), abs=ROUNDOFF)
    assert (found.layer_rank, found.exponent_rank) == (0, 1)
    expected = numbers(outputs("A3_period2_stable_factors_unstable_product")["sigma_dich"])
    np.testing.assert_allclose(truth("P1").lower, expected, atol=ROUNDOFF)
    assert truth("P1").persistent_rank == 1


def test_p2_loud_layers_decay():
    found = naive_of("P2")
    assert (found.radii, found.moduli) == ((2.0, 2.0), (0.125, 2.0))
    assert (found.layer_rank, found.exponent_rank) == (1, 0)
    assert edges(truth("P2")) == pytest.approx([0.5, 0.5], abs=ROUNDOFF)
    assert truth("P2").persistent_rank == 0


@pytest.mark.parametrize(
    ("name", "identifier", "exponent_rank"),
    [("P3", "A5_scalar_doubling", 0), ("P4", "A6_scalar_doubling_8_half", 1)],
)
def test_p3_p4_an_average_hides_an_interval_that_contains_1(name: str, identifier: str, exponent_rank: int):
    expected, found = outputs(identifier), naive_of(name)
    assert (found.layer_rank, found.exponent_rank) == (None, exponent_rank)
    np.testing.assert_allclose(found.exponents, [float(expected["lyapunov_liminf"])], rtol=EXACT)
    np.testing.assert_allclose(edges(truth(name)), numbers(expected["sigma_dich"]), rtol=EXACT)
    assert truth(name).verdict == "contains-one"


@pytest.mark.parametrize(
    ("name", "identifier"), [("P3", "A5_scalar_doubling"), ("P4", "A6_scalar_doubling_8_half")]
)
def test_p3_p4_averages_swing_between_their_limits_for_ever(name: str, identifier: str):
    logs = np.log(layers_of(trap(name, depth="4095"))[:, 0, 0])
    averages = np.exp(np.cumsum(logs) / np.arange(1, len(logs) + 1))
    assert averages.min() == pytest.approx(float(outputs(identifier)["lyapunov_liminf"]), abs=EXACT)
    assert averages[-2048:].max() == pytest.approx(float(outputs(identifier)["lyapunov_limsup"]), rel=2e-3)


@pytest.mark.parametrize("window", [5, 10, 20, 40])
def test_p5_a_window_longer_than_every_run_hides_the_interval(window: int):
    expected = outputs("A7_scalar_linear_blocks_8_half")
    found = truth("P5", window=str(window))
    np.testing.assert_allclose(edges(found), numbers(expected["steklov_edges"][f"H={window}"]), rtol=EXACT)
    assert found.verdict == ("contains-one" if window <= 20 else "hyperbolic")
    np.testing.assert_allclose(naive_of("P5").exponents, [float(expected["lyapunov"])], rtol=EXACT)


def test_p6_looks_hyperbolic_within_these_layers():
    expected, found = outputs("A9_almost_mathieu"), truth("P6")
    np.testing.assert_allclose(
        np.log(naive_of("P6").exponents), numbers(expected["lyapunov_log"]), atol=ASYMPTOTIC
    )
    assert (found.verdict, found.certified, found.persistent_rank) == ("hyperbolic", True, 1)
    lower, upper = numbers(expected["sigma_dich"])
    assert lower < found.upper[1] < 1 < found.lower[0] < upper
    limit = loop_quantities.boundary(trap("P6"))
    assert (limit.negative, limit.positive) == (-math.inf, math.inf)


def test_p6_has_no_split_as_its_directions_close_up_with_depth():
    assert worst_projector(trap("P6", depth="1024")) > 10 * worst_projector(trap("P6")) > 100
    in_a_gap = [worst_projector(trap("P6", depth=depth, family_energy="6")) for depth in ("128", "1024")]
    assert in_a_gap[1] == pytest.approx(in_a_gap[0], rel=1e-6)


def test_p6_opening_the_gate_moves_the_energy():
    opened = loop_quantities.loop(trap("P6"))
    moved = layers_of(trap("P6", family_energy="0.7"))
    np.testing.assert_allclose(opened.factors + 0.7 * opened.injections, moved, atol=ROUNDOFF)


def test_p7_the_diagonal_hides_the_split():
    found, diagonal = truth("P7"), naive_of("P7").diagonal
    assert diagonal is not None
    assert diagonal.verdict == "contains-one"
    assert edges(diagonal) == pytest.approx([0.5, 2.0], abs=EXACT)
    assert (found.verdict, found.certified, found.persistent_rank) == ("hyperbolic", True, 1)
    uncoupled = truth("P7", family_value=coupled(0.0))
    assert uncoupled.verdict == "contains-one"
    assert edges(uncoupled) == pytest.approx([0.5, 2.0], abs=EXACT)


@pytest.mark.parametrize("coupling", [1.0, 0.1, 0.001])
def test_p7_the_projector_pays_for_a_weak_coupling(coupling: float):
    norm = float(projector_norms(layers_of(trap("P7", family_value=coupled(coupling))))[33])
    assert norm == pytest.approx(math.sqrt(1 + 1 / (4 * coupling**2)), rel=1e-6)


@pytest.mark.parametrize(("coupling", "written"), [(1.0, "1"), (0.001, "1/1000")])
def test_p7_the_projector_is_that_of_the_reference(coupling: float, written: str):
    expected = float(outputs(f"A10_wholeline_triangular_c={written}")["P_plus_norm_at_61"])
    assert math.sqrt(1 + 1 / (4 * coupling**2)) == pytest.approx(expected, rel=ROUNDOFF)


def test_p8_a_short_window_smears_a_point():
    expected = outputs("A2_tied_complex_nonnormal")
    modulus = float(expected["sigma_dich"][0])
    np.testing.assert_allclose(edges(truth("P8")), [0.82, 1.48], atol=AS_PRINTED)
    assert truth("P8").verdict == "contains-one"
    assert naive_of("P8").moduli == pytest.approx((modulus, modulus), abs=EXACT)
    assert edges(truth("P8", family_repeat="true")) == pytest.approx([modulus, modulus], abs=EXACT)
    for window in (8, 16, 32):
        deviations = np.abs(np.log(np.array(edges(truth("P8", window=str(window)))) / modulus))
        assert (deviations * window <= math.log(float(expected["kappa_S"])) + EXACT).all()


def test_p9_decay_comes_after_a_hump():
    assert naive_of("P9").radii == pytest.approx((0.9, 0.9), abs=ROUNDOFF)
    assert edges(truth("P9")) == pytest.approx([0.9, 0.9], abs=ROUNDOFF)
    assert truth("P9").persistent_rank == 0
    sizes = growth.log_norms(layers_of(trap("P9")))
    assert int(np.argmax(sizes)) == 9
    assert int(np.flatnonzero(sizes > 0)[-1]) + 1 == 52
    limit = loop_quantities.boundary(trap("P9")).positive
    assert limit is not None
    assert limit < 0.1 * math.exp(-sizes.max())
