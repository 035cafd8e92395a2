"""Build the three cuts of FS Sans, the one typeface of the pages and of every exported figure.

Source Sans 3 (it comes inside Streamlit's wheel) lacks ϱ, subscript letters and many signs of
mathematics; a browser would draw those from some other face, and an exported figure from a serif.
This script cuts the variable font to 400, 600 and 400 italic, adds the missing signs and writes
`static/FSSans-*.woff2`. Subscript letters are its own superscripts, lowered; the other signs come
from DejaVu Sans, scaled to Source's x-height and brought to the weight of its strokes. The result
is renamed because "Source" is a reserved name. The built files are kept in the repository: run this
again only when a sign is added (or Streamlit brings a newer Source Sans).

    .venv/bin/pip install fonttools==4.68.0 brotli==1.2.1
    .venv/bin/python script/make_fonts.py [path of DejaVuSans.ttf]

It fails when a character that the project uses is in none of the fonts.
"""

import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import Glyph, GlyphCoordinates
from fontTools.ttLib.tables.ttProgram import Program
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).resolve().parent.parent
DEJAVU = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
FAMILY = "FS Sans"
LARGEST_FILE = 110_000

LOWERED = dict(zip("ₐₑᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "ᵃᵉⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛˣ", strict=True))
LETTERS = "ϱϵℝℂℕℤ"
SYMBOLS = "∈∉∋∘∙⊥∥∼≲≳≪≫∝∓⊗⊕⊙∖⊂⊆⊃⊇∪∩∅∀∃∄∇⌈⌉⌊⌋⟨⟩↦⇔⇒⇄⊤◇★"
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "liga", "pnum", "case"]


class Cut(NamedTuple):
    """One file to build: its name, its place in the family and the variable font it is cut from."""

    name: str
    weight: int
    italic: bool


CUTS = [Cut("Regular", 400, False), Cut("SemiBold", 600, False), Cut("Italic", 400, True)]


class Outline(NamedTuple):
    """A glyph's points, contour ends, on-curve flags and advance width."""

    points: list[tuple[float, float]]
    ends: list[int]
    flags: list[int]
    advance: float


def outline(font: TTFont, sign: str) -> Outline:
    """Read the outline of a character, with composite glyphs taken apart."""
    name = font.getBestCmap()[ord(sign)]
    glyphs: Any = font["glyf"]
    points, ends, flags = glyphs[name].getCoordinates(glyphs)
    metrics: Any = font["hmtx"]
    return Outline(list(points), list(ends), list(flags), metrics[name][0])


def box(shape: Outline) -> tuple[float, float, float, float]:
    """Return the bounds of the points: left, bottom, right, top."""
    across, up = zip(*shape.points, strict=True)
    return min(across), min(up), max(across), max(up)


def moved(
    shape: Outline, scale: float = 1.0, *, slant: float = 0.0, right: float = 0.0, rise: float = 0.0
) -> Outline:
    """Scale about the origin, lean to the right, then shift."""
    points = [(scale * (x + slant * y) + right, scale * y + rise) for x, y in shape.points]
    return shape._replace(points=points, advance=scale * shape.advance)


def thickened(shape: Outline, amount: float) -> Outline:
    """Move every point outwards by half the amount along its two edges' normals."""
    points, start = [], 0
    for end in shape.ends:
        contour = shape.points[start : end + 1]
        points += [_pushed(contour, place, amount / 2) for place in range(len(contour))]
        start = end + 1
    points = [(x + amount / 2, y) for x, y in points]
    return shape._replace(points=points, advance=shape.advance + amount)


def _pushed(contour: list[tuple[float, float]], place: int, distance: float) -> tuple[float, float]:
    here, count = contour[place], len(contour)
    before = next(p for k in range(1, count) if (p := contour[place - k]) != here)
    after = next(p for k in range(1, count) if (p := contour[(place + k) % count]) != here)
    first, second = _normal(before, here), _normal(here, after)
    across, up = first[0] + second[0], first[1] + second[1]
    stretch = max(1 + first[0] * second[0] + first[1] * second[1], 0.3)
    return here[0] + distance * across / stretch, here[1] + distance * up / stretch


def _normal(start: tuple[float, float], stop: tuple[float, float]) -> tuple[float, float]:
    across, up = stop[0] - start[0], stop[1] - start[1]
    length = math.hypot(across, up)
    return -up / length, across / length  # outer contours run clockwise, so left is outside


class Matcher:
    """Makes signs of another face look at home in Source Sans at one weight."""

    def __init__(self, font: TTFont, dejavu: TTFont, slant: float):
        """Measure both faces once."""
        self.font, self.dejavu, self.slant = font, dejavu, slant
        self.scale = box(outline(font, "x"))[3] / box(outline(dejavu, "x"))[3]
        self.stem = _thickness(font, "H", 0) - self.scale * _thickness(dejavu, "H", 0)
        self.bar = _thickness(font, "−", 1) - self.scale * _thickness(dejavu, "−", 1)
        self.rise = _middle(font, "−") - self.scale * _middle(dejavu, "−")

    def letter(self, sign: str) -> Outline:
        """Take a letter: on the baseline, x-heights and stems alike."""
        return thickened(moved(outline(self.dejavu, sign), self.scale, slant=self.slant), self.stem)

    def symbol(self, sign: str) -> Outline:
        """Take a symbol: centred where the minus is, bars alike."""
        return thickened(moved(outline(self.dejavu, sign), self.scale, rise=self.rise), self.bar)

    def lowered(self, sign: str) -> Outline:
        """Make a subscript letter of the superscript one, where the subscript digits stand."""
        high, low = (box(outline(self.font, digit)) for digit in "²₂")
        return moved(outline(self.font, LOWERED[sign]), right=low[0] - high[0], rise=low[1] - high[1])

    def dots(self) -> Outline:
        """Raise the ellipsis to the height of the minus."""
        return moved(outline(self.font, "…"), rise=_middle(self.font, "−") - _middle(self.font, "…"))


def _thickness(font: TTFont, sign: str, axis: int) -> float:
    values = sorted({point[axis] for point in outline(font, sign).points})
    return values[1] - values[0]


def _middle(font: TTFont, sign: str) -> float:
    _, bottom, _, top = box(outline(font, sign))
    return (bottom + top) / 2


def add(font: TTFont, sign: str, shape: Outline) -> None:
    """Add a character to the font."""
    glyph, name = Glyph(), f"uni{ord(sign):04X}"
    glyph.numberOfContours = len(shape.ends)
    glyph.coordinates = GlyphCoordinates([(round(x), round(y)) for x, y in shape.points])
    glyph.flags = bytearray(flag & 1 for flag in shape.flags)
    glyph.endPtsOfContours = shape.ends
    glyph.program = Program()
    glyph.program.fromBytecode(b"")
    tables: dict[str, Any] = {tag: font[tag] for tag in ("glyf", "hmtx", "cmap")}
    tables["glyf"][name] = glyph
    glyph.recalcBounds(tables["glyf"])
    tables["hmtx"][name] = (round(shape.advance), glyph.xMin)
    for table in tables["cmap"].tables:
        if table.isUnicode():
            table.cmap[ord(sign)] = name


def complete(font: TTFont, dejavu: TTFont, slant: float) -> None:
    """Add every wanted sign that the font lacks."""
    match, present = Matcher(font, dejavu, slant), set(font.getBestCmap())
    makers = dict.fromkeys(LOWERED, match.lowered) | dict.fromkeys(LETTERS, match.letter)
    makers |= dict.fromkeys(SYMBOLS, match.symbol)
    for sign, make in makers.items():
        if ord(sign) not in present:
            add(font, sign, make(sign))
    add(font, "⋯", match.dots())
    glyphs: Any = font["glyf"]
    font.setGlyphOrder(list(glyphs.glyphOrder))


def rename(font: TTFont, cut: Cut) -> None:
    """Give the font its own name and say where its outlines come from."""
    names: Any = font["name"]
    copyright_line = (
        f"{names.getDebugName(0)} Added signs: Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved; "
        "DejaVu changes are in public domain; glyphs imported from Arev fonts are (c) Tavmjong Bah."
    )
    licence = [names.getDebugName(number) for number in (13, 14)]
    names.names = []
    plain = cut.name in ("Regular", "Italic")
    entries = {
        0: copyright_line,
        1: FAMILY if plain else f"{FAMILY} {cut.name}",
        2: cut.name if plain else "Regular",
        3: f"FSSans-{cut.name};1.0",
        4: FAMILY if cut.name == "Regular" else f"{FAMILY} {cut.name}",
        5: "Version 1.0",
        6: f"FSSans-{cut.name}",
        13: licence[0],
        14: licence[1],
        16: FAMILY,
        17: cut.name,
    }
    for number, text in entries.items():
        names.setName(text, number, 3, 1, 0x409)
    style: Any = font["OS/2"]
    style.usWeightClass = cut.weight
    style.fsSelection = (style.fsSelection & ~0b1100001) | (1 if cut.italic else 1 << 6)
    head: Any = font["head"]
    head.macStyle = 2 if cut.italic else 0


def build(cut: Cut, source: Path, dejavu: TTFont) -> TTFont:
    """Cut, complete, reduce, rename and save one font."""
    font = instantiateVariableFont(TTFont(source, recalcTimestamp=False), {"wght": cut.weight})
    complete(font, dejavu, math.tan(math.radians(11)) if cut.italic else 0.0)
    options = Options(layout_features=FEATURES, hinting=False, notdef_outline=True, name_IDs=["*"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=list(font.getBestCmap()))
    subsetter.subset(font)
    rename(font, cut)
    if "STAT" in font:
        del font["STAT"]
    font.flavor = "woff2"
    font.save(ROOT / "static" / f"FSSans-{cut.name}.woff2")
    return font


def characters_used() -> set[str]:
    """Collect what the project's own text files contain."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "*.py", "*.json", "*.md"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    texts = [(ROOT / line).read_text(encoding="utf-8") for line in listing.splitlines()]
    return {sign for text in texts for sign in text if sign.isprintable()}


def main() -> None:
    """Build all cuts and check them."""
    dejavu = TTFont(sys.argv[1] if len(sys.argv) > 1 else DEJAVU)
    spec = find_spec("streamlit")
    if spec is None or spec.origin is None:
        sys.exit("Streamlit is not installed here: run script/setup and use .venv/bin/python.")
    media = Path(spec.origin).parent / "static" / "static" / "media"
    used = characters_used()
    for cut in CUTS:
        source = next(media.glob(f"SourceSansVF-{'Italic' if cut.italic else 'Upright'}*.woff2"))
        font = build(cut, source, dejavu)
        missing = sorted(sign for sign in used if ord(sign) not in font.getBestCmap())
        size = (ROOT / "static" / f"FSSans-{cut.name}.woff2").stat().st_size
        print(f"FSSans-{cut.name}.woff2: {size} bytes, {len(font.getBestCmap())} characters")
        if missing or size > LARGEST_FILE:
            sys.exit(f"FSSans-{cut.name} lacks {missing} or is larger than {LARGEST_FILE} bytes.")


if __name__ == "__main__":
    main()
