import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from figures.label import Label, label_rows, spread

ROUNDOFF = 1e-9


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_spread_keeps_labels_apart_in_order_and_in_range(places: list[float]) -> None:
    moved = spread(np.array(places), 0.1, 0.0, 1.0)
    assert (moved >= -ROUNDOFF).all()
    assert (moved <= 1 + ROUNDOFF).all()
    assert (np.diff(np.sort(moved)) >= 0.1 - ROUNDOFF).all()
    order = np.argsort(places, kind="stable")
    assert (np.diff(moved[order]) > 0).all()


def test_spread_leaves_labels_with_room_where_they_are() -> None:
    assert np.array_equal(spread(np.array([0.9, 0.1, 0.5]), 0.2, 0.0, 1.0), [0.9, 0.1, 0.5])


def test_spread_shares_what_room_there_is() -> None:
    assert np.allclose(spread(np.array([0.5, 0.5, 0.5]), 9.0, 0.0, 1.0), [0.0, 0.5, 1.0])


def test_labels_become_columns_even_when_there_are_none() -> None:
    assert list(label_rows([]).columns) == list(Label._fields)
    assert label_rows([Label(1, 2, "x")]).frame.iloc[0].to_dict() == Label(1, 2, "x")._asdict()
