"""How settings are called in menus and boxes."""

import re
from html import escape

from presets.compression import COMPRESSIONS
from presets.family import FAMILIES
from presets.schema import KERNELS

_CHOICES = {
    "topology.self": "Self-loop",
    "topology.ring": "Ring of blocks",
    "topology.cascade": "Causal cascade",
    "kind.linear": "Linear: Wu + b",
    "kind.tanh": "Saturating: tanh(Wu + b)",
    "alignment.aligned": "Along the split",
    "alignment.angle": "At an angle θ",
    "alignment.worst": "Worst case",
    "alignment.matrix": "Matrix as written",
    "norm.rms": "RMSNorm",
    "norm.layer": "LayerNorm",
    "activation.gelu": "GELU",
    "activation.swiglu": "SwiGLU",
    "order.sequential": "Attention, then MLP",
    "order.parallel": "Attention beside MLP",
    "pattern.doubling": "1, 2, 4, 8, … layers",
    "pattern.linear": "1, 1, 2, 2, 3, 3, … layers",
}

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def indexed(text: str) -> str:
    """Escape words for the page and lower their indices: r_f becomes r with a small f."""
    return re.sub(r"\b([^\W\d_])_([^\W\d_])\b", r"\1<sub>\2</sub>", escape(text))


def choice(field: str, option: str) -> str:
    """Return the menu's words for an option of a schema field."""
    return _CHOICES.get(f"{field}.{option}", option.capitalize())


def family(kind: str) -> str:
    """Return the menu's words for a family."""
    return FAMILIES[kind][1]


def compression(kind: str) -> str:
    """Return the menu's words for a compression."""
    return COMPRESSIONS[kind][1]


def summary(kind: str) -> str:
    """Return a compression's words where no label stands beside the menu."""
    return f"Π: {compression(kind).lower()}"


def kernel(kind: str) -> str:
    """Return the menu's words for a kernel."""
    return KERNELS[kind][1]


def value(entry: float | None) -> str:
    """Return an option of a select slider in words: powers of ten as such, nothing as the whole pass."""
    if entry is None:
        return "whole pass"
    mantissa, _, exponent = f"{entry:.6e}".partition("e")
    if 0 < entry < 0.1 or (entry == 0.1 and isinstance(entry, float)):
        power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
        factor = mantissa.rstrip("0").rstrip(".")
        return power if factor == "1" else f"{factor}×{power}"
    return f"{entry:g}"


def typed(entry: float) -> str:
    """Return a number the way a visitor would type it, exactly."""
    text = repr(entry)
    if text.endswith(".0"):
        text = text[:-2]
    mantissa, found, exponent = text.partition("e")
    if found:
        return f"{mantissa}e{int(exponent)}"
    if 0 < abs(entry) < 1e-3:
        digits, _, power = f"{entry:.16e}".partition("e")
        short = f"{float(digits):.15g}e{int(power)}"
        return short if float(short) == entry else text
    return text
