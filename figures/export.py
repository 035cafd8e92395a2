"""Take a figure home: the bytes of a file, from nothing but the figure, the scenario and the format."""

from typing import Any

from figures import (
    FIGURES,
    MAP,
    export_latex,
    export_pdf,
    export_png,
    export_python,
    export_svg,
    export_table,
    further,
    gate_axis,
)
from figures.choice import check_choice
from figures.export_paper import WIDTHS, called, paper_spec, stem
from figures.export_stamp import settings, stamp
from presets import map_axis
from presets.load import Refused
from presets.map_axis import ANGLE
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


def exported(
    slug: str,
    scenario: Scenario,
    kind: str,
    width: str = "single",
    resolution: int = 300,
    *,
    over: str = ANGLE,
) -> bytes:
    """Write one figure of one scenario as a file; equal arguments give equal bytes.

    **Arguments:**

    - `slug`: the figure's name in `FIGURES`.
    - `scenario`: the settings.
    - `kind`: `svg`, `pdf`, `png`, `csv` (the figure's table), `json` (the settings), `tex` (a LaTeX figure
      with its caption) or `py` (a few lines that repeat it).
    - `width`: `single` (3.3 in) or `double` (6.9 in) column.
    - `resolution`: dots per inch of a PNG.
    - `over`: second parameter of the gate map, by its name in `presets.map_axis`.

    **Returns:** the file's content.

    **Raises:** `Refused` for a figure, format, width, resolution or second parameter that does not exist.
    """
    check_choice("figure", slug, FIGURES)
    check_choice("format", kind, MEDIA)
    check_choice("width", width, WIDTHS)
    check_resolution(resolution)
    _check_over(slug, scenario, over)
    if kind == "json":
        return settings(scenario).encode()
    if kind == "py":
        return export_python.snippet(slug, scenario, width, over).encode()
    figure = FIGURES[slug]
    tables = figure.compute(scenario, *further(slug, over))
    if kind == "csv":
        return export_table.csv(figure.table(tables)).encode()
    said = stamp(title(slug, scenario, over), figure.caption(tables), scenario)
    if kind == "tex":
        words = f"{said.title} {answer(slug, tables)}"
        return export_latex.environment(called(slug, over), scenario, words, width).encode()
    spec = paper_spec(figure.TEMPLATE["light"], figure.datasets(tables), width)
    drawing = export_svg.drawing(spec, width)
    if kind == "png":
        return export_png.png(drawing, said, resolution)
    return export_svg.svg(drawing, said) if kind == "svg" else export_pdf.pdf(drawing, said)


def file_name(
    slug: str, kind: str, width: str = "single", resolution: int = 300, *, over: str = ANGLE
) -> str:
    """Name the file that `exported` writes with the same arguments, so that none takes another's place."""
    if kind == "json":
        return f"{slug}.json"
    name = called(slug, over)
    if kind == "csv":
        return f"{name}.csv"
    return f"{stem(name, width)}-{resolution}dpi.png" if kind == "png" else f"{stem(name, width)}.{kind}"


def check_resolution(resolution: int) -> None:
    """Raise `Refused` for a resolution that no file is drawn at."""
    if not LEAST_RESOLUTION <= resolution <= MOST_RESOLUTION:
        limits = f"must lie in {LEAST_RESOLUTION}–{MOST_RESOLUTION} dots per inch"
        raise Refused.one("resolution", str(resolution), limits)


def _check_over(slug: str, scenario: Scenario, over: str) -> None:
    if slug != MAP and over != ANGLE:
        raise Refused.one("over", over[:60], f"belongs to {MAP} alone; {slug} has no second parameter")
    check_choice("second parameter", over, map_axis.axes(scenario))


def title(slug: str, scenario: Scenario, over: str) -> str:
    """Write a figure's question, and over what a map is drawn that is not drawn over the angle."""
    axes = (gate_axis.name(map_axis.axis_of(scenario, name)) for name in further(slug, over))
    return " ".join([FIGURES[slug].QUESTION, *(f"Over the {axis}." for axis in axes)])


def answer(slug: str, tables: Any) -> str:
    """Write a printed caption, and behind it what a narrow drawing shows and leaves unnamed."""
    figure = FIGURES[slug]
    unnamed = figure.unnamed(tables) if hasattr(figure, "unnamed") else ""
    return f"{figure.caption(tables)} {unnamed}".strip()
