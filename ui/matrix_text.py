"""Matrices as text: one row a line, numbers apart by spaces or commas, an empty line between layers."""

import re
from typing import Any

from ui import words
from ui.session import number

HELP = "One row a line; an empty line between layers."

LONGEST = 4000
"""Characters up to which matrices are shown for editing."""


def to_text(matrices: Any) -> str:
    """Write one matrix, or one per layer."""
    sequence = matrices if matrices and isinstance(matrices[0][0], tuple | list) else (matrices,)
    return "\n\n".join("\n".join("  ".join(map(words.typed, row)) for row in matrix) for matrix in sequence)


def from_text(text: str) -> list[Any]:
    """Read what `to_text` writes; what is not a number stays text, for the schema to refuse by name."""
    layers = [block for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]
    read = [[_row(line) for line in block.splitlines()] for block in layers]
    return read[0] if len(read) == 1 else read


def from_row(text: str) -> list[Any]:
    """Read a list of numbers, on one line or several."""
    return [entry for line in text.splitlines() for entry in _row(line)]


def _row(line: str) -> list[Any]:
    return [number(entry) for entry in re.split(r"[\s,;]+", line.strip()) if entry]
