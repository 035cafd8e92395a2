"""The ladder, A7 and the trajectory through the report: the reference numbers, and what each depends on."""

import json
import math
from typing import Any

import numpy as np
import pytest

from presets import ladder_quantities as ladders
from presets import loop_quantities, trajectory_quantities
from presets.load import preset, preset_names, validate
from presets.report import report
from presets.schema import Scenario
from tests.reference_cases import case, numbers

SHARP = 1e-9
ROUNDOFF = 1e-12
SLACK = 1 + 1e-9
RUNGS = ("green_bound", "green_bound_split", "roughness_bound", "green_norm_bound", "radius_bound")


def scenario_of(matrix: Any, injection: Any = None, amplitude: float = 0.05, **more: Any) -> Scenario:
    """Write layers B = I + A as a family of explicit matrices with V = 0."""
    layers = np.asarray(matrix, float)
    given = {"matrix": np.asarray(injection, float).tolist()} if injection is not None else {}
    gate = {"amplitude": amplitude, "injection": given | more.pop("psi", {}), **more.pop("gate", {})}
    family = {"kind": "explicit", "mixing": layers.tolist(), "value": np.zeros_like(layers).tolist()}
    return validate({"family": family, "depth": 32, "gate": gate, **more})


def of(scenario: Scenario) -> dict[str, Any]:
    return json.loads(report(scenario).model_dump_json())


D1 = case("cocycle", "D1_margin_formula_exceeds_truth")
C1 = case("cocycle", "C1_tied_saddle_tanh")
SADDLE = D1["inputs"]["A"]


@pytest.mark.parametrize("source", ["preset", "matrices"])
def test_d1_through_the_report(source: str):
    swapped = scenario_of(SADDLE, D1["inputs"]["G_swap"], -0.1)
    found = of(preset("estimate-above-truth") if source == "preset" else swapped)
    gate, expected = found["gate"], D1["outputs"]
    for key, name in (
        ("(i)_margin", "paper_estimate"),
        ("(ii)_green", "green_bound"),
        ("(ii)_green", "green_bound_split"),
        ("(iii)_blocksum", "green_norm_bound"),
        ("(iv)_l2radius", "radius_bound"),
    ):
        assert gate[name] == pytest.approx(float(expected[key]), rel=SHARP)
    limits = [gate["boundary"][side]["value"] for side in ("negative", "positive")]
    np.testing.assert_allclose(limits, numbers(expected["(v)_G_swap"]), rtol=SHARP)
    assert gate["best_certificate"] == {"value": gate["radius_bound"], "name": "radius_bound"}
    assert gate["paper_estimate"] > -limits[0] > gate["best_certificate"]["value"]
    assert gate["inside"] == "changed"
    a7 = next(entry for entry in found["assumptions"] if entry["name"] == "A7")
    assert a7["status"] == "fails"
    projector = np.array([[0.0, 3.0], [0.0, 1.0]])
    swap = numbers(D1["inputs"]["G_swap"])
    assert a7["value"] == pytest.approx(np.linalg.norm(projector @ swap - swap @ projector, 2), rel=ROUNDOFF)


def test_d1_with_the_identity_respects_the_splitting():
    scenario = scenario_of(SADDLE, np.eye(2), 0.1)
    found = of(scenario)
    a7 = next(entry for entry in found["assumptions"] if entry["name"] == "A7")
    assert (a7["status"], a7["value"]) == ("holds", 0.0)
    assert ladders.estimate_is_proved(scenario)
    assert found["gate"]["inside"] == "kept"
    limits = [found["gate"]["boundary"][side]["value"] for side in ("negative", "positive")]
    np.testing.assert_allclose(limits, numbers(D1["outputs"]["(v)_G_id"]), rtol=SHARP)


