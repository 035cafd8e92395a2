"""A drawing as PDF: vectors, embedded fonts, metadata, and the same bytes every time."""

import io
from typing import Any

import vl_convert
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject

from figures.export_paper import POINTS
from figures.export_stamp import PROGRAM, SOURCE, Stamp
from figures.export_svg import Drawing


def pdf(drawn: Drawing, said: Stamp) -> bytes:
    """Write a drawing as a one-page PDF of its size in print."""
    reader = PdfReader(io.BytesIO(vl_convert.svg_to_pdf(drawn.text(POINTS))))
    _sort(reader.trailer["/Root"], set())
    writer = PdfWriter()
    page = writer.add_page(reader.pages[0])
    writer.compress_identical_objects()
    writer.pdf_header = reader.pdf_header
    writer.metadata = {
        "/Title": said.title,
        "/Subject": said.caption,
        "/Creator": PROGRAM,
        "/Producer": "svg2pdf, pypdf",
        "/Source": SOURCE,
        "/Scenario": said.scenario,
    }
    writer.xmp_metadata = said.xmp().encode()
    packet: Any = writer.root_object["/Metadata"]
    packet |= {NameObject("/Type"): NameObject("/Metadata"), NameObject("/Subtype"): NameObject("/XML")}
    page.compress_content_streams()
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _sort(entry: Any, seen: set[int]) -> None:
    """Order every dictionary by name: the renderer writes them in another order every time."""
    entry = entry.get_object()
    if id(entry) in seen:
        return
    seen.add(id(entry))
    if isinstance(entry, DictionaryObject):
        ordered = sorted(dict.items(entry))
        entry.clear()
        entry.update(ordered)
        inner = [value for _, value in ordered]
    else:
        inner = list(entry) if isinstance(entry, list) else []
    for value in inner:
        _sort(value, seen)
