"""What is said about how far a spectrum can be trusted."""

import numpy as np
import pytest

from presets import quantities, spectrum_checks
from presets.load import preset, validate
from presets.schema import Scenario
from presets.spectrum_checks import NO_WIDTH, SETTLED, slope
from tests.figures.scenarios import EDGES, STATES


def switching(pattern: str, depth: int) -> Scenario:
    family = {"kind": "switching", "up": 2.0, "down": 0.5, "pattern": pattern}
    return validate({"schema": 1, "depth": depth, "family": family, "window": 8})


def test_a_steady_stack_has_settled():
    running = spectrum_checks.running_estimate(preset("turning-saddle"))
    assert running is not None
    assert running.settled
    assert running.moved < SETTLED
    assert running.since == 48
    spectrum = quantities.spectrum(preset("turning-saddle"))
    np.testing.assert_allclose(np.exp(running.edges.upper[-1]), spectrum.upper, rtol=1e-12)


def test_an_edge_that_still_moves_is_not_settled():
    running = spectrum_checks.running_estimate(STATES["contains 1"])
    assert running is not None
    assert running.settled is False
    assert running.moved > SETTLED


def test_an_edge_that_falls_to_zero_is_not_settled():
    running = spectrum_checks.running_estimate(
        STATES["singular layer in a window"].model_copy(update={"depth": 16, "window": 4})
    )
    assert running is not None
    assert running.edges.lower[-1, 1] == -np.inf
    assert running.moved in (0.0, np.inf)


def test_a_window_as_long_as_the_stack_leaves_no_earlier_reading():
    running = spectrum_checks.running_estimate(EDGES["one layer"])
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


def test_the_sigma_test_starts_at_one_and_goes_on_to_the_nearest_edges():
    scenario = preset("turning-saddle")
    found, spectrum = spectrum_checks.sigma(scenario), quantities.spectrum(scenario)
    assert found is not None
    assert found.gammas[0] == 1
    assert sorted(found.gammas[1:]) == sorted([*spectrum.lower, *spectrum.upper])
    distance = np.abs(np.log(found.gammas))
    assert (np.diff(distance) >= 0).all()
    assert min(found.wide[0], found.tall[0]) > 2 * found.level
    assert (np.minimum(found.wide, found.tall)[1:] < found.level).all()


def test_two_tests_disagree_with_the_spectrum_where_every_window_splits():
    """Almost Mathieu: hyperbolic at H = 16, but σ at 1 is far below what one direction would give."""
    scenario = preset("split-on-every-window")
    found = spectrum_checks.sigma(scenario)
    assert quantities.spectrum(scenario).verdict == "hyperbolic"
    assert found is not None
    assert min(found.wide[0], found.tall[0]) < found.level / 5


def test_the_peak_of_the_sheared_layer_and_its_bound():
    """Radius ½, norms 100.0025, 100.0006, 75.0002, …, Kreiss bound 50.005."""
    family = {"kind": "explicit", "mixing": [[-0.5, 100.0], [0.0, -0.5]], "value": [[0.0, 0.0], [0.0, 0.0]]}
    found = spectrum_checks.transient(validate({"schema": 1, "depth": 12, "family": family}))
    np.testing.assert_allclose(np.exp(found.log_norms[:4]), [1, 100.0025, 100.0006, 75.0002], atol=1e-4)
    np.testing.assert_allclose(np.exp(found.log_radii), 0.5 ** np.arange(13), rtol=1e-12)
    assert found.kreiss == pytest.approx(50.005, rel=1e-6)


def test_a_growing_or_changing_stack_has_no_kreiss_bound():
    assert spectrum_checks.transient(preset("tied-saddle")).kreiss is None
    assert spectrum_checks.transient(EDGES["window"]).kreiss is None


def test_what_would_take_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spectrum_checks, "AFFORDABLE", 3 * 8 * 14)
    scenario = validate({"schema": 1, "depth": 14, "family": {**EDGES["window"].family.model_dump()}})
    assert spectrum_checks.running_estimate(scenario) is None
    found = spectrum_checks.sigma(scenario)
    assert found is not None
    assert len(found.gammas) == 3
    monkeypatch.setattr(spectrum_checks, "AFFORDABLE", 1)
    assert spectrum_checks.sigma(scenario.model_copy(update={"depth": 13})) is None