def test_c1_through_the_report():
    inputs, expected = C1["inputs"], C1["outputs"]
    psi = {"kind": "tanh", "bias": inputs["b"]}
    for key, point in expected["fixed_points"].items():
        amplitude = float(numbers(key.removeprefix("rho=")))
        found = of(scenario_of(inputs["A"], inputs["G"], amplitude, psi=psi))
        trajectory = found["trajectory"]
        assert trajectory["status"] == "converged"
        assert trajectory["displacement"] == pytest.approx(float(point["||P+ u*||"]), rel=ROUNDOFF)
        assert trajectory["slope"] == pytest.approx(float(expected["slope_d_plus_at_0"]), rel=ROUNDOFF)
        assert trajectory["size"] == pytest.approx(np.linalg.norm(numbers(point["u*"])), rel=ROUNDOFF)
        norm = float(expected["green_linf_blocksum (infinite window)"])
        lipschitz = float(expected["L_psi=||G||2"])
        assert trajectory["contraction"] == pytest.approx(amplitude * lipschitz * norm, rel=SHARP)
        gate = found["gate"]
        assert gate["lipschitz"] == pytest.approx(lipschitz, rel=ROUNDOFF)
        assert gate["green_norm_bound"] == pytest.approx(1 / (lipschitz * norm), rel=SHARP)
        l2 = float(expected["green_l2 = 1/sigma_min(A)"])
        assert gate["radius_bound"] == pytest.approx(1 / (lipschitz * l2), rel=SHARP)


EQUAL = "(i)=(ii)=(iv)=(v)+"
PERIOD_TWO = np.array([[[0.5, 2.0], [0.0, 0.5]], [[0.5, 0.0], [2.0, 0.5]]])

LADDERS = {
    "D2_normal_saddle": (
        np.diag([-0.5, 0.5]),
        {"paper_estimate": "(i)", "green_bound": "(ii)", "radius_bound": "(iv)", "roughness_bound": "BFP"},
    ),
    "D3_lti_loop": (
        np.diag([-0.1, -0.5, -0.8]),
        {"paper_estimate": EQUAL, "green_bound": EQUAL, "radius_bound": EQUAL, "roughness_bound": "BFP"},
    ),
    "D5_period2": (
        PERIOD_TWO - np.eye(2),
        {"paper_estimate": "(i)", "radius_bound": "l2_radius", "green_norm_bound": "green_blocksum_inverse"},
    ),
}
"""Cases with ψ the identity: the generators A, and which output each rung must equal."""


@pytest.mark.parametrize("identifier", LADDERS)
def test_reference_ladders(identifier: str):
    layers, keys = LADDERS[identifier]
    gate = of(scenario_of(layers, np.eye(layers.shape[-1])))["gate"]
    expected = case("cocycle", identifier)["outputs"]
    for name, key in keys.items():
        assert gate[name] == pytest.approx(float(expected[key]), rel=SHARP), name


def size(value: float | str | None) -> float:
    return math.inf if isinstance(value, str) else float(value or 0.0)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_has_an_ordered_ladder_below_its_limits(name: str):
    gate = of(preset(name))["gate"]
    bounds = {rung: size(gate[rung]) for rung in RUNGS}
    assert bounds["green_bound"] <= bounds["green_bound_split"] * SLACK
    assert bounds["green_bound_split"] <= bounds["green_norm_bound"] * SLACK
    assert size(gate["paper_estimate"]) <= 2 * bounds["green_bound"] * SLACK
    best = gate["best_certificate"]
    assert size(best["value"]) == max(bounds.values())
    assert (best["name"] is None) == (max(bounds.values()) == 0)
    sides = [gate["boundary"][side]["value"] for side in ("negative", "positive")]
    assert (
        size(best["value"])
        <= min(abs(size(side)) if isinstance(side, str) else abs(side) for side in sides) * SLACK
    )
    assert (gate["inside"] == "certified") == (abs(gate["amplitude"]) < size(best["value"]))


def test_the_radius_belongs_to_fresh_summaries_of_stacks_that_repeat():
    repeated = scenario_of(SADDLE, np.eye(2))
    held = scenario_of(SADDLE, np.eye(2), gate={"refresh_period": 2})
    never = scenario_of(SADDLE, np.eye(2), gate={"refresh_period": None})
    for scenario, has_radius in (
        (repeated, True),
        (held, False),
        (never, False),
        (preset("turning-saddle"), False),
    ):
        gate = of(scenario)["gate"]
        assert (gate["radius_bound"] is not None) == has_radius
        assert gate["best_certificate"]["name"] != ("green_norm_bound" if has_radius else "radius_bound")


