"""The families' formulas: known truths of every layer map, and how a stack recurs."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from presets import build
from presets.family import FAMILIES
from presets.load import validate
from presets.loop_quantities import boundary
from tests.reference_cases import case

ROUNDOFF = 1e-12


def stack_of(depth: int = 12, **family: Any) -> build.Stack:
    return build.stack(validate({"depth": depth, "block_length": 2, "family": family}))


@pytest.mark.parametrize("kind", list(FAMILIES))
def test_every_family_gives_square_finite_layers(kind: str):
    stack = stack_of(kind=kind)
    assert stack.mixing.shape == stack.value.shape
    assert np.isfinite(stack.factors).all()
    assert len(stack.to_depth(12).mixing) == 12
    assert (len(stack.mixing) == 1) == (stack.recurrence == "tied")


def test_tied_has_its_multipliers_and_shear():
    stack = stack_of(kind="tied", multipliers=[0.5, 1.4], value=[0.3, 1.4], shear=1.0)
    np.testing.assert_allclose(stack.factors[0], [[0.5, 1.0], [0.0, 1.4]], atol=ROUNDOFF)
    np.testing.assert_allclose(stack.value[0], np.diag([0.3, 1.4]), atol=ROUNDOFF)


def test_rotation_has_its_modulus_and_angle():
    factor = stack_of(kind="rotation", modulus=1.1, angle=1.0, shear=3.0).factors[0]
    np.testing.assert_allclose(
        np.sort_complex(np.linalg.eigvals(factor)), 1.1 * np.exp([-1j, 1j]), atol=1e-10
    )


@settings(deadline=None, max_examples=25)
@given(turn=st.floats(-1, 1), modulation=st.floats(0, 0.5), skew=st.floats(-1, 1))
def test_turning_products_are_known(turn: float, modulation: float, skew: float):
    """The frames cancel between layers: seen from frame to frame, Φ(L,0) is b^L e^(β Σ cos)."""
    growths = np.array([1.1, 0.8, 0.6, 0.3, 0.5])
    family = {
        "multipliers": growths.tolist(),
        "value": [0.1] * 5,
        "turn": turn,
        "modulation": modulation,
        "skew": skew,
    }
    factors = stack_of(depth=6, kind="turning", **family).to_depth(6).factors
    product = np.linalg.multi_dot(factors[::-1])
    phases = 2 * math.pi * (math.sqrt(5) - 1) / 2 * np.arange(6)
    expected = growths**6 * np.exp(modulation * np.cos(phases).sum())
    np.testing.assert_allclose(np.linalg.det(product), np.prod(expected), rtol=1e-8)
    planes = [slice(0, 2), slice(2, 4)]
    frame = np.eye(5)
    for plane, rate in zip(planes, (1.0, 0.6), strict=True):
        angle = rate * turn * 6
        frame[plane, plane] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    tilt = np.eye(5)
    tilt[0, 2] = tilt[1, 3] = skew
    np.testing.assert_allclose(product, frame @ tilt @ np.diag(expected) @ np.linalg.inv(tilt), atol=1e-9)


def test_switching_patterns():
    doubling = stack_of(depth=8, kind="switching", up=8.0, down=0.5, pattern="doubling").factors[:, 0, 0]
    linear = stack_of(depth=8, kind="switching", up=8.0, down=0.5, pattern="linear").factors[:, 0, 0]
    np.testing.assert_array_equal(doubling, [8, 0.5, 0.5, 8, 8, 8, 8, 0.5])
    np.testing.assert_array_equal(linear, [8, 0.5, 8, 8, 0.5, 0.5, 8, 8])


def test_almost_mathieu_preserves_area():
    factors = stack_of(kind="almost_mathieu", coupling=2.0, energy=0.3, phase=0.1).factors
    np.testing.assert_allclose(np.linalg.det(factors), 1.0, rtol=1e-10)


def test_looped_decays_exponentially():
    stack = stack_of(kind="looped", log_rate=[-2.0, 0.0], step=0.5, value=[0.1, 0.2])
    np.testing.assert_allclose(np.diag(stack.factors[0]), np.exp(-0.5 * np.exp([-2.0, 0.0])), rtol=ROUNDOFF)


def test_drifting_ends_where_it_says():
    factors = stack_of(depth=5, kind="drifting", start=[1.3, 0.5], end=[1.0, 0.9], value=[0.1, 0.1]).factors
    np.testing.assert_allclose(factors[0].diagonal(), [1.3, 0.5])
    np.testing.assert_allclose(factors[-1].diagonal(), [1.0, 0.9])


def test_random_layers_do_not_change_when_the_stack_grows():
    short, long = stack_of(depth=5, kind="random"), stack_of(depth=9, kind="random")
    np.testing.assert_array_equal(short.mixing, long.mixing[:5])


@pytest.mark.parametrize(
    ("family", "depth", "recurrence", "layers"),
    [
        ({"kind": "explicit", "mixing": [[0.1]], "value": [[0.2]]}, 7, "tied", 1),
        ({"kind": "explicit", "mixing": [[[0.1]], [[0.3]]], "value": [[0.2]]}, 7, "periodic", 2),
        (
            {"kind": "explicit", "mixing": [[[0.1]], [[0.3]]], "value": [[[0.2]], [[0.1]], [[0.0]]]},
            7,
            "periodic",
            6,
        ),
        ({"kind": "explicit", "mixing": [[[0.1]], [[0.3]]], "value": [[0.2]]}, 2, "window", 2),
        (
            {"kind": "explicit", "mixing": [[[0.1]], [[0.3]]], "value": [[0.2]], "repeat": True},
            2,
            "periodic",
            2,
        ),
        ({"kind": "turning", "turn": 0.0, "modulation": 0.0}, 7, "tied", 1),
        ({"kind": "switching", "up": 2.0, "down": 2.0}, 7, "tied", 1),
        ({"kind": "transformer", "tied": True}, 7, "window", 7),
    ],
)
def test_recurrence(family: dict[str, Any], depth: int, recurrence: str, layers: int):
    stack = stack_of(depth=depth, **family)
    assert (stack.recurrence, len(stack.mixing)) == (recurrence, layers)


def injection_of(scenario: dict[str, Any]) -> np.ndarray:
    checked = validate(scenario)
    return build.injection_matrix(checked.gate.injection, build.stack(checked), checked.seed)


def test_angle_injections_have_unit_norm_and_mix_pairs():
    matrix = injection_of({"gate": {"injection": {"angle": 90.0}}})
    np.testing.assert_allclose(matrix, np.eye(4)[[1, 0, 3, 2]], atol=ROUNDOFF)
    assert np.linalg.norm(
        injection_of({"gate": {"injection": {"angle": 30.0, "gain": 2.5}}}), 2
    ) == pytest.approx(2.5)


def test_a_written_matrix_is_used_as_it_stands_unless_a_gain_is_given():
    entries = np.diag([0.3, 0.2, 0.1, 0.0]).tolist()
    np.testing.assert_array_equal(injection_of({"gate": {"injection": {"matrix": entries}}}), entries)
    scaled = injection_of({"gate": {"injection": {"matrix": entries, "gain": 1.0}}})
    assert np.linalg.norm(scaled, 2) == pytest.approx(1.0)


def test_aligned_injections_commute_with_the_layer():
    family = {"kind": "tied", "multipliers": [1.2, 0.5, 0.3], "value": [0.1] * 3, "shear": 2.0}
    scenario = {"family": family, "gate": {"injection": {"alignment": "aligned"}}}
    matrix, factor = injection_of(scenario), build.stack(validate(scenario)).factors[0]
    np.testing.assert_allclose(matrix @ factor, factor @ matrix, atol=1e-12)


@pytest.mark.parametrize("shear", [1, 3, 10, 100])
def test_the_worst_injection_reaches_the_smallest_singular_value(shear: int):
    """A = [[−1/2, c], [0, 1/2]]: margin 1/2 over C = √(1+c²) is (i); the truth is (√(1+c²) − c)/2."""
    family = {"kind": "tied", "multipliers": [0.5, 1.5], "value": [0.0, 0.0], "shear": float(shear)}
    scenario = validate({"family": family, "gate": {"injection": {"alignment": "worst"}}})
    limit = boundary(scenario)
    assert limit.negative is not None
    assert limit.positive is not None
    nearest = min(-limit.negative, limit.positive)
    ratio = case("cocycle", "D8_ratio_i_over_v")["outputs"]["ratio (i)/(v)"][f"c={shear}"]
    assert 0.5 / math.sqrt(1 + shear**2) / nearest == pytest.approx(float(ratio), rel=1e-9)


def test_resolution_follows_the_depth_unless_set():
    assert [
        build.resolution(validate({"depth": depth, "block_length": 1})) for depth in (1, 4, 64, 1024)
    ] == [1, 2, 16, 64]
    assert build.resolution(validate({"depth": 64, "window": 40})) == 40
