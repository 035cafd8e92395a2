"""What is said about how far a spectrum can be trusted."""

import numpy as np
import pytest

from presets import on_demand, quantities, spectrum_checks
from presets.load import preset, validate
from presets.schema import Scenario
from presets.spectrum_checks import NO_WIDTH, RUNNING, SETTLED, slope
from tests.figures.scenarios import EDGES, STATES


def switching(pattern: str, depth: int) -> Scenario:
    family = {"kind": "switching", "up": 2.0, "down": 0.5, "pattern": pattern}
    return validate({"schema": 1, "depth": depth, "family": family, "window": 8})


def test_a_steady_stack_has_settled():
    running = RUNNING.found(preset("turning-saddle"))
    assert running is not None
    assert running.settled
    assert running.moved < SETTLED
    assert running.since == 48
    spectrum = quantities.spectrum(preset("turning-saddle"))
    np.testing.assert_allclose(np.exp(running.edges.upper[-1]), spectrum.upper, rtol=1e-12)


def test_an_edge_that_still_moves_is_not_settled():
    running = RUNNING.found(STATES["contains 1"])
    assert running is not None
    assert running.settled is False
    assert running.moved > SETTLED


def test_an_edge_that_falls_to_zero_is_not_settled():
    running = RUNNING.found(
        STATES["singular layer in a window"].model_copy(update={"depth": 16, "window": 4})
    )
    assert running is not None
    assert running.edges.lower[-1, 1] == -np.inf
    assert running.moved in (0.0, np.inf)


def test_a_window_as_long_as_the_stack_leaves_no_earlier_reading():
    running = RUNNING.found(EDGES["one layer"])
    assert running is not None
    assert running.settled is None


def test_points_and_intervals_fall_at_their_own_slopes():
    point = slope(spectrum_checks.widths(preset("tied-saddle")))
    interval = slope(spectrum_checks.widths(switching("doubling", 127)))
    assert point == pytest.approx(-1, abs=0.02)
    assert interval is not None
    assert interval > -0.1
    assert slope(spectrum_checks.widths(preset("looped-loop"))) is None


def test_a_periodic_stack_is_read_at_whole_periods():
    found = spectrum_checks.widths(preset("quiet-layers-growing-product"))
    assert (found.windows % 2 == 0).all()
    assert (found.widths < NO_WIDTH).all()


def test_the_peak_of_the_sheared_layer_and_its_bound():
    """N60. Radius ½, norms 100.0025, 100.0006, 75.0002, …, Kreiss bound 50.005."""
    family = {"kind": "explicit", "mixing": [[-0.5, 100.0], [0.0, -0.5]], "value": [[0.0, 0.0], [0.0, 0.0]]}
    found = spectrum_checks.transient(validate({"schema": 1, "depth": 12, "family": family}))
    np.testing.assert_allclose(np.exp(found.log_norms[:4]), [1, 100.0025, 100.0006, 75.0002], atol=1e-4)
    np.testing.assert_allclose(np.exp(found.log_radii), 0.5 ** np.arange(13), rtol=1e-12)
    assert found.kreiss == pytest.approx(50.005, rel=1e-6)


def test_a_growing_or_changing_stack_has_no_kreiss_bound():
    assert spectrum_checks.transient(preset("tied-saddle")).kreiss is None
    assert spectrum_checks.transient(EDGES["window"]).kreiss is None


def test_a_running_estimate_that_takes_long_waits_until_somebody_asks(monkeypatch: pytest.MonkeyPatch):
    scenario = validate({"schema": 1, "depth": 14, "family": EDGES["window"].family.model_dump()})
    at_once = RUNNING.found(scenario)
    monkeypatch.setattr(on_demand, "AT_ONCE", 0.0)
    assert RUNNING.found(scenario) is None
    shares = list(RUNNING.steps(scenario))
    assert shares == sorted(shares)
    assert shares[-1] == 1
    asked = RUNNING.found(scenario)
    RUNNING.forget()
    assert at_once is not None
    assert asked is not None
    np.testing.assert_array_equal(asked.edges.upper, at_once.edges.upper)
