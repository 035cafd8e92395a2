"""FS Sans for files: handed to the renderer, and cut down to the letters a drawing uses."""

import io
import tempfile
from functools import cache
from pathlib import Path

import vl_convert
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FOLDER = Path(__file__).parents[1] / "static"
CUTS = {400: "Regular", 600: "SemiBold"}
"""The cuts charts use, by weight."""


@cache
def registered() -> "tempfile.TemporaryDirectory[str]":
    """Hand FS Sans to the renderer, once; the folder of its files lives as long as the process.

    The renderer reads uncompressed fonts only, and draws no text at all, without a word, if it gets another.
    """
    folder = tempfile.TemporaryDirectory(prefix="fs-sans-")
    for cut in CUTS.values():
        Path(folder.name, f"FSSans-{cut}.ttf").write_bytes(_unpacked(cut))
    vl_convert.register_font_directory(folder.name)
    return folder


def subset(weight: int, letters: str) -> bytes:
    """Return one cut of FS Sans with these letters alone, as WOFF2."""
    font = TTFont(io.BytesIO(_unpacked(CUTS[weight])), recalcTimestamp=False, lazy=True)
    subsetter = Subsetter(Options(layout_features=["*"], name_IDs=[0, 1, 2, 13, 14]))
    subsetter.populate(text=letters)
    subsetter.subset(font)
    font.flavor = "woff2"
    stream = io.BytesIO()
    font.save(stream)
    return stream.getvalue()


@cache
def _unpacked(cut: str) -> bytes:
    """Return one cut uncompressed, as the renderer reads it and as it is quickly cut down."""
    font = TTFont(FOLDER / f"FSSans-{cut}.woff2", recalcTimestamp=False)
    font.flavor = None
    stream = io.BytesIO()
    font.save(stream)
    return stream.getvalue()
