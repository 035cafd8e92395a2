"""What every exported file carries: the version, the settings and the source, in its metadata."""

import hashlib
import json
from typing import NamedTuple
from xml.sax.saxutils import escape

from engine.device import PRECISION
from presets.load import dump, stamped
from presets.schema import Scenario
from presets.version import VERSION

PROGRAM = f"Fast–Slow Explorer {VERSION}"
SOURCE = "arXiv:2606.16730"

LONGEST_SETTINGS = 100_000
"""Longest settings, in characters, that are written into another file; longer ones are named by a digest."""

_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" \
xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:fs="urn:fast-slow-explorer:">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{caption}</rdf:li></rdf:Alt></dc:description>
<dc:source>{source}</dc:source>
<xmp:CreatorTool>{program}</xmp:CreatorTool>
<fs:version>{version}</fs:version>
<fs:precision>{precision}</fs:precision>
<fs:scenario>{scenario}</fs:scenario>
</rdf:Description></rdf:RDF>"""


class Stamp(NamedTuple):
    """Title and caption of a figure, and its settings as JSON text; a board's are its own file."""

    title: str
    caption: str
    scenario: str

    def rdf(self) -> str:
        """Write the stamp as RDF, the form that SVG, PDF (XMP) and PNG (XMP) share."""
        fields = self._asdict() | {"source": SOURCE, "program": PROGRAM}
        fields |= {"version": VERSION, "precision": PRECISION}
        return _RDF.format(**{name: escape(text) for name, text in fields.items()})

    def xmp(self) -> str:
        """Write the stamp as an XMP packet."""
        start = '<?xpacket begin="\N{ZERO WIDTH NO-BREAK SPACE}" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        inner = f'<x:xmpmeta xmlns:x="adobe:ns:meta/">{self.rdf()}</x:xmpmeta>'
        return f'{start}{inner}<?xpacket end="r"?>'


def stamp(title: str, caption: str, scenario: Scenario) -> Stamp:
    """Make the stamp of one figure of one scenario."""
    text = json.dumps(dump(scenario), ensure_ascii=False, separators=(",", ":"))
    return Stamp(title, caption, short(text, settings(scenario)))


def short(text: str, file: str) -> str:
    """Return settings as they are, or the digest of their file when they are too long for another file."""
    if len(text) > LONGEST_SETTINGS:
        return f"sha256 of the settings file: {hashlib.sha256(file.encode()).hexdigest()}"
    return text


def settings(scenario: Scenario) -> str:
    """Write a scenario as its file, with the version and the precision that computed it."""
    return json.dumps(stamped(dump(scenario)), ensure_ascii=False, indent=2) + "\n"
