"""A chart as SVG: drawn without a browser, cleaned, and made to stand alone."""

import re
from base64 import b64encode
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import vl_convert

from figures import export_font
from figures.export_paper import WIDTHS
from figures.export_stamp import Stamp
from figures.theme import Spec

SVG = "{http://www.w3.org/2000/svg}"
VEGA_LITE = "6.4"
"""Version of Vega-Lite that Altair writes for."""

_ONLY_FOR_PAGES = ("class", "pointer-events", "role", "aria-hidden", "aria-roledescription")

ElementTree.register_namespace("", SVG[1:-1])
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


class Drawing(NamedTuple):
    """A drawing, not yet a file: its root, and its size in print, inches."""

    root: Element
    width: float
    height: float

    def text(self, unit: float = 1, suffix: str = "") -> str:
        """Write the drawing with its size counted in 1/`unit` inch."""
        size = {"width": self.width * unit, "height": self.height * unit}
        root = Element(self.root.tag, self.root.attrib | {k: f"{v:.6g}{suffix}" for k, v in size.items()})
        root.extend(self.root)
        return ElementTree.tostring(root, encoding="unicode")


def drawing(spec: Spec, width: str) -> Drawing:
    """Draw a chart of `export_paper` for a column."""
    return sized_drawing(spec, WIDTHS[width])


def sized_drawing(spec: Spec, across: float, prefix: str = "") -> Drawing:
    """Draw a chart of `export_paper` as wide as asked for, inches; names inside it get the prefix."""
    export_font.registered()
    text = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
    root = ElementTree.fromstring(_renumbered(text, prefix))
    _tidy(root)
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    return Drawing(root, across, across * height / width)


def svg(drawn: Drawing, said: Stamp) -> bytes:
    """Write a drawing as an SVG file with its fonts and its metadata inside."""
    root = Element(drawn.root.tag, drawn.root.attrib)
    SubElement(root, f"{SVG}title").text = said.title
    SubElement(root, f"{SVG}desc").text = said.caption
    SubElement(root, f"{SVG}metadata").append(ElementTree.fromstring(said.rdf()))
    SubElement(root, f"{SVG}style").text = "".join(_faces(drawn.root))
    root.extend(drawn.root)
    text = drawn._replace(root=root).text(suffix="in")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _renumbered(text: str, prefix: str) -> str:
    """Number clips and gradients from 0: the renderer counts on from one drawing to the next."""
    names = dict.fromkeys(re.findall(r'id="(\w+)"', text))
    numbers = {name: f"{prefix}{name.rstrip('0123456789')}{number}" for number, name in enumerate(names)}
    named = re.compile(r'(id="|url\(#|href="#)(\w+)')
    return named.sub(lambda found: found[1] + numbers.get(found[2], found[2]), text)


def _faces(root: Element) -> list[str]:
    """Write each cut of FS Sans that the drawing uses, with its letters alone."""
    letters: dict[int, set[str]] = {}
    for text in root.iter(f"{SVG}text"):
        bold = text.get("font-weight") in ("600", "bold")
        letters.setdefault(600 if bold else 400, set()).update("".join(text.itertext()))
    return [
        f'@font-face{{font-family:"FS Sans";font-weight:{weight};src:url(data:font/woff2;base64,'
        f'{b64encode(export_font.subset(weight, "".join(sorted(used)))).decode()}) format("woff2")}}'
        for weight, used in sorted(letters.items())
    ]


def _tidy(element: Element) -> None:
    """Take away what draws nothing, and what only a page needs."""
    for child in list(element):
        if _is_empty(child):
            element.remove(child)
            continue
        _tidy(child)
        if child.tag == f"{SVG}g" and len(child) == 0:
            element.remove(child)
    _make_opaque(element)
    for name in _ONLY_FOR_PAGES:
        element.attrib.pop(name, None)


def _is_empty(element: Element) -> bool:
    frame = element.get("class") in ("background", "foreground")
    unpainted = frame and element.get("fill") is None and element.get("stroke") is None
    return unpainted or element.get("opacity") == "0" or element.get("d") == ""


def _make_opaque(element: Element) -> None:
    """Give a translucent stroke the paler colour it has on white: print knows no transparency."""
    opacity, stroke = float(element.get("opacity", 1)), element.get("stroke", "")
    if element.get("fill") is None and re.fullmatch("#[0-9a-fA-F]{6}", stroke):
        parts = (int(stroke[place : place + 2], 16) for place in (1, 3, 5))
        element.set("stroke", "#" + "".join(f"{round(255 + opacity * (c - 255)):02x}" for c in parts))
        opacity = 1
    if opacity == 1:
        element.attrib.pop("opacity", None)
