"""Gain and phase margins in the words engineers use: which way the gain may move, and how far."""

import math

from engine.phase_margin import PhaseMargin
from figures.number import rate
from presets.loop_quantities import Margins


def gain_words(margins: Margins, amplitude: float, *, in_decibels: bool = True) -> str:
    """Say how far the gain may fall and rise, in factors; down is a reduction and never written as a rise.

    **Arguments:**

    - `margins`: factors by which ϱ may be multiplied.
    - `amplitude`: ϱ; at 0 no factor moves it.
    - `in_decibels`: whether to add them.
    """
    if amplitude == 0:
        return "gate is shut, and no factor opens it"
    down, up = (f" ({decibels(factor)})" if in_decibels else "" for factor in margins)
    fall = "0" if margins.gain_down == 0 else f"{rate(margins.gain_down, 'up')}×{down}"
    if math.isinf(margins.gain_up):
        return f"gain may fall to {fall}; no upper limit (∞)"
    return f"gain may fall to {fall} and rise to {rate(margins.gain_up, 'down')}×{up}"


def phase_words(margin: PhaseMargin | None) -> str:
    """Say the phase margin, ∞ when the gain never reaches 1; nothing where there is none."""
    if margin is None:
        return ""
    return "phase margin ∞" if math.isinf(margin.angle) else f"phase margin {degrees(margin.angle)}"


def decibels(factor: float) -> str:
    """Write a factor in decibels."""
    if factor == 0:
        return "−∞ dB"
    if math.isinf(factor):
        return "∞ dB"
    value = round(20 * math.log10(factor), 1)
    return f"{value:+.1f} dB".replace("-", "−") if value else "0.0 dB"


def degrees(angle: float) -> str:
    """Write an angle, given in radians, so that no smaller one is claimed to be safe."""
    return f"{math.floor(math.degrees(angle) * 100 + 1e-9) / 100:.2f}°"
