import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cascade_response import cascade_response
from engine.topology import string_limit
from tests.reference_cases import case

ROUNDOFF = 1e-11
F1 = case("cocycle", "F1_topology")
FACTOR, INJECTION = np.array(F1["inputs"]["B"]), np.array(F1["inputs"]["G"])
PEAKS = F1["outputs"]["cascade_peak ||block K response to unit kick in block 1|| (matrix 2-norm, l>=1)"]
LONG = np.repeat(FACTOR[None], 200, axis=0)


@pytest.mark.parametrize("key", list(PEAKS))
def test_reference_peaks(key):
    amplitude, block = key.split(",")
    numerator, denominator = amplitude.removeprefix("rho=").split("/")
    found = cascade_response(LONG, INJECTION, 16).log_peaks(int(numerator) / int(denominator))
    peak = np.exp(found[int(block.removeprefix("K=")) - 1])
    assert peak == pytest.approx(float(PEAKS[key]), rel=ROUNDOFF)


def written_out(factors, injection, blocks, refresh_period, amplitude):
    """The whole chain as one large matrix, state and held summaries, multiplied out."""
    width = factors.shape[1]
    size = blocks * width
    below = np.kron(np.eye(blocks, k=-1), amplitude * injection)
    state, held = np.eye(size)[:, :width], np.zeros((size, width))
    norms = []
    for layer, factor in enumerate(factors):
        held = state if layer % refresh_period == 0 else held
        state = np.kron(np.eye(blocks), factor) @ state + below @ held
        norms.append(np.linalg.norm(state.reshape(blocks, width, width), 2, axis=(1, 2)))
    return np.array(norms).T


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**16), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4), st.floats(-2, 2))
def test_the_recursion_is_the_whole_chain(seed, width, blocks, refresh_period, amplitude):
    random = np.random.default_rng(seed)
    factors, injection = random.standard_normal((9, width, width)), random.standard_normal((width, width))
    found = cascade_response(factors, injection, blocks, refresh_period)
    expected = written_out(factors, injection, blocks, refresh_period, amplitude)
    peaks = np.exp(found.log_peaks(amplitude))
    np.testing.assert_allclose(peaks, expected.max(axis=1), rtol=1e-9, atol=1e-300)
    at_one = written_out(factors, injection, blocks, refresh_period, 1.0)
    np.testing.assert_allclose(np.exp(found.log_norms[:, 1:]), at_one, rtol=1e-9, atol=1e-300)
    reached = ~np.isneginf(found.log_peak)
    places = found.layer[reached] - 1
    np.testing.assert_allclose(at_one[reached, places], at_one[reached].max(axis=1), rtol=ROUNDOFF)


def test_the_gain_per_block_tends_to_the_string_limit():
    limit = string_limit(FACTOR[None], INJECTION)
    assert limit is not None
    found = cascade_response(np.repeat(FACTOR[None], 1500, axis=0), INJECTION, 128)
    per_block = np.diff(found.log_peaks(limit))[-1]
    assert abs(per_block) < 0.01


def test_growth_and_faint_arrivals_of_any_size():
    growing = np.full((2000, 1, 1), 3.0)
    found = cascade_response(growing, np.array([[1e-6]]), 300)
    np.testing.assert_allclose(found.log_peak[0], 2000 * np.log(3), rtol=ROUNDOFF)
    assert np.isfinite(found.log_peak).all()
    expected = np.log(2000) + 1999 * np.log(3) + np.log(1e-6)
    np.testing.assert_allclose(found.log_peak[1], expected, rtol=ROUNDOFF)


def test_what_never_arrives_is_said():
    found = cascade_response(np.full((3, 1, 1), 0.5), np.eye(1), 6)
    assert np.isneginf(found.log_peak[4:]).all()
    assert list(found.layer[3:]) == [3, 0, 0]
    assert np.isneginf(found.log_peaks(0.0)[1:]).all()
    nothing = cascade_response(np.full((3, 1, 1), 0.5), np.zeros((1, 1)), 2)
    assert np.isneginf(nothing.log_peak[1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"blocks": 0}, "blocks must be at least 1; got 0"),
        ({"refresh_period": 0}, "refresh_period must be at least 1; got 0"),
        ({"factors": np.zeros((0, 2, 2))}, "got a stack of 0"),
    ],
)
def test_bad_input_is_refused(changes, message):
    arguments = {"factors": LONG, "injection": INJECTION, "blocks": 2} | changes
    with pytest.raises(ValueError, match=message):
        cascade_response(**arguments)
