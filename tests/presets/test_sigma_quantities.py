"""The σ test as the Spectrum page asks for it: at once, or on demand where it takes long."""

from collections.abc import Iterator

import numpy as np
import pytest

from presets import on_demand, quantities
from presets.load import preset, validate
from presets.schema import Scenario
from presets.sigma_quantities import SIGMA
from tests.figures.scenarios import EDGES


def stack(depth: int) -> Scenario:
    return validate({"schema": 1, "depth": depth, "family": EDGES["two tokens"].family.model_dump()})


@pytest.fixture
def nothing_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(on_demand, "AT_ONCE", 0.0)
    yield
    SIGMA.forget()


def test_the_sigma_test_starts_at_one_and_goes_on_to_the_nearest_edges():
    scenario = preset("turning-saddle")
    found, spectrum = SIGMA.found(scenario), quantities.spectrum(scenario)
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
    found = SIGMA.found(scenario)
    assert quantities.spectrum(scenario).verdict == "hyperbolic"
    assert found is not None
    assert min(found.wide[0], found.tall[0]) < found.level / 5


def test_what_takes_long_waits_until_somebody_asks(nothing_at_once: None):
    scenario = stack(15)
    assert SIGMA.found(scenario) is None
    assert SIGMA.is_offered(scenario)
    shares = list(SIGMA.steps(scenario))
    assert len(shares) == 2 * scenario.depth - 1
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.05
    assert 0.5 < shares[-1] <= 1
    found = SIGMA.found(scenario)
    assert found is not None
    assert not SIGMA.is_offered(scenario)
    moved = scenario.model_copy(update={"gate": scenario.gate.model_copy(update={"amplitude": 0.7})})
    assert SIGMA.found(moved) is found


def test_steps_and_one_sweep_agree(monkeypatch: pytest.MonkeyPatch):
    at_once = SIGMA.found(stack(16))
    monkeypatch.setattr(on_demand, "AT_ONCE", 0.0)
    SIGMA.in_full(stack(16))
    asked = SIGMA.found(stack(16))
    SIGMA.forget()
    assert at_once is not None
    assert asked is not None
    np.testing.assert_array_equal(asked.gammas, at_once.gammas)
    np.testing.assert_allclose([asked.wide, asked.tall], [at_once.wide, at_once.tall], rtol=1e-9)


def test_stopped_work_leaves_nothing_behind(nothing_at_once: None):
    steps = SIGMA.steps(stack(17))
    for _ in range(5):
        next(steps)
    steps.close()
    assert SIGMA.found(stack(17)) is None


def test_only_the_latest_values_are_kept(nothing_at_once: None, monkeypatch: pytest.MonkeyPatch):
    depths = range(4, 4 + on_demand.KEPT + 1)
    for depth in depths:
        SIGMA.in_full(stack(depth))
    kept = [SIGMA.found(stack(depth)) is not None for depth in depths]
    assert kept == [False] + [True] * on_demand.KEPT
