"""A figure's caption for LaTeX: what the page says, every setting, and where the picture comes from."""

import re

from figures.export_paper import stem
from figures.export_stamp import PROGRAM, SOURCE
from figures.setting import settings
from presets.schema import Scenario

_MATH = {
    "ϱ": r"\varrho",
    "ψ": r"\psi",
    "θ": r"\theta",
    "τ": r"\tau",
    "Φ": r"\Phi",
    "Π": r"\Pi",
    "λ": r"\lambda",
    "β": r"\beta",
    "ε": r"\varepsilon",
    "Δ": r"\Delta",
    "Σ": r"\Sigma",
    "ω": r"\omega",
    "κ": r"\kappa",
    "σ": r"\sigma",
    "γ": r"\gamma",
    "α": r"\alpha",
    "μ": r"\mu",
    "η": r"\eta",
    "φ": r"\varphi",
    "ℓ": r"\ell",
    "‖": r"\|",
    "∂": r"\partial",
    "−": "-",
    "≥": r"\ge",
    "≤": r"\le",
    "≠": r"\ne",
    "≈": r"\approx",
    "∞": r"\infty",
    "×": r"\times",
    "·": r"\cdot",
    "°": r"^\circ",
    "∘": r"\circ",
    "→": r"\to",
    "∈": r"\in",
    "∉": r"\notin",
    "±": r"\pm",
    "∝": r"\propto",
    "′": "'",
    "⊥": r"\perp",
    "√": r"\surd",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "ᵀ": r"^{T}",
    "|": "|",
    "<": "<",
    ">": ">",
    "½": r"\tfrac12",
    "¼": r"\tfrac14",
    "∪": r"\cup",
    "δ": r"\delta",
    "ζ": r"\zeta",
    "π": r"\pi",
    "↔": r"\leftrightarrow",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "◂": r"\triangleleft",
    "▸": r"\triangleright",
}
_PLAIN = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "–": "--",
    "—": "---",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
}
_RAISED = dict(zip("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", "-+0123456789n", strict=True))
_LOWERED = dict(zip("₋₊₀₁₂₃₄₅₆₇₈₉ₑᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "-+0123456789eijklmnoprstuvx", strict=True))

_PIECES = re.compile(
    f"(?P<raised>[{''.join(_RAISED)}]+)|(?P<lowered>[{''.join(_LOWERED)}]+)|"
    r"(?P<index>\b[A-Za-zα-ω]_[a-zα-ω]\b)|(?P<sign>.)",
    re.DOTALL,
)


def environment(slug: str, scenario: Scenario, words: str, width: str) -> str:
    """Write a LaTeX figure that shows the PDF of the same name, with its caption.

    **Arguments:**

    - `slug`: name of the figure and of its label.
    - `scenario`: the settings, all of which the caption names.
    - `words`: what the page says of the figure.
    - `width`: the column; a double one spans the page of a two-column paper.
    """
    name = "figure" if width == "single" else "figure*"
    lines = [
        rf"\begin{{{name}}}",
        r"  \centering",
        rf"  \includegraphics{{{stem(slug, width)}.pdf}}",
        rf"  \caption{{{caption(scenario, words)}}}",
        rf"  \label{{fig:{slug}}}",
        rf"\end{{{name}}}",
    ]
    return "\n".join(lines) + "\n"


def caption(scenario: Scenario, words: str) -> str:
    """Write what the page says of a figure, then every setting, then the source."""
    found = (f"{entry.label}: {entry.text}" for entry in settings(scenario))
    return latex(f"{words} {'; '.join(found)}. {PROGRAM}, after {SOURCE}.")


def latex(text: str) -> str:
    """Write text for LaTeX: special characters escaped, signs of mathematics in math mode."""
    return _PIECES.sub(_piece, text).replace("$$", "")


def _piece(found: re.Match[str]) -> str:
    text = found[0]
    if found["raised"]:
        return f"$^{{{''.join(_RAISED[sign] for sign in text)}}}$"
    if found["lowered"]:
        return f"$_{{{''.join(_LOWERED[sign] for sign in text)}}}$"
    if found["index"]:
        return f"${'_'.join(_MATH.get(part, part) for part in text.split('_'))}$"
    return f"${_MATH[text]}$" if text in _MATH else _PLAIN.get(text, text)
