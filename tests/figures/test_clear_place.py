"""Names of curves stand where no line and no other word is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from figures.clear_place import LINE, PLOTS, Bounds, Name, clear_places, level, upright
from figures.curve import Polyline
from figures.label import LETTER, Label

UNIT = Bounds(0.0, 1.0, 0.0, 1.0)


def curve(heights: list[float]) -> Polyline:
    x = np.linspace(0.0, 1.0, len(heights))
    return Polyline(x, np.array(heights), np.zeros(len(heights), int))


def box(label: Label, plot: np.ndarray) -> tuple[float, float, float, float]:
    width = LETTER * len(label.text)
    left = label.x * plot[0] + label.dx - {"left": 0, "center": 0.5, "right": 1}[label.align] * width
    middle = (1 - label.y) * plot[1] + label.dy
    return left, left + width, middle - LINE / 2, middle + LINE / 2


def covered(label: Label, line: Polyline) -> bool:
    along = np.linspace(line.x[0], line.x[-1], 4001)
    height = np.interp(along, line.x, line.y)
    for plot in PLOTS:
        left, right, upper, lower = box(label, plot)
        x, y = along * plot[0], (1 - height) * plot[1]
        if ((x > left + 1) & (x < right - 1) & (y > upper + 1) & (y < lower - 1)).any():
            return True
    return False


@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9), st.floats(0.0, 1.0))
def test_two_straight_lines_leave_room_for_both_names(start: float, end: float, share: float) -> None:
    first, second = (curve(np.linspace(*ends, 41).tolist()) for ends in ((start, end), (0.02, 0.98)))
    names = [Name("first", "ink", first, share), Name("second", "ink", second, share)]
    labels = clear_places(names, [first, second], UNIT)
    assert [label.text for label in labels] == ["first", "second"]
    assert not any(covered(label, line) for label in labels for line in (first, second))


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9), st.floats(0.0, 1.0))
def test_a_name_stays_in_the_plot_and_beside_its_curve(heights: list[float], share: float) -> None:
    line = curve(heights)
    (label,) = clear_places([Name("name", "ink", line, share)], [line], UNIT)
    assert (label.x, label.y) in set(zip(line.x.tolist(), line.y.tolist(), strict=True))
    for plot in PLOTS:
        left, right, upper, lower = box(label, plot)
        assert min(left, upper) >= 0
        assert right <= plot[0]
        assert lower <= plot[1]


def test_a_name_keeps_clear_of_words_uprights_and_levels() -> None:
    line = curve([0.5] * 41)
    written = [Label(0.3, 0.5, "already here", dx=0, dy=-10)]
    others = [upright(0.5, UNIT), level(0.58, UNIT)]
    (label,) = clear_places([Name("name", "ink", line, 0.4)], [line, *others], UNIT, written)
    assert not any(covered(label, other) for other in [line, *others])
    for plot in PLOTS:
        own, word = box(label, plot), box(written[0], plot)
        apart = own[0] > word[1] or own[1] < word[0] or own[2] > word[3] or own[3] < word[2]
        assert apart


def test_a_curve_that_is_not_visible_has_no_name() -> None:
    nothing = Polyline(np.empty(0), np.empty(0), np.empty(0, int))
    assert clear_places([Name("name", "ink", nothing)], [nothing], UNIT) == []


def test_a_name_stands_nearer_its_own_line_than_another() -> None:
    upper, lower = curve([0.58] * 41), curve([0.5] * 41)
    for own, dy in ((upper, -1), (lower, 1)):
        (label,) = clear_places([Name("name", "ink", own)], [upper, lower], UNIT)
        assert label.dy * dy > 0
