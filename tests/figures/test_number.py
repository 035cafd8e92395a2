import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figures import number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.744, "0.744"),
        (-0.1114, "−0.111"),
        (0.0, "0"),
        (3.2e-5, "3.2×10⁻⁵"),
        (-12345.0, "−1.2×10⁴"),
        (9.99e-4, "1.0×10⁻³"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_rate(value: float, text: str) -> None:
    assert number.rate(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-3, "10⁻³"), (3e-4, "3×10⁻⁴"), (1.0, "1"), (0.5, "0.5"), (10.0, "10"), (1e-12, "10⁻¹²"), (0.0, "0")],
)
def test_short_power(value: float, text: str) -> None:
    assert number.short_power(value) == text


@pytest.mark.parametrize(
    ("exponent", "text"),
    [(-math.inf, "0"), (0.0, "1.0"), (2.0, "100"), (-1.0, "0.10"), (-5.0, "1.0×10⁻⁵"), (300.25, "1.8×10³⁰⁰")],
)
def test_from_log10(exponent: float, text: str) -> None:
    assert number.from_log10(exponent) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.234, "1.23"),
        (999.6, "1000"),
        (-1234.5, "−1230"),
        (12345.0, "1.23×10⁴"),
        (1e-3, "0.00100"),
        (1e-4, "1.00×10⁻⁴"),
        (0.0, "0.00"),
        (math.inf, "∞"),
    ],
)
def test_significant(value: float, text: str) -> None:
    assert number.significant(value) == text


@given(st.floats(-1e300, 1e300))
def test_no_number_is_written_with_an_e(value: float) -> None:
    for write in (number.rate, number.significant, number.typed, number.percent):
        assert "e" not in write(value)


def _read(text: str) -> float:
    return float(text.replace(number.MINUS, "-"))


@settings(deadline=None, max_examples=50)
@given(st.floats(0.002, 9000), st.sampled_from([-1.0, 1.0]))
def test_a_limit_never_claims_more_than_it_is(size: float, sign: float) -> None:
    assert abs(_read(number.toward_zero(sign * size))) <= size * (1 + 1e-9) + 1e-9


@settings(deadline=None, max_examples=50)
@given(st.floats(0.002, 1), st.floats(1, 9000))
def test_a_certified_gap_shrinks_to_its_digits(lower: float, upper: float) -> None:
    shown = [_read(part) for part in number.between(lower, upper, certified=True).split("–")]
    assert shown[0] >= lower - 1e-9
    assert shown[-1] <= upper + 1e-9


def test_round_off_does_not_move_a_directed_rounding() -> None:
    assert number.toward_zero(0.5 - 1e-15) == "0.500"
    assert number.toward_zero(-0.25 + 1e-15) == "−0.250"


def test_counts_are_words_up_to_ten() -> None:
    assert [number.count(n) for n in (0, 1, 10, 11)] == ["no", "one", "ten", "11"]


def test_typed_keeps_what_was_set() -> None:
    assert [number.typed(x) for x in (0.1, -90.5, 3e-5, 0.0)] == ["0.1", "−90.5", "3×10⁻⁵", "0"]
