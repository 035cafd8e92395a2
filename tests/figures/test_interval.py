import numpy as np
import pytest

from figures import interval, interval_marks
from figures.interval import Interval, Layout

NAN = float("nan")
PLACE = Layout(reach=2.5, rows=4)


def _interval(lower: float, upper: float, multiplicity: int = 1) -> Interval:
    return Interval(lower, upper, multiplicity, NAN, NAN)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (_interval(1.31, 1.62, 2), "1.310–1.620 (×2)"),
        (_interval(0.91, 1.12), "0.910–1.120, contains 1"),
        (_interval(0.5, 0.5), "0.500 (point)"),
        (_interval(0.5, 0.5, 2), "0.500 (point, ×2)"),
        (_interval(0.0, 0.36), "◂ 0 to 0.360 (singular layer)"),
        (_interval(0.0, 0.0), "◂ 0"),
        (_interval(0.01, 0.3), "◂ 0.010–0.300"),
        (_interval(2.0, 9.0), "2.000–9.000 ▸"),
    ],
)
def test_intervals_in_words(entry: Interval, text: str) -> None:
    assert interval.words(entry, PLACE) == text


@pytest.mark.parametrize(
    ("entry", "tone"),
    [
        (_interval(0.5, 0.9), "decaying"),
        (_interval(1.1, 1.2), "persistent"),
        (_interval(0.9, 1.0), "marginal"),
        (_interval(0.9, 1.1), "marginal"),
    ],
)
def test_colour_follows_the_side_of_one(entry: Interval, tone: str) -> None:
    assert entry.tone == tone


def test_bars_stay_in_the_frame_and_are_never_invisible() -> None:
    for entry in (_interval(0, 0), _interval(0.5, 0.5), _interval(1e-9, 1e9), _interval(80, 90)):
        left, right = interval.bar(entry, PLACE)
        assert -PLACE.reach <= left < right <= PLACE.reach
        assert right - left >= 2 * interval.THINNEST * 2 * PLACE.reach * (1 - 1e-12)


def test_the_axis_takes_the_smallest_reach_that_shows_every_edge() -> None:
    for edge, reach in ((1.3, 0.5), (1.9, 1.0), (4.0, 2.5), (0.08, 4.0), (1e-9, 6.0)):
        assert interval.layout([_interval(1.0, 1.0)], np.array([[edge]]), 1).reach == reach


def test_an_interval_stands_in_the_middle_of_its_directions() -> None:
    entries = [_interval(2, 2), _interval(1, 1, 2), _interval(0, 0)]
    assert interval.middles(entries) == pytest.approx([0.125, 0.5, 0.875])
    assert len(interval.middles([])) == 0


def test_ticks_leave_out_zero_and_thin_a_long_stack() -> None:
    drawn = interval_marks.ticks(np.array([[1.5, 0.0, 0.5]]), PLACE)
    assert len(drawn) == 2
    many = np.exp(np.random.default_rng(0).normal(size=(4000, 4)))
    assert len(interval_marks.ticks(many, PLACE)) <= 2 * interval_marks.TICK_PLACES + 1
    assert len(interval_marks.ticks(np.ones((4000, 4)), PLACE)) == 1


def test_the_closed_label_stands_under_an_open_bar() -> None:
    opened = [_interval(1.4, 1.4), _interval(0.5, 0.5)]
    closed = [_interval(1.5, 1.5), _interval(1.3, 1.3, 2), _interval(0.6, 0.6, 3)]
    (label,) = interval_marks.closed_label(closed, opened, 0.1, PLACE)
    assert label.text == "closed at ϱ = 0.1"
    assert label.y == pytest.approx(0.75 + PLACE.shift)
    assert interval_marks.closed_label([], opened, 0.1, PLACE) == []
