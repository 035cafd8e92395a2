"""Take a figure home: the bytes of a file, from nothing but the figure, the scenario and the format."""

from figures import FIGURES, export_latex, export_pdf, export_png, export_python, export_svg, export_table
from figures.choice import check_choice
from figures.export_paper import WIDTHS, paper_spec, stem
from figures.export_stamp import Stamp, settings, stamp
from presets.load import Refused
from presets.schema import Scenario

RESOLUTIONS = (300, 600)
"""Resolutions that are offered for PNG, dots per inch."""

LEAST_RESOLUTION, MOST_RESOLUTION = 72, 1200

MEDIA = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "csv": "text/csv",
    "json": "application/json",
    "tex": "text/x-tex",
    "py": "text/x-python",
}
"""Every format with its media type."""


def exported(slug: str, scenario: Scenario, kind: str, width: str = "single", resolution: int = 300) -> bytes:
    """Write one figure of one scenario as a file; equal arguments give equal bytes.

    **Arguments:**

    - `slug`: the figure's name in `FIGURES`.
    - `scenario`: the settings.
    - `kind`: `svg`, `pdf`, `png`, `csv` (the figure's table), `json` (the settings), `tex` (a LaTeX figure
      with its caption) or `py` (a few lines that repeat it).
    - `width`: `single` (3.3 in) or `double` (6.9 in) column.
    - `resolution`: dots per inch of a PNG.

    **Returns:** the file's content.

    **Raises:** `Refused` for a figure, format, width or resolution that does not exist.
    """
    check_choice("figure", slug, FIGURES)
    check_choice("format", kind, MEDIA)
    check_choice("width", width, WIDTHS)
    check_resolution(resolution)
    if kind == "json":
        return settings(scenario).encode()
    if kind == "py":
        return export_python.snippet(slug, scenario, width).encode()
    figure = FIGURES[slug]
    tables = figure.compute(scenario)
    if kind == "csv":
        return export_table.csv(figure.table(tables)).encode()
    said = stamp(figure.QUESTION, figure.caption(tables), scenario)
    if kind == "tex":
        return export_latex.environment(slug, scenario, _words(slug, said), width).encode()
    spec = paper_spec(figure.TEMPLATE["light"], figure.datasets(tables), width)
    drawing = export_svg.drawing(spec, width)
    if kind == "png":
        return export_png.png(drawing, said, resolution)
    return export_svg.svg(drawing, said) if kind == "svg" else export_pdf.pdf(drawing, said)


def file_name(slug: str, kind: str, width: str = "single", resolution: int = 300) -> str:
    """Name the file that `exported` writes with the same arguments, so that none takes another's place."""
    if kind in ("csv", "json"):
        return f"{slug}.{kind}"
    return f"{stem(slug, width)}-{resolution}dpi.png" if kind == "png" else f"{stem(slug, width)}.{kind}"


def check_resolution(resolution: int) -> None:
    """Raise `Refused` for a resolution that no file is drawn at."""
    if not LEAST_RESOLUTION <= resolution <= MOST_RESOLUTION:
        limits = f"must lie in {LEAST_RESOLUTION}–{MOST_RESOLUTION} dots per inch"
        raise Refused.one("resolution", str(resolution), limits)


def _words(slug: str, said: Stamp) -> str:
    """Write a printed caption's own words: question, answer, and what the drawing leaves unnamed."""
    return " ".join(filter(None, (said.title, said.caption, getattr(FIGURES[slug], "UNNAMED", ""))))
