import math

import numpy as np
import pytest

from engine.gate import boundary
from engine.hold import held_loop
from engine.static_limit import static_limit
from engine.topology import phases
from tests.reference_cases import case

CROSSING = 1e-9
SETTLED = 1e-6


def held(factor, injection, refresh_period, split):
    return boundary(held_loop(factor[None], injection, refresh_period, periodic=True), split)


def test_reference_stable_pair():
    reference = case("cocycle", "E2_held_stable_complex")
    found = static_limit(np.array(reference["inputs"]["B"]), np.eye(2))
    assert found is not None
    limit = float(reference["outputs"]["Lr=inf: 1/spr(A^-1 G)"])
    np.testing.assert_allclose([found.negative, found.positive], [-limit, limit], rtol=CROSSING)
    assert found.status == "complete"


def test_reference_saddle():
    reference = case("cocycle", "E3_held_saddle")
    found = static_limit(np.eye(2) + np.array(reference["inputs"]["A"]), np.array(reference["inputs"]["G"]))
    assert found is not None
    roots = np.array(reference["outputs"]["roots of det(A+rho G)"], float)
    np.testing.assert_allclose([found.negative, found.positive], roots, rtol=CROSSING)
    assert (found.negative_crossing, found.positive_crossing) == ("+1", "+1")


@pytest.mark.parametrize("rate", [-0.5, -0.1, 0.4])
def test_reference_scalar(rate):
    expected = case("cocycle", "E1_held_scalar")["outputs"]
    key = {-0.5: "a=-1/2,Lr=64", -0.1: "a=-1/10,Lr=64", 0.4: "a=2/5,Lr=64"}[rate]
    found = static_limit(np.array([[1 + rate]]), np.eye(1))
    assert found is not None
    values = {round(float(value), 2) for value in expected[key].values()}
    assert {round(crossing.value, 2) for crossing in found.crossings} == values


@pytest.mark.parametrize("topology", ["self", "ring"])
@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_long_holds_tend_to(seed, topology):
    random = np.random.default_rng(seed)
    width = int(random.integers(1, 4))
    rates = np.where(
        random.random(width) < 0.5, random.uniform(0.2, 0.7, width), random.uniform(1.4, 2, width)
    )
    frame = np.eye(width) + 0.4 * random.standard_normal((width, width))
    factor = frame @ np.diag(rates * random.choice([-1, 1], width)) @ np.linalg.inv(frame)
    injection = random.standard_normal((width, width))
    if seed % 3 == 0:
        injection = np.outer(injection[0], injection[-1])
    split = phases(topology, 3)
    found = static_limit(factor, injection, split)
    assert found is not None
    late = held(factor, injection, 80, split)
    for ours, theirs in ((found.negative, late.negative), (found.positive, late.positive)):
        assert ours == pytest.approx(theirs, rel=SETTLED)


def test_without_a_number():
    assert static_limit(np.diag([1.0, 0.5]), np.eye(2)) is None
    silent = static_limit(np.diag([0.4, 0.5]), np.zeros((2, 2)))
    assert silent is not None
    assert (silent.negative, silent.positive) == (-math.inf, math.inf)
    one_way = static_limit(np.diag([0.4, 0.5]), np.array([[0.0, 1.0], [0.0, 0.0]]))
    assert one_way is not None
    assert one_way.positive == math.inf
    random = np.random.default_rng(0)
    wide = np.diag(np.linspace(0.2, 1.8, 12))
    assert static_limit(wide, random.standard_normal((12, 12))) is None
    stable = static_limit(np.diag(np.linspace(0.1, 0.8, 40)), np.eye(40))
    assert stable is not None
    assert stable.positive == pytest.approx(0.2)
