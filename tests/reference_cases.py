"""The independently computed numbers the project tests against."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "reference"


@cache
def _cases(name: str) -> dict[str, dict[str, Any]]:
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    cases = content["cases"] if isinstance(content, dict) else content
    return {case["id"]: case for case in cases}


def case(name: str, identifier: str) -> dict[str, Any]:
    """Return one case of `cocycle` or `tokens`."""
    return _cases(name)[identifier]


def identifiers(name: str, prefix: str = "") -> list[str]:
    """List the cases whose identifier starts with `prefix`."""
    return [identifier for identifier in _cases(name) if identifier.startswith(prefix)]


def numbers(entry: Any) -> np.ndarray:
    """Turn nested lists of decimal or rational strings into a float64 array."""
    if isinstance(entry, list):
        return np.array([numbers(part) for part in entry], dtype=np.float64)
    return np.float64(Fraction(entry) if "/" in str(entry) else entry)  # type: ignore[return-value]
