"""Numbers as the charts, captions and metrics write them."""

import math
from typing import Literal

MINUS = "−"
INFINITY = "∞"
SLACK = 1e-7
"""Share of the last digit by which round-off may miss it without a directed rounding moving on."""

Direction = Literal["nearest", "up", "down"]

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def rate(value: float, direction: Direction = "nearest") -> str:
    """Write a growth factor, edge or limit: three decimals, `3.2×10⁻⁵` when very small or large.

    **Arguments:**

    - `value`: the number; ±inf allowed.
    - `direction`: `down` and `up` never claim more than is true; `nearest` is for display alone.

    **Returns:** the text.
    """
    if math.isinf(value):
        return INFINITY if value > 0 else MINUS + INFINITY
    if value == 0:
        return "0"
    size = abs(value)
    if size < 1e-3 or size >= 1e4:
        return scientific(value, 2, direction)
    return _minus(f"{_rounded(value, 3, direction):.3f}")


def scientific(value: float, digits: int = 2, direction: Direction = "nearest") -> str:
    """Write a number as mantissa × power of ten with `digits` significant digits."""
    exponent = math.floor(math.log10(abs(value)))
    mantissa = _rounded(value / 10.0**exponent, digits - 1, direction)
    if abs(mantissa) >= 10:
        mantissa, exponent = mantissa / 10, exponent + 1
    text = f"{mantissa:.{digits - 1}f}"
    return _minus(text) + "×" + power(exponent) if exponent else _minus(text)


def typed(value: float) -> str:
    """Write a number as the visitor set it, up to six significant digits."""
    return _minus(f"{value:.6g}") if 1e-4 <= abs(value) < 1e6 or value == 0 else short_power(value)


def significant(value: float, digits: int = 3) -> str:
    """Write a constant with three significant digits."""
    if not math.isfinite(value):
        return INFINITY if value > 0 else MINUS + INFINITY
    if value != 0 and not 1e-3 <= abs(value) < 1e4:
        return scientific(value, digits)
    text = f"{value:#.{digits}g}"
    return _minus(f"{float(text):.0f}" if "e" in text else text.rstrip("."))


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal."""
    if share >= 100:
        return f"over {INFINITY}%" if math.isinf(share) else f"{significant(100 * share)}%"
    return _minus(f"{100 * share:.1f}%")


def power(exponent: int) -> str:
    """Write a power of ten, with superscripts."""
    return {0: "1", 1: "10"}.get(exponent, "10" + str(exponent).translate(_SUPERSCRIPTS))


def short_power(value: float) -> str:
    """Write a tolerance or norm: `10⁻³`, `3×10⁻⁴`, or plain between 0.1 and 100."""
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.5e}".split("e")
    mantissa = _minus(mantissa.rstrip("0").rstrip("."))
    if mantissa == "1":
        return power(int(exponent))
    return _minus(f"{value:.6g}") if -1 <= int(exponent) <= 2 else f"{mantissa}×{power(int(exponent))}"


def from_log10(exponent: float) -> str:
    """Write 10^exponent with two significant digits, however large or small it is."""
    if exponent == -math.inf:
        return "0"
    whole = math.floor(exponent)
    mantissa = round(10 ** (exponent - whole), 1)
    if mantissa >= 10:
        mantissa, whole = mantissa / 10, whole + 1
    if -2 <= whole <= 2:
        return f"{mantissa * 10.0**whole:.{max(1 - whole, 0)}f}"
    return f"{mantissa:.1f}×{power(whole)}"


def between(lower: float, upper: float, *, certified: bool = False) -> str:
    """Write a range of positive growth factors, `0.743–1.088`.

    A certified gap shrinks to the digits shown, so that the text claims no more than was proved.
    """
    low = rate(lower, "up" if certified else "nearest")
    high = rate(upper, "down" if certified else "nearest")
    return low if low == high else f"{low}–{high}"


def toward_zero(value: float) -> str:
    """Write a limit of ϱ so that every ϱ inside the text is inside the limit."""
    return rate(value, "down" if value > 0 else "up")


COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def count(number: int) -> str:
    """Write a count in words up to ten."""
    return COUNTS[number] if number < len(COUNTS) else str(number)


def duration(seconds: float) -> str:
    """Write a rough time: whole seconds, or minutes from two on."""
    return f"{max(round(seconds), 1)} s" if seconds < 120 else f"{round(seconds / 60)} min"


def layers(number: int) -> str:
    """Write a number of layers."""
    return "1 layer" if number == 1 else f"{number} layers"


def _rounded(value: float, decimals: int, direction: Direction) -> float:
    scaled = value * 10**decimals
    if direction == "nearest":
        return round(value, decimals)
    return (math.floor(scaled + SLACK) if direction == "down" else math.ceil(scaled - SLACK)) / 10**decimals


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
