import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from figures.curve import MOST_POINTS, Frame, first_undefined, hover_rows, line_rows, thinned, visible

FRAME = Frame(depth=6, floor=-3, top=2)
ROUNDOFF = 1e-12


def test_a_curve_inside_the_frame_is_kept_whole() -> None:
    values = np.array([0.0, 1.0, 2.0, -1.0, -3.0, 0.5, 0.25])
    line = visible(values, FRAME)
    assert np.array_equal(line.y, values)
    assert len(set(line.part)) == 1


def test_a_curve_meets_the_frame_where_it_crosses_it() -> None:
    line = visible(np.array([0.0, -1.0, -4.0, -2.0, -2.0, 3.0, 3.0]), FRAME)
    assert line.x == pytest.approx([0, 1, 1 + 2 / 3, 2.5, 3, 4, 4.8])
    assert line.y == pytest.approx([0, -1, -3, -3, -2, -2, 2])
    assert list(line.part) == [1, 1, 1, 2, 2, 2, 2]


def test_zero_drops_to_the_floor_and_ends_the_line() -> None:
    line = visible(np.array([0.0, -1.0] + [-np.inf] * 5), FRAME)
    assert list(line.x) == [0, 1, 2]
    assert list(line.y) == [0, -1, -3]


def test_a_value_that_is_not_finite_leaves_a_gap() -> None:
    line = visible(np.array([0.0, 0.0, np.nan, 1.0, 1.0, np.inf, 1.0]), FRAME)
    assert list(line.x) == [0, 1, 3, 4]
    assert len(set(line.part)) == 2


@settings(deadline=None, max_examples=50)
@given(arrays(np.float64, 7, elements=st.floats(-50, 50) | st.just(-np.inf)))
def test_nothing_leaves_the_frame(values: np.ndarray) -> None:
    line = visible(values, FRAME)
    assert (line.y >= FRAME.floor - ROUNDOFF).all()
    assert (line.y <= FRAME.top + ROUNDOFF).all()
    assert (np.diff(line.x) >= -ROUNDOFF).all()


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    chosen = thinned(np.zeros(5000))
    assert len(chosen) == MOST_POINTS
    assert (chosen[0], chosen[-1]) == (0, 4999)


def test_rows_tell_curves_apart() -> None:
    line = visible(np.zeros(7), FRAME)
    rows = line_rows({"a": ("ink", line), "b": ("muted", line)})
    assert set(rows["part"]) == {"a.1", "b.1"}
    assert list(rows["tone"]) == ["ink"] * 7 + ["muted"] * 7
    assert len(line_rows({})) == 0


def test_hover_leaves_out_what_is_not_drawn() -> None:
    rows = hover_rows({"a": np.array([0.0, -9.0, np.nan, -np.inf, 1.0, 1.0, 1.0])}, FRAME)
    assert list(rows["layer"]) == ["0", "4", "5", "6"]
    assert rows["size"][0] == "1.0"


def test_the_first_undefined_layer_is_named_and_zero_is_defined() -> None:
    assert first_undefined(np.array([0.0, -np.inf, np.nan])) == 2
    assert first_undefined(np.array([0.0, -np.inf])) is None
