"""A saturating ψ with a bias: every part reads its limits at u*, and none contradicts another."""

import math
from typing import Any

import numpy as np
import pytest

from figures import gate_ladder, gate_map, refresh_limits
from figures.gate_verdict import gate_verdict
from figures.phrase import LONGEST_CAPTION
from figures.verdict import metrics, verdict
from presets import (
    ladder_quantities,
    limit_map,
    quantities,
    refresh_quantities,
    trajectory_quantities,
)
from presets import loop_quantities as loops
from presets.load import validate
from presets.report import report
from presets.schema import Scenario
from tests.engine.loop_cases import HYSTERESIS, hysteresis_fold
from tests.presets.test_ladder_quantities import scenario_of, with_amplitude

PSI = {"kind": "tanh", "bias": [0.2]}
FLIP = scenario_of([[-0.1]], [[1.0]], 0.3, psi=PSI)
"""Its limit on the left is −1.9002; Dψ(0) would say −1.977, and 0.104 on the right, where there is none."""

FOLDING = scenario_of(
    HYSTERESIS.factors[0] - np.eye(2),
    HYSTERESIS.injection.matrix,
    0.1,
    psi={"kind": "tanh", "bias": HYSTERESIS.injection.bias.tolist()},
)


def window(**gate: Any) -> Scenario:
    family = {"kind": "turning", "multipliers": [1.2, 0.6], "value": [0.5, 0.3], "turn": 0.1, "skew": 0.0}
    injected = {"kind": "tanh", "bias": 0.3, "alignment": "angle"}
    return validate({"depth": 16, "family": family, "gate": {"injection": injected, **gate}})


def test_every_part_names_the_limit_at_the_trajectory() -> None:
    limit = loops.boundary(FLIP)
    assert limit.negative == pytest.approx(-1.9002, abs=5e-5)
    assert limit.negative is not None
    assert (limit.negative_crossing, limit.positive, limit.status) == ("-1", math.inf, "searched")
    written = report(FLIP).gate
    assert written.boundary.status == "searched"
    assert written.boundary.negative.value == limit.negative
    assert written.inside == ladder_quantities.standing(FLIP)
    drawn = limit_map.map_of_limits(FLIP)
    assert drawn is not None
    assert drawn.negative.tolist() == [limit.negative]
    assert gate_ladder.compute(FLIP).values[-2:] == (abs(limit.negative), math.inf)
    assert metrics(FLIP)[-1].value == "−1.900 to ∞"
    assert "for ϱ > −1.900" in gate_map.caption(gate_map.compute(FLIP))
    beyond = with_amplitude(FLIP, -1.95)
    assert "limit −1.900, flip" in verdict(beyond)
    assert "−1.900, flip" in gate_verdict(beyond)
    assert report(beyond).gate.inside == "changed"


@pytest.mark.parametrize("scenario", [FLIP, window()], ids=["flip", "window"])
def test_the_spectrum_at_u_star_keeps_its_count_up_to_the_limit(scenario: Scenario) -> None:
    limit, rank = loops.boundary(scenario), quantities.spectrum(scenario).persistent_rank
    assert limit.negative is not None
    assert math.isfinite(limit.negative)
    within, beyond = (with_amplitude(scenario, limit.negative * factor) for factor in (0.999, 1.001))
    closed = loops.closed_spectrum(within)
    assert closed is not None
    assert (closed.verdict, closed.persistent_rank) == ("hyperbolic", rank)
    assert loops.inside(within) == "kept"
    assert loops.inside(beyond) != "kept"


def test_a_fold_ends_what_can_be_said() -> None:
    limit, fold = loops.boundary(FOLDING), hysteresis_fold()
    assert limit.positive == pytest.approx(fold, rel=1e-9)
    beyond = with_amplitude(FOLDING, 0.8)
    assert loops.inside(beyond) == "lost"
    assert loops.margins(beyond) is None
    assert report(beyond).gate.inside == "undecided"
    assert "the settled state is lost" in verdict(beyond)
    assert "the settled state is lost" in gate_verdict(beyond)
    assert "beyond: u* is lost" in gate_map.caption(gate_map.compute(beyond))
    margins = loops.margins(FOLDING)
    assert margins is not None
    assert margins.gain_up == pytest.approx(fold / 0.1, rel=1e-9)


def test_one_lane_is_all_a_map_along_u_star_has() -> None:
    drawn, limit = limit_map.map_of_limits(FOLDING), loops.boundary(FOLDING)
    assert drawn is not None
    assert limit.positive is not None
    assert np.isnan(drawn.values).all()
    kept = drawn.region[0] == 0
    assert (drawn.amplitude[kept] < limit.positive).all()
    assert limit_map.map_of_limits(with_amplitude(FOLDING, 0.3)) is drawn


def test_a_cascade_keeps_its_spectrum_and_an_open_loop_on_the_circle_has_nothing_to_lose() -> None:
    gate = FLIP.gate.model_copy(update={"topology": "cascade"})
    limit = loops.boundary(FLIP.model_copy(update={"gate": gate}))
    assert (limit.negative, limit.positive, limit.string_limit) == (-math.inf, math.inf, None)
    on_circle = scenario_of(np.diag([-2.0, -0.5]), np.eye(2), psi={"kind": "tanh", "bias": 0.3})
    assert loops.boundary(on_circle)[:4] == ("complete", None, 0.0, "-1")


def test_an_orbit_too_long_to_follow_is_owned_up_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectory_quantities, "trajectory_limit", lambda _: None)
    scenario = scenario_of([[-0.15]], [[1.0]], 0.3, psi=PSI)
    assert loops.boundary(scenario).status == "needs-trajectory"
    assert loops.inside(scenario) == "undecided"
    assert "too long to follow" in verdict(scenario)
    assert "too long to follow" in gate_map.caption(gate_map.compute(scenario))
    assert metrics(scenario)[-1].unit == "u* too long to follow"


def test_a_window_follows_u_star_for_its_own_refresh_period_alone() -> None:
    lanes = refresh_quantities.refresh_limits(window(refresh_period=2))
    known = [lane.period for lane in lanes if lane.limit is not None and lane.limit.negative is not None]
    assert known == [2]
    caption = refresh_limits.caption(refresh_limits.compute(window(refresh_period=2)))
    assert caption.startswith("At Lᵣ = 2 the safe |ϱ| is ")
    assert len(caption) <= LONGEST_CAPTION
