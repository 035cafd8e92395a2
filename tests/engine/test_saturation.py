import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.conditioning import log_kappa
from engine.fluctuation import fluctuation_norms
from engine.saturation import Depth, paper_bound, saturation_depth
from tests.reference_cases import case, numbers

TABLE = case("tokens", "A4-tau-table")["output"]["rows"]
TABLE_TOLERANCE = 1e-3
DEEPEST = 120


def curve(*values: float) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.array(values))


@given(
    logs=st.lists(st.floats(-9, 9) | st.just(-np.inf), min_size=1, max_size=20),
    log_tolerance=st.floats(-5, 5),
)
@settings(deadline=None, max_examples=50)
def test_depth_is_the_start_of_the_last_stretch_below(logs, log_tolerance):
    found = saturation_depth(np.array(logs), float(np.exp(log_tolerance)))
    below = np.array(logs) <= np.log(np.exp(log_tolerance))
    settled = [layer for layer in range(len(logs)) if below[layer:].all()]
    assert found.depth == (settled[0] if settled else None)
    assert found.first_crossing == (int(np.argmax(below)) if below.any() else None)
    assert found.status == ("trivial" if below.all() else "reached" if settled else "not-reached")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((2, 1, 0.5, 0.05), Depth("reached", 3, 3)),
        ((2, 0.05, 0.5, 0.05), Depth("reached", 3, 1)),
        ((2, 0.05, 0.5, 0.2), Depth("not-reached", None, 1)),
        ((2, 1, 1, 1), Depth("not-reached", None, None)),
        ((0.05, 2, 0.05, 0.0), Depth("reached", 2, 0)),
        ((0.05, 0.1, 0.0), Depth("trivial", 0, 0)),
    ],
)
def test_crossings_that_do_not_last_do_not_count(values, expected):
    assert saturation_depth(curve(*values), 0.1) == expected


def test_one_token_is_trivially_saturated():
    one = np.array([[[-0.5]]])
    fluctuation = fluctuation_norms(np.tile(one, (9, 1, 1)), np.tile(one, (9, 1, 1)), 1, "causal")
    assert saturation_depth(fluctuation.log_absolute, 1e-3) == Depth("trivial", 0, 0)
    assert paper_bound(log_kappa(1, "causal"), 0.0, 0.0, 1e-3) == 0


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['one_plus_m']},{row['v']},P{row['P']}")
def test_measured_depths_and_the_papers_bound_match_the_table(row):
    mixing = np.full((DEEPEST, 1, 1), numbers(row["one_plus_m"]) - 1)
    value = np.full((DEEPEST, 1, 1), numbers(row["v"]))
    fluctuation = fluctuation_norms(mixing, value, row["P"], "causal")
    assert saturation_depth(fluctuation.log_absolute, TABLE_TOLERANCE).depth == row["tau_abs"]
    assert saturation_depth(fluctuation.log_relative, TABLE_TOLERANCE).depth == row["tau_rel"]
    rate = float(1 + mixing[0, 0, 0] + value[0, 0, 0] / 2)
    bound = paper_bound(log_kappa(row["P"], "causal"), 1.0, rate, TABLE_TOLERANCE)
    assert bound == np.ceil(float(row["paper_bound_raw"]))


def test_a_rotating_block_dips_below_the_tolerance_before_it_stays_there():
    shear, rotation = (
        np.array([[1, 4], [0, 1]]),
        np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]]),
    )
    mixing = np.tile(0.85 * shear @ rotation @ np.linalg.inv(shear) - np.eye(2), (100, 1, 1))
    value = np.tile(0.1 * np.eye(2), (100, 1, 1))
    logs = fluctuation_norms(mixing, value, 8, "causal").log_absolute
    found = saturation_depth(logs, 1e-2)
    assert found.status == "reached"
    assert found.first_crossing is not None
    assert found.depth is not None
    assert (logs[found.first_crossing : found.depth] > np.log(1e-2)).any()
    assert (logs[found.depth :] <= np.log(1e-2)).all()


@pytest.mark.parametrize(("block_length", "peak", "depth"), [(4, 10.1, 36), (16, 13.0, 42), (64, 15.2, 47)])
def test_transient_growth_of_a_non_normal_block(block_length, peak, depth):
    mixing = np.tile([[-0.5, 3], [0, -0.5]], (64, 1, 1))
    value = np.tile(np.diag([0.55, 0.1]), (64, 1, 1))
    logs = fluctuation_norms(mixing, value, block_length, "causal").log_absolute
    assert np.exp(logs.max()) == pytest.approx(peak, abs=0.05)
    assert saturation_depth(logs, 1e-2).depth == depth


@pytest.mark.parametrize(
    ("constant", "rate", "expected"),
    [(1.0, 1.0, None), (1.0, 1.5, None), (np.inf, 0.5, None), (1e-6, 0.5, 0), (1.0, 0.0, 1), (8.0, 0.5, 13)],
)
def test_paper_bound_at_its_limits(constant, rate, expected):
    assert paper_bound(0.0, constant, rate, 1e-3) == expected


def test_misuse_is_named():
    with pytest.raises(ValueError, match="tolerance must be positive; got 0"):
        saturation_depth(curve(1), 0.0)
    with pytest.raises(ValueError, match="log_curve must hold numbers"):
        saturation_depth(np.array([0.0, np.nan]), 0.1)
    with pytest.raises(ValueError, match="log_curve must hold numbers"):
        saturation_depth(np.zeros(0), 0.1)
    with pytest.raises(ValueError, match=r"got tolerance 0\.1, constant 1\.0, rate -1\.0"):
        paper_bound(0.0, 1.0, -1.0, 0.1)
