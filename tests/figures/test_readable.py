"""Colours that can be told from their ground, and a font that has every sign the app writes."""

import ast
import json
from pathlib import Path

import pytest
from altair.utils.schemapi import validate_jsonschema
from altair.vegalite.v6.schema.core import load_schema
from fontTools.ttLib import TTFont

from figures import FIGURES
from figures.theme import PALETTES, Palette

ROOT = Path(__file__).parents[2]
TEXT, LINE = 4.5, 3.0
"""Contrast that text and lines need (WCAG 2.2, 1.4.3 and 1.4.11)."""

WRITTEN = ("ink", "muted", "decaying", "persistent", "marginal", "sector2", "sector3", "sector4", "certified")
DRAWN = ("last_sector", "paper", "point_ring")
FILLS = ("ground", "kept_fill", "undecided_fill", "changed_fill", "certified_fill")


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_what_is_written_and_drawn_stands_out(palette: Palette) -> None:
    for name in WRITTEN:
        assert contrast(getattr(palette, name), palette.ground) >= TEXT, name
    for name in DRAWN:
        if name != "point_ring" or palette is PALETTES["light"]:
            assert contrast(getattr(palette, name), palette.ground) >= LINE, name
    for fill in FILLS:
        assert contrast(palette.ink, getattr(palette, fill)) >= TEXT, fill


def signs() -> set[str]:
    """Collect every sign beyond ASCII in texts of the app: strings of the code, presets and templates."""
    found: set[str] = set()
    for folder in ("figures", "presets", "ui", "pages"):
        for file in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
            found.update(*(text for text in texts if isinstance(text, str)))
    for file in [*(ROOT / "presets").glob("*.json"), *(ROOT / "ui").rglob("*.md")]:
        found.update(file.read_text(encoding="utf-8"))
    for figure in FIGURES.values():
        found.update(json.dumps(figure.TEMPLATE["light"], ensure_ascii=False))
    return {sign for sign in found if ord(sign) > 126}


@pytest.mark.parametrize("weight", ["Regular", "SemiBold"])
def test_the_font_has_every_sign(weight: str) -> None:
    known = TTFont(ROOT / "static" / f"FSSans-{weight}.woff2").getBestCmap() or {}
    lacking = {sign for sign in signs() if ord(sign) not in known}
    assert not lacking, sorted(lacking)


def test_fonts_come_with_their_licences() -> None:
    for font in ("DejaVu", "SourceSans"):
        assert (ROOT / "static" / f"LICENSE-{font}.txt").stat().st_size > 1000


def test_templates_are_valid_vega_lite() -> None:
    for slug, figure in FIGURES.items():
        validate_jsonschema(figure.TEMPLATE["light"], load_schema())
        assert set(figure.TEMPLATE["dark"]) == set(figure.TEMPLATE["light"]), slug