def test_without_a_split_nothing_is_certified_and_nothing_settles():
    found = of(preset("window-too-short"))
    assert {found["gate"][rung] for rung in RUNGS} == {0.0, None}
    assert found["gate"]["best_certificate"] == {"value": 0.0, "name": None}
    assert found["trajectory"]["status"] == "failed"
    assert found["trajectory"]["slope"] is None
    assert next(entry for entry in found["assumptions"] if entry["name"] == "A7")["status"] == "undecided"


def test_a_psi_that_does_not_react_is_allowed_any_amplitude():
    gate = of(scenario_of(SADDLE, np.zeros((2, 2))))["gate"]
    assert gate["best_certificate"]["value"] == gate["radius_bound"] == gate["paper_estimate"] == "inf"
    assert gate["inside"] == "certified"


def test_a7_counts_in_the_frame_the_bundles_move_in():
    scenario = preset("quiet-layers-growing-product")
    found = ladders.split_defect(scenario)
    assert found is not None
    splitting = trajectory_quantities.self_loop(scenario)
    assert splitting is not None
    persistent = splitting.splitting.persistent
    moved = np.linalg.norm(persistent[1:] - persistent[:-1], 2, axis=(1, 2)).max()
    assert found.value == pytest.approx(moved, rel=ROUNDOFF)
    assert not found.respects


def test_a7_of_tanh_is_read_at_the_trajectory():
    inputs = C1["inputs"]
    psi = {"kind": "tanh", "bias": inputs["b"]}
    here, there = (
        ladders.split_defect(scenario_of(inputs["A"], inputs["G"], amplitude, psi=psi))
        for amplitude in (0.1, 0.6)
    )
    assert here is not None
    assert there is not None
    assert here.value != there.value
    assert not here.everywhere


def test_the_estimate_of_one_branch_alone_is_the_green_bound_and_proved():
    scenario = preset("looped-loop")
    found = ladders.ladder(scenario)
    assert found is not None
    assert found.paper_estimate == pytest.approx(found.green_bound, rel=ROUNDOFF)
    assert ladders.estimate_is_proved(scenario)


def with_amplitude(scenario: Scenario, amplitude: float) -> Scenario:
    return scenario.model_copy(update={"gate": scenario.gate.model_copy(update={"amplitude": amplitude})})


def test_standing_moves_from_certified_over_kept_to_changed():
    scenario = preset("tied-saddle")
    best, limit = ladders.certificate(scenario), loop_quantities.boundary(scenario).positive
    assert best is not None
    assert limit is not None
    steps = [0.0, 0.99 * best.value, 1.01 * best.value, 0.99 * limit, 1.01 * limit]
    found = [ladders.standing(with_amplitude(scenario, step)) for step in steps]
    assert found == ["certified", "certified", "kept", "kept", "changed"]
    assert ladders.ladder(with_amplitude(scenario, 1.0)) == ladders.ladder(scenario)


def test_a_limit_that_follows_the_trajectory():
    scalar = scenario_of([[-0.1]], [[1.0]], 0.3, psi={"kind": "tanh", "bias": [0.2]})
    found = trajectory_quantities.trajectory_limit(scalar)
    assert found is not None
    assert found.negative == pytest.approx(-1.9002, abs=5e-5)
    assert (found.positive, found.status) == (math.inf, "searched")
    closed = trajectory_quantities.linearised_loop(scalar)
    assert closed is not None
    state = trajectory_quantities.trajectory(scalar)
    assert state is not None
    assert state.states is not None
    slope = 1 - np.tanh(state.states[0, 0] + 0.2) ** 2
    np.testing.assert_allclose(closed.injections, [[[slope]]], rtol=ROUNDOFF)
    without = preset("window-too-short")
    assert trajectory_quantities.trajectory_limit(without) is None
    assert trajectory_quantities.linearised_loop(without) is None
