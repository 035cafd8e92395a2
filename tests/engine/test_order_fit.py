import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.order_fit import FittedOrder, fitted_order

CAUSES = np.array([1e-3, 3e-3, 1e-2, 3e-2])


@given(st.floats(-3, 3), st.floats(0.1, 10))
def test_powers_are_found_exactly(power, factor):
    found = fitted_order(CAUSES, factor * CAUSES**power, 0.0)
    assert found.status == "order"
    assert found.slope == pytest.approx(power, abs=1e-12)


def test_roundoff_and_missing_effects_are_left_out():
    effects = CAUSES**2
    effects[0] = 1e-17
    assert fitted_order(CAUSES, effects, 1e-15).slope == pytest.approx(2.0)
    effects[1] = np.nan
    assert fitted_order(CAUSES, effects, 1e-15).slope == pytest.approx(2.0)
    assert fitted_order(CAUSES, np.full(4, 1e-17), 1e-15) == FittedOrder("zero", None)
    assert fitted_order(CAUSES, np.array([np.nan, np.inf, np.nan, 1.0]), 0.0) == FittedOrder("missing", None)
    assert fitted_order(np.ones(3), np.ones(3), 0.0) == FittedOrder("missing", None)


def test_bad_causes_are_refused():
    with pytest.raises(ValueError, match=r"causes must be positive; got \[0. 1.\]"):
        fitted_order(np.array([0.0, 1.0]), np.ones(2), 0.0)
