"""Naive numbers: what they count, when the diagonal is read, and the sentence about them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dichotomy import spectrum_of_moduli
from presets import quantities
from presets.load import preset, preset_names, validate
from presets.naive import Naive, misleads, naive, sentence
from tests.presets.traps import TRAPS, trap

ROUNDOFF = 1e-12


def naive_of(depth: int = 16, **family: Any) -> Naive:
    return naive(validate({"depth": depth, "block_length": 1, "family": family}))


@settings(deadline=None, max_examples=20)
@given(multipliers=st.lists(st.floats(0.1, 2), min_size=2, max_size=2), depth=st.integers(4, 16))
def test_an_uncoupled_stack_has_nothing_to_hide(multipliers: list[float], depth: int):
    found = naive_of(depth, kind="tied", multipliers=multipliers, value=[0.1, 0.1], shear=0.0)
    expected = np.sort(multipliers)[::-1]
    np.testing.assert_allclose(found.exponents, expected, rtol=1e-9)
    assert found.radii == pytest.approx((expected[0], expected[0]), rel=ROUNDOFF)
    assert found.moduli == pytest.approx((expected[1], expected[0]), rel=ROUNDOFF)
    assert found.diagonal is None


def test_exponents_multiply_to_the_mean_determinant():
    scenario = validate({"depth": 32, "block_length": 1, "family": {"kind": "random", "width": 2}})
    factors = quantities.layers(scenario).factors
    mean = np.linalg.slogdet(factors)[1].mean()
    assert np.log(naive(scenario).exponents).sum() == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ([[[0.5, 1.0], [0.0, 2.0]], [[0.5, 0.0], [0.0, 2.0]]], True),
        ([[[0.5, 0.0], [1.0, 2.0]], [[0.5, 0.0], [0.0, 2.0]]], True),
        ([[[0.5, 0.0], [0.0, 2.0]], [[0.5, 0.0], [0.0, 2.0]]], False),
        ([[[0.5, 1.0], [0.0, 2.0]], [[0.5, 0.0], [1.0, 2.0]]], False),
    ],
)
def test_the_diagonal_is_read_off_coupled_triangles_alone(value: list, read: bool):
    found = naive_of(kind="explicit", mixing=[[-1.0, 0.0], [0.0, -1.0]], value=value)
    assert (found.diagonal is not None) == read
    if found.diagonal is not None:
        np.testing.assert_allclose(found.diagonal.lower, [2.0, 0.5], rtol=ROUNDOFF)


def test_a_modulus_of_1_is_not_counted():
    found = naive_of(kind="tied", multipliers=[1.0, 0.5], value=[0.1, 0.1], shear=0.0)
    assert (found.layer_rank, found.exponent_rank) == (None, None)


def test_a_lost_direction_has_growth_0():
    found = naive_of(kind="explicit", mixing=[[-1.0, 0.0], [0.0, -0.2]], value=[[0.0, 0.0], [0.0, 0.1]])
    np.testing.assert_allclose(found.exponents, [0.9, 0.0], rtol=ROUNDOFF)


def test_the_sentence_sets_the_readings_side_by_side():
    scenario = trap("P7")
    assert sentence(naive(scenario), quantities.spectrum(scenario)) == (
        "One layer at a time: 1 of 2 directions grows (radius 2.000); "
        "averaged over the stack: 1 of 2 directions grows (0.505–1.978); "
        "off the diagonal: no split, as 1 lies in 0.500–2.000; "
        "multiplied together, at H = 8: 1 of 2 directions grows (0.500–2.000)."
    )


def test_the_sentence_without_counts():
    on_the_circle = spectrum_of_moduli(np.array([1.0, 0.5, 0.5]), method="exact-tied")
    found = Naive((1.0, 1.0), (0.5, 1.0), None, np.array([1.0, 0.5, 0.5]), None, None)
    assert sentence(found, on_the_circle) == (
        "One layer at a time: no common count (radius 1.000); "
        "averaged over the stack: no clear count (0.500–1.000); "
        "multiplied together, exactly: no split, as 1 lies in the spectrum."
    )
    unknown = on_the_circle._replace(verdict="undecided", resolution=4)
    assert sentence(found, unknown).endswith("multiplied together, at H = 4: undecided.")


@pytest.mark.parametrize("name", TRAPS)
def test_every_trap_has_its_sentence(name: str):
    scenario = trap(name)
    found, text = naive(scenario), sentence(naive(scenario), quantities.spectrum(scenario))
    assert found.moduli[0] <= found.radii[0] <= found.radii[1] == found.moduli[1]
    assert (np.diff(found.exponents) <= 0).all()
    assert text.count(";") == (2 if found.diagonal is None else 3)
    assert text.endswith(").") or "no split" in text


@pytest.mark.parametrize("name", preset_names())
def test_only_traps_mislead(name: str) -> None:
    scenario = preset(name)
    expected = name in {
        "quiet-layers-growing-product",
        "loud-layers-decaying-product",
        "decaying-average-no-split",
        "growing-average-no-split",
        "diagonal-hides-the-split",
        "window-too-short",
        "transformer-rms-swiglu",
        "transformer-layer-gelu",
    }
    assert misleads(naive(scenario), quantities.spectrum(scenario)) == expected
