import math

import numpy as np
import pytest

from engine.gate import boundary, multipliers_at
from engine.hold import held_loop
from engine.topology import SELF, phase_loop, phases, string_limit
from tests.reference_cases import case

ROUNDOFF = 1e-12
CROSSING = 1e-11
PEAK = 1e-9

F1 = case("cocycle", "F1_topology")
FACTOR, INJECTION = np.array(F1["inputs"]["B"]), np.array(F1["inputs"]["G"])


def ring_matrix(factor, injection, blocks):
    """The ring written out: block k reads block k − 1, block 1 reads the last."""
    reading = np.roll(np.eye(blocks), 1, axis=0)
    return np.kron(np.eye(blocks), factor) + np.kron(reading, injection)


@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 7, 8])
def test_phases_have_the_multipliers_of_the_ring(blocks):
    loop = held_loop(FACTOR[None], INJECTION, 1, periodic=True)
    split = phases("ring", blocks)
    assert sum(copies for _, copies in split) == blocks
    found = np.exp(multipliers_at(loop, 0.7, split).log_modulus)
    written_out = np.abs(np.linalg.eigvals(ring_matrix(FACTOR, 0.7 * INJECTION, blocks)))
    np.testing.assert_allclose(found, np.sort(written_out)[::-1], rtol=1e-9)


def test_phase_loop_is_the_complex_loop():
    loop = held_loop(FACTOR[None], INJECTION, 1, periodic=True)
    real = phase_loop(loop, 1.1)
    found = np.sort_complex(np.linalg.eigvals(real.factors[0] + real.injections[0]))
    single = np.linalg.eigvals(FACTOR + np.exp(1.1j) * INJECTION)
    np.testing.assert_allclose(found, np.sort_complex(np.append(single, single.conj())), atol=ROUNDOFF)


@pytest.mark.parametrize("key", list(F1["outputs"]["ring_first_crossings[-,+] (K=1 is the self-loop)"]))
def test_ring_crossings(key):
    expected = F1["outputs"]["ring_first_crossings[-,+] (K=1 is the self-loop)"][key]
    loop = held_loop(FACTOR[None], INJECTION, 1, periodic=True)
    found = boundary(loop, phases("ring", int(key.removeprefix("K="))))
    assert found.status == "complete"
    np.testing.assert_allclose([found.negative, found.positive], np.array(expected, float), rtol=CROSSING)


def test_large_rings_approach_the_string_limit():
    limit = string_limit(FACTOR[None], INJECTION)
    assert limit is not None
    expected = float(F1["outputs"]["string_radius r* (symbol B+rho e^{i phi} G)"])
    np.testing.assert_allclose(limit, expected, rtol=PEAK)
    ring = boundary(held_loop(FACTOR[None], INJECTION, 1, periodic=True), phases("ring", 64))
    assert 0 < ring.positive - limit < 1e-4


def test_scalar_cascade():
    expected = case("cocycle", "F2_cascade_scalar")["outputs"]
    scalar = np.array([[[0.5]]])
    limit = string_limit(scalar, np.eye(1))
    assert limit is not None
    np.testing.assert_allclose(limit, float(expected["string_radius"]), rtol=PEAK)
    loop = held_loop(scalar, np.eye(1), 1, periodic=True)
    for split, key in ((SELF, "self_loop"), (phases("ring", 6), "ring K even first crossings")):
        found = boundary(loop, split)
        np.testing.assert_allclose(
            [found.negative, found.positive], np.array(expected[key], float), rtol=CROSSING
        )


def test_string_limit_of_a_repeated_period_is_the_same():
    tied = string_limit(FACTOR[None], INJECTION)
    repeated = string_limit(np.repeat(FACTOR[None], 3, axis=0), INJECTION)
    assert tied is not None
    assert repeated is not None
    np.testing.assert_allclose(repeated, tied, rtol=PEAK)


def test_string_limit_of_a_held_scalar():
    # Gain of one hold map b² + ϱ(1 + b): |ϱ|(1 + b)/(1 − b²) = |ϱ|/(1 − b), as without holding.
    limit = string_limit(np.array([[[0.5]]]), np.eye(1), 2)
    assert limit is not None
    np.testing.assert_allclose(limit, 0.5, rtol=PEAK)


def test_string_limit_without_a_number():
    assert string_limit(np.array([[[1.5]]]), np.eye(1)) is None
    assert string_limit(np.array([[[1.0]]]), np.eye(1)) is None
    assert string_limit(np.array([[[20.0]]]), np.eye(1), 64) is None
    assert string_limit(FACTOR[None], np.zeros((2, 2))) == math.inf


def test_wrong_topology_is_named():
    with pytest.raises(ValueError, match="topology must be self or ring"):
        phases("cascade", 4)
    with pytest.raises(ValueError, match="blocks must be at least 1; got 0"):
        phases("ring", 0)
