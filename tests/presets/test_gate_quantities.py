"""Limits over refresh and wiring, branches and margins, the push of u*, and the answer of a chain."""

import math
from typing import Any

import numpy as np
import pytest

from presets import (
    displacement_quantities,
    loop_quantities,
    multiplier_quantities,
    refresh_quantities,
    topology_quantities,
)
from presets.gate_limit import GateLimit
from presets.load import preset, validate
from presets.schema import Scenario
from tests.presets.test_ladder_quantities import C1, scenario_of, with_amplitude
from tests.reference_cases import case, numbers

CROSSING = 1e-9
E2, E3, F1 = (case("cocycle", name) for name in ("E2_held_stable_complex", "E3_held_saddle", "F1_topology"))


def sides(limit: GateLimit | None) -> np.ndarray:
    assert limit is not None
    return np.array([limit.negative, limit.positive], dtype=float)


def stable(**more: Any) -> Scenario:
    layer = numbers(E2["inputs"]["B"]) - np.eye(2)
    return scenario_of(layer, np.eye(2), **more)


def test_reference_limits_over_the_refresh_period():
    lanes = {lane.period: lane for lane in refresh_quantities.refresh_limits(stable())}
    assert list(lanes) == [1, 2, 4, 8, 16, 32, None]
    expected = E2["outputs"]["first_crossings[-,+]"]
    for period in (1, 2, 4, 8, 16):
        np.testing.assert_allclose(
            sides(lanes[period].limit), numbers(expected[f"Lr={period}"]), rtol=CROSSING
        )
    edge = float(E2["outputs"]["Lr=inf: 1/spr(A^-1 G)"])
    np.testing.assert_allclose(sides(lanes[None].limit), [-edge, edge], rtol=CROSSING)


def test_reference_saddle_over_the_refresh_period():
    lanes = refresh_quantities.refresh_limits(scenario_of(E3["inputs"]["A"], E3["inputs"]["G"]))
    for lane in lanes:
        key = f"Lr={lane.period}"
        expected = E3["outputs"]["first_crossings[-,+]"].get(key, E3["outputs"]["roots of det(A+rho G)"])
        np.testing.assert_allclose(sides(lane.limit), numbers(expected), rtol=CROSSING)


def test_the_certificate_holds_in_every_lane():
    for lane in refresh_quantities.refresh_limits(stable()):
        assert lane.limit is not None
        assert lane.limit.negative is not None
        assert lane.limit.positive is not None
        assert 0 < lane.certificate <= min(-lane.limit.negative, lane.limit.positive)


def test_an_odd_refresh_period_has_its_own_lane_and_a_window_needs_refreshes():
    odd = refresh_quantities.refresh_limits(stable(gate={"refresh_period": 3}))
    assert [lane.period for lane in odd] == [1, 2, 3, 4, 8, 16, 32, None]
    window = refresh_quantities.refresh_limits(preset("diagonal-hides-the-split"))
    assert window[-1].period is not None
    assert all((lane.limit is None) == (lane.refreshes is not None and lane.refreshes < 4) for lane in window)


def test_reference_limits_over_the_wiring():
    layer = numbers(F1["inputs"]["B"]) - np.eye(2)
    scenario = scenario_of(layer, F1["inputs"]["G"], blocks=8)
    found = {(each.kind, each.blocks): each.limit for each in topology_quantities.topology_limits(scenario)}
    assert list(found) == [("self", None), ("ring", 2), ("ring", 8), ("cascade", None), ("string", None)]
    rings = F1["outputs"]["ring_first_crossings[-,+] (K=1 is the self-loop)"]
    for key, name in ((("self", None), "K=1"), (("ring", 2), "K=2"), (("ring", 8), "K=8")):
        np.testing.assert_allclose(sides(found[key]), numbers(rings[name]), rtol=CROSSING)
    cascade, string = found["cascade", None], found["string", None]
    assert cascade is not None
    assert string is not None
    assert (cascade.negative, cascade.positive) == (-math.inf, math.inf)
    radius = float(F1["outputs"]["string_radius r* (symbol B+rho e^{i phi} G)"])
    assert string.positive == pytest.approx(radius, rel=1e-8)
    assert topology_quantities.string_limit(scenario) == string.positive


def test_nothing_that_persists_has_a_string_limit():
    assert topology_quantities.topology_limits(preset("tied-saddle"))[-1].limit is None


def test_the_answer_of_a_chain_within_the_depth():
    layer = numbers(F1["inputs"]["B"]) - np.eye(2)
    scenario = scenario_of(layer, F1["inputs"]["G"], 0.8).model_copy(update={"depth": 128})
    found = topology_quantities.chain_response(scenario)
    assert found is not None
    peaks = np.exp(found.log_peaks(0.8))
    expected = F1["outputs"][
        "cascade_peak ||block K response to unit kick in block 1|| (matrix 2-norm, l>=1)"
    ]
    for block in (1, 2, 4, 8, 16):
        assert peaks[block - 1] == pytest.approx(float(expected[f"rho=4/5,K={block}"]), rel=CROSSING)
    biased = scenario_of(layer, F1["inputs"]["G"], psi={"kind": "tanh", "bias": 0.3})
    assert topology_quantities.chain_response(biased) is None
    large = preset("tied-saddle").model_copy(update={"depth": 4096})
    assert topology_quantities.shown_blocks(large) == 32


