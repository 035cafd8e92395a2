"""Rates and constants of a scenario: the contract's keys, and the numbers they must hold."""

import math

import numpy as np
import pytest

from presets import dichotomy_quantities, on_demand, quantities
from presets.dichotomy_quantities import CONSTANTS_CURVE
from presets.load import preset, validate
from presets.report import report
from presets.schema import Scenario
from tests.figures.scenarios import STATES

ROUNDOFF = 1e-9


def tied(multipliers: list[float], shear: float, depth: int = 12) -> Scenario:
    family = {"kind": "tied", "multipliers": multipliers, "value": [0.1] * len(multipliers), "shear": shear}
    return validate({"schema": 1, "depth": depth, "family": family})


def test_a_sheared_saddle_costs_the_norm_of_its_projector():
    scenario = tied([0.5, 1.4], 1.0)
    found = dichotomy_quantities.dichotomy(scenario)
    projector = math.sqrt(1 + (1 / 0.9) ** 2)
    assert (found.status, found.rank) == ("ok", 1)
    assert found.decay_rate == pytest.approx(0.5, rel=ROUNDOFF)
    assert found.growth_rate == pytest.approx(1.4, rel=ROUNDOFF)
    assert found.constant == pytest.approx(projector, rel=ROUNDOFF)


@pytest.mark.parametrize("name", ["turning-saddle", "decay-after-a-hump", "tied-saddle"])
def test_the_chosen_rates_beat_every_rate_of_the_curve(name: str):
    scenario = preset(name)
    chosen, curve = dichotomy_quantities.dichotomy(scenario), CONSTANTS_CURVE.found(scenario)
    gap = quantities.spectrum(scenario).gap
    assert curve is not None
    assert gap is not None
    for rate, constant, rates, constants in (
        (chosen.decay_rate, chosen.constant_decay, curve.decay_rates, curve.decay_constants),
        (chosen.growth_rate, chosen.constant_growth, curve.growth_rates, curve.growth_constants),
    ):
        if rate is None:
            assert rates.size == 0
            continue
        assert rate in rates
        assert ((rates >= gap[0]) & (rates <= gap[1])).all()
        np.testing.assert_array_less(constant / abs(1 - rate), constants / np.abs(1 - rates) * (1 + 1e-6))


@pytest.mark.parametrize("state", ["contains 1", "1 is a point", "undecided"])
def test_without_a_split_there_is_no_rate(state: str):
    scenario = STATES[state]
    assert dichotomy_quantities.splitting(scenario) is None
    assert dichotomy_quantities.dichotomy(scenario).status == "no-split"
    assert CONSTANTS_CURVE.found(scenario) is None
    found = report(scenario).dichotomy
    assert (found.status, found.rank, found.decay_rate, found.growth_rate) == ("no-split", None, None, None)
    assert (found.decay_margin, found.constant) == (0.0, "inf")


def test_an_absent_branch_has_no_rate_and_an_infinite_margin():
    found = report(STATES["nothing persists"]).dichotomy
    assert (found.status, found.rank, found.growth_rate, found.growth_margin) == ("ok", 0, None, "inf")
    assert found.decay_rate == pytest.approx(0.8, rel=ROUNDOFF)
    found = report(STATES["everything persists"]).dichotomy
    assert (found.status, found.rank, found.decay_rate, found.decay_margin) == ("ok", 2, None, "inf")
    assert found.growth_rate == pytest.approx(1.2, rel=ROUNDOFF)


def test_projectors_are_carried_by_the_layers():
    scenario = preset("turning-saddle")
    found = dichotomy_quantities.splitting(scenario)
    assert found is not None
    factors = quantities.layers(scenario).factors
    np.testing.assert_allclose(factors @ found.persistent[:-1], found.persistent[1:] @ factors, atol=1e-10)


def test_a_window_too_long_for_its_curve_still_has_rates(monkeypatch: pytest.MonkeyPatch):
    family = {"kind": "turning", "multipliers": [1.2, 0.6], "value": [0.5, 0.3], "turn": 0.1, "skew": 0.0}
    scenario = validate({"schema": 1, "depth": 17, "family": family})
    at_once = CONSTANTS_CURVE.found(scenario)
    monkeypatch.setattr(on_demand, "AT_ONCE", 0.0)
    assert CONSTANTS_CURVE.is_offered(scenario)
    assert CONSTANTS_CURVE.found(scenario) is None
    assert dichotomy_quantities.dichotomy(scenario).status == "ok"
    shares = list(CONSTANTS_CURVE.steps(scenario))
    assert len(shares) == 2 * scenario.depth
    assert shares == sorted(shares)
    asked = CONSTANTS_CURVE.found(scenario)
    CONSTANTS_CURVE.forget()
    assert at_once is not None
    assert asked is not None
    for one, other in zip(asked, at_once, strict=True):
        np.testing.assert_array_equal(one, other)
