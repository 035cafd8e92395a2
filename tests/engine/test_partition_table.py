import numpy as np
import pytest

from engine.partition_table import ROWS, partition_table
from engine.perturbation import drawn_directions
from engine.splitting import split
from tests.engine.turning_case import BIAS, MATRIX, periodic_saddle, window_saddle

SLOPE = 0.03
EXPECTED = {
    ("constant", "open"): None,
    ("commuting", "open"): 1,
    ("commuting", "closed"): None,
    ("saturating", "open"): 1,
    ("saturating", "closed"): 2,
    ("respecting-cross", "open"): 2,
    ("respecting", "open"): None,
    ("respecting", "closed"): None,
}
"""Order of the persistent response to fast changes, tokens.md section C; None is zero."""


@pytest.mark.parametrize("stack", [periodic_saddle(), window_saddle(24)], ids=["periodic", "window"])
def test_the_rows_of_the_theory(stack):
    factors, splitting = stack
    directions = drawn_directions(len(factors), 2, 1, seed=0)
    found = partition_table(factors, splitting, 0.1, MATRIX, BIAS, directions)
    assert [(row.injection, row.projectors) for row in found] == list(ROWS)
    for row in found:
        expected = EXPECTED[row.injection, row.projectors]
        assert row.fast is not None
        assert row.slow is not None
        if expected is None:
            assert row.fast.persistent_order.status == "zero"
        else:
            assert row.fast.persistent_order.slope == pytest.approx(expected, abs=SLOPE)
        assert row.slow.persistent_order.slope == pytest.approx(1, abs=SLOPE)


def test_a_gate_beyond_the_boundary_leaves_its_rows_empty():
    factors, splitting = periodic_saddle()
    found = partition_table(factors, splitting, -0.4, np.eye(2), BIAS, drawn_directions(6, 2, 1, seed=0))
    empty = {(row.injection, row.projectors) for row in found if row.fast is None}
    assert ("commuting", "closed") in empty
    assert ("constant", "open") not in empty


def test_nothing_persistent_is_refused():
    factors = 0.4 * periodic_saddle()[0]
    with pytest.raises(ValueError, match=r"at least one persistent direction; got rank 0"):
        partition_table(
            factors, split(factors, 0, periodic=True), 0.1, MATRIX, BIAS, drawn_directions(6, 2, 1, seed=0)
        )
