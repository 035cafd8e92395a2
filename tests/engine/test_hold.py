import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import hold
from engine.gate import boundary
from engine.hold import held_loop
from engine.monodromy import multipliers
from tests.reference_cases import case

ROUNDOFF = 1e-12
CROSSING = 1e-11


def walk(factors, injection, refresh_period, layers, amplitude, start):
    """Run the layers one by one, refreshing the held summary before layers 0, L_r, 2 L_r, …"""
    state, held = start, start
    for layer in range(layers):
        if layer % refresh_period == 0:
            held = state
        state = factors[layer % len(factors)] @ state + amplitude * injection @ held
    return state


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 5), st.floats(-1, 1), st.integers(0, 2**16))
def test_maps_replay_the_layers(width, period, refresh_period, amplitude, seed):
    rng = np.random.default_rng(seed)
    factors, injection = rng.standard_normal((period, width, width)), rng.standard_normal((width, width))
    factors[0, :, 0] = 0.0
    loop = held_loop(factors, injection, refresh_period, periodic=True)
    assert loop.maps * refresh_period == np.lcm(period, refresh_period)
    start = rng.standard_normal(width)
    mapped = start
    for factor, gate in zip(loop.factors, loop.injections, strict=True):
        mapped = (factor + amplitude * gate) @ mapped
    walked = walk(factors, injection, refresh_period, loop.maps * refresh_period, amplitude, start)
    np.testing.assert_allclose(mapped, walked, rtol=ROUNDOFF, atol=ROUNDOFF * max(1, abs(walked).max()))


def test_window_drops_the_remainder():
    factors = np.random.default_rng(0).standard_normal((11, 2, 2))
    loop = held_loop(factors, np.eye(2), 3, periodic=False)
    assert (loop.maps, loop.layers_per_map) == (3, 3)
    np.testing.assert_allclose(loop.factors[2], factors[8] @ factors[7] @ factors[6], rtol=ROUNDOFF)


def test_each_layer_may_have_its_own_injection():
    factors, injections = np.random.default_rng(1).standard_normal((2, 2, 3, 3))
    loop = held_loop(factors, injections, 2, periodic=True)
    np.testing.assert_allclose(loop.injections[0], factors[1] @ injections[0] + injections[1], rtol=ROUNDOFF)


def test_row_scaled_maps_are_the_plain_ones(monkeypatch):
    rng = np.random.default_rng(2)
    factors, injection = rng.standard_normal((3, 4, 4)), rng.standard_normal((4, 4))
    plain = held_loop(factors, injection, 4, periodic=True)
    monkeypatch.setattr(hold, "LARGEST_PLAIN_GROWTH", 0.0)
    scaled = held_loop(factors, injection, 4, periodic=True)
    assert plain.frames is None
    assert scaled.frames is not None
    assert scaled.layers is not None
    np.testing.assert_allclose(scaled.frames @ plain.factors, scaled.factors, atol=1e-11)
    np.testing.assert_allclose(scaled.frames @ plain.injections, scaled.injections, atol=1e-11)
    closed = multipliers(plain.factors + 0.3 * plain.injections).log_modulus
    layered = multipliers(scaled.layers.factors + 0.3 * scaled.layers.injections).log_modulus
    np.testing.assert_allclose(layered[:4], closed, rtol=1e-9)
    assert np.all(np.isneginf(layered[4:]))


@pytest.mark.parametrize("key", list(case("cocycle", "E1_held_scalar")["outputs"]))
def test_held_scalar(key):
    rate, refresh_period = key.split(",")
    numerator, denominator = rate.removeprefix("a=").split("/")
    growth = 1 + int(numerator) / int(denominator)
    loop = held_loop(
        np.array([[[growth]]]), np.eye(1), int(refresh_period.removeprefix("Lr=")), periodic=True
    )
    expected = case("cocycle", "E1_held_scalar")["outputs"][key]
    found = {crossing.kind: crossing.value for crossing in boundary(loop).crossings}
    np.testing.assert_allclose(found["+1"], float(expected["plus1_crossing"]), rtol=CROSSING)
    np.testing.assert_allclose(found["-1"], float(expected["minus1_crossing"]), rtol=CROSSING)


@pytest.mark.parametrize("identifier", ["E2_held_stable_complex", "E3_held_saddle"])
def test_held_loops(identifier):
    reference = case("cocycle", identifier)
    inputs = reference["inputs"]
    factor = np.array(inputs["B"]) if "B" in inputs else np.eye(2) + np.array(inputs["A"])
    injection = np.eye(2) if inputs["G"] == "I" else np.array(inputs["G"])
    for key, expected in reference["outputs"]["first_crossings[-,+]"].items():
        loop = held_loop(factor[None], injection, int(key.removeprefix("Lr=")), periodic=True)
        found = boundary(loop)
        assert found.status == "complete"
        np.testing.assert_allclose([found.negative, found.positive], np.array(expected, float), rtol=CROSSING)


@pytest.mark.parametrize("refresh_period", [64, 200, 4000])
def test_long_holds_of_a_saddle_neither_drown_nor_overflow(refresh_period):
    inputs = case("cocycle", "E3_held_saddle")["inputs"]
    factor = np.eye(2) + np.array(inputs["A"])
    loop = held_loop(factor[None], np.array(inputs["G"]), refresh_period, periodic=True)
    roots = np.array(case("cocycle", "E3_held_saddle")["outputs"]["roots of det(A+rho G)"], float)
    found = boundary(loop)
    np.testing.assert_allclose([found.negative, found.positive], roots, rtol=CROSSING)


def test_wrong_refresh_period_is_named():
    factors = np.zeros((4, 2, 2))
    with pytest.raises(ValueError, match=r"refresh_period must be at least 1; got 0"):
        held_loop(factors, np.eye(2), 0, periodic=True)
    with pytest.raises(ValueError, match=r"in 1..4 \(layers of the window\); got 5"):
        held_loop(factors, np.eye(2), 5, periodic=False)
    with pytest.raises(ValueError, match=r"shape \(2, 2\) or \(4, 2, 2\); got \(3, 3\)"):
        held_loop(factors, np.eye(3), 1, periodic=True)