@pytest.mark.parametrize("name", ["tied-saddle", "quiet-layers-growing-product", "flip-limit"])
def test_branches_pass_the_circle_at_the_limits(name: str):
    scenario = preset(name)
    found, limit = multiplier_quantities.branches(scenario), loop_quantities.boundary(scenario)
    assert found is not None
    outside = (np.abs(found.values) > 1).sum(axis=1)
    middle = len(found.amplitude) // 2
    assert found.amplitude[middle] == 0
    assert limit.negative is not None
    assert limit.positive is not None
    inside = (found.amplitude > limit.negative) & (found.amplitude < limit.positive)
    assert set(outside[inside]) == {outside[middle]}
    beyond = np.flatnonzero(found.amplitude > limit.positive)
    if len(beyond):
        assert outside[beyond[0]] != outside[middle]
    current = multiplier_quantities.current(with_amplitude(scenario, float(found.amplitude[-1])))
    assert current is not None
    np.testing.assert_allclose(np.sort(np.abs(current)), np.sort(np.abs(found.values[-1])), rtol=1e-9)


def test_a_ring_has_the_multipliers_of_every_block():
    scenario = scenario_of([[-0.5]], [[1.0]], gate={"topology": "ring"}, blocks=3)
    current = multiplier_quantities.current(scenario)
    expected = 0.5 + 0.05 * np.exp(2j * np.pi * np.arange(3) / 3)
    assert current is not None
    np.testing.assert_allclose(np.sort_complex(current), np.sort_complex(expected), atol=1e-12)


def test_a_cascade_and_a_window_move_no_multiplier():
    cascade = with_amplitude(preset("tied-saddle"), 1.0)
    cascade = cascade.model_copy(update={"gate": cascade.gate.model_copy(update={"topology": "cascade"})})
    found = multiplier_quantities.branches(cascade)
    assert found is not None
    assert np.ptp(np.abs(found.values), axis=0).max() == 0
    assert multiplier_quantities.branches(preset("turning-saddle")) is None
    assert multiplier_quantities.current(preset("turning-saddle")) is None
    assert multiplier_quantities.phase_margin(cascade) is None


def test_multipliers_of_a_biased_loop_follow_the_trajectory():
    inputs = C1["inputs"]
    scenario = scenario_of(inputs["A"], inputs["G"], 0.3, psi={"kind": "tanh", "bias": inputs["b"]})
    current = multiplier_quantities.current(scenario)
    state = numbers(C1["outputs"]["fixed_points"]["rho=3/10"]["u*"])
    weights = numbers(inputs["G"])
    slopes = 1 - np.tanh(weights @ state + numbers(inputs["b"])) ** 2
    expected = np.linalg.eigvals(np.eye(2) + numbers(inputs["A"]) + 0.3 * slopes[:, None] * weights)
    assert current is not None
    np.testing.assert_allclose(np.sort(np.abs(current)), np.sort(np.abs(expected)), rtol=1e-9)
    branches = multiplier_quantities.branches(scenario)
    assert branches is not None
    assert np.isfinite(branches.values[len(branches.amplitude) // 2]).all()


def test_the_phase_margin_of_a_rank_one_psi():
    scenario = scenario_of(np.diag([-0.5, -0.6]), [[1.0, 1.0], [0.0, 0.0]], 0.3)
    margin = multiplier_quantities.phase_margin(scenario)
    assert margin is not None
    assert margin.angle == math.inf
    wide = multiplier_quantities.phase_margin(with_amplitude(scenario, 0.7))
    assert wide is not None
    assert 0 < wide.angle < math.pi
    assert multiplier_quantities.phase_margin(preset("tied-saddle")) is None


def test_the_push_follows_the_bias_or_a_lent_one():
    inputs = C1["inputs"]
    biased = scenario_of(inputs["A"], inputs["G"], 0.3, psi={"kind": "tanh", "bias": inputs["b"]})
    found, push = displacement_quantities.curve(biased), displacement_quantities.push(biased)
    assert found is not None
    assert push is not None
    assert not found.lent
    expected = float(C1["outputs"]["fixed_points"]["rho=3/10"]["||P+ u*||"])
    assert push.persistent == pytest.approx(expected, rel=1e-12)
    assert found.persistent_slope == pytest.approx(float(C1["outputs"]["slope_d_plus_at_0"]), rel=1e-12)
    middle = len(found.amplitude) // 2
    assert found.persistent[middle] == 0
    lent = displacement_quantities.curve(preset("tied-saddle"))
    assert lent is not None
    assert lent.lent
    assert np.nanmax(lent.persistent) > 0
    stable_push = displacement_quantities.push(preset("looped-loop"))
    assert stable_push is not None
    assert stable_push.persistent == 0
    assert stable_push.size > 0
    assert displacement_quantities.curve(preset("window-too-short")) is None


def test_nothing_depends_on_the_amplitude_that_need_not():
    scenario = preset("tied-saddle")
    moved = with_amplitude(scenario, -0.2)
    assert displacement_quantities.curve(scenario) is displacement_quantities.curve(moved)
    assert multiplier_quantities.branches(scenario) is multiplier_quantities.branches(moved)
    assert topology_quantities.chain_response(scenario) is topology_quantities.chain_response(moved)
    lanes, other = (refresh_quantities.refresh_limits(each) for each in (scenario, moved))
    assert all(a.limit is b.limit or a.limit == b.limit for a, b in zip(lanes, other, strict=True))


def test_a_single_layer_has_lanes_too():
    single = validate(
        {"depth": 1, "family": {"kind": "tied", "multipliers": [0.5], "value": [0.2], "shear": 0.0}}
    )
    assert len(refresh_quantities.refresh_limits(single)) == 7
