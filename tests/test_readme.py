"""The README's pictures: all there, small, and drawn by the script that says so."""

import re
from pathlib import Path

from presets.board import read

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs" / "gallery"
LARGEST = 1.5 * 2**20
"""Bytes of the whole gallery."""


def test_every_file_the_readme_names_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\((?!https?:)([^)]+)\)", text)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_gallery_is_small_shown_and_drawn_by_its_script() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / "script" / "gallery").read_text(encoding="utf-8")
    pictures = sorted(GALLERY.glob("*.svg"))
    assert sum(file.stat().st_size for file in GALLERY.iterdir()) < LARGEST
    for picture in pictures:
        assert f"docs/gallery/{picture.name}" in readme
        assert re.search(rf"\b(draw )?{picture.stem}\b", script), picture.name


def test_the_gallery_s_board_can_be_read() -> None:
    assert read((GALLERY / "board.json").read_text(encoding="utf-8")).notes == []
