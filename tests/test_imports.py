"""The one allowed direction of imports, read from the source without running it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINE = ("app", "pages", "ui", "figures", "presets", "engine")
MAY_IMPORT = {layer: set(LINE[place:]) for place, layer in enumerate(LINE)} | {
    "cli": {"figures", "presets", "engine"}
}
OURS = {*MAY_IMPORT, "tests", "benchmarks", "script"}
ENGINE_PACKAGES = {"jax", "numpy", "scipy", "jaxtyping"}
ONLY_IN = {
    "streamlit": {"ui", "pages", "app"},
    "altair": {"figures", "ui"},
    "pydantic": {"presets"},
    "pydantic_core": {"presets"},
}


def layer_of(path: Path) -> str:
    """Name the layer a file belongs to: its top folder, or itself at the top."""
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def sources() -> list[Path]:
    tops = [ROOT / name for name in MAY_IMPORT]
    inside = [path for top in tops for path in sorted(top.rglob("*.py"))]
    return inside + [path for top in tops if (path := top.with_suffix(".py")).exists()]


def imported_tops(source: str, layer: str) -> Iterator[str]:
    """Yield the top-level name behind every import, also inside functions and conditions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield layer if node.level else (node.module or "").split(".")[0]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in {"import_module", "__import__"}:
                yield str(node.args[0].value).split(".")[0]


def offences(source: str, layer: str) -> list[str]:
    """List what a file of this layer imports and must not."""
    found = []
    for top in imported_tops(source, layer):
        if top in OURS:
            allowed = top in MAY_IMPORT[layer]
        elif layer == "engine":
            allowed = top in ENGINE_PACKAGES or top in sys.stdlib_module_names
        else:
            allowed = layer in ONLY_IN.get(top, {layer})
        if not allowed:
            found.append(f"{layer} imports {top}")
    return found


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_only_to_the_right(path: Path) -> None:
    assert offences(path.read_text(encoding="utf-8"), layer_of(path)) == []


def test_every_layer_is_walked() -> None:
    assert {layer_of(path) for path in sources()} == set(MAY_IMPORT)


@pytest.mark.parametrize(
    ("layer", "source", "expected"),
    [
        ("engine", "import presets.schema", ["engine imports presets"]),
        ("engine", "import pandas", ["engine imports pandas"]),
        ("engine", "import math, jax.numpy\nfrom engine.device import run", []),
        ("engine", "from . import device", []),
        ("presets", "def late():\n    from figures import theme", ["presets imports figures"]),
        ("figures", "import streamlit as st", ["figures imports streamlit"]),
        ("figures", "from presets.schema import Scenario\nimport altair, engine.gate", []),
        ("figures", "import importlib\nimportlib.import_module('ui.panel')", ["figures imports ui"]),
        ("ui", "from pydantic import ValidationError", ["ui imports pydantic"]),
        ("ui", "import pages", ["ui imports pages"]),
        ("pages", "import altair", ["pages imports altair"]),
        ("cli", "import figures, presets, engine, ui", ["cli imports ui"]),
        ("cli", "import streamlit", ["cli imports streamlit"]),
        ("app", "import ui.sidebar, figures, streamlit", []),
        ("app", "import cli, tests.reference_cases", ["app imports cli", "app imports tests"]),
    ],
)
def test_the_rule_catches_wrong_arrows(layer: str, source: str, expected: list[str]) -> None:
    assert offences(source, layer) == expected
