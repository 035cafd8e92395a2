"""Paper style: a figure's light template, as it is drawn for a printed column."""

import json
from typing import Any

from figures import further
from figures.rows import Rows
from figures.theme import LABEL_SIZE, PALETTES, TITLE_SIZE, Spec

WIDTHS = {"single": 3.3, "double": 6.9}
"""Column widths, inches."""

HEIGHTS = {"single": 2.1, "double": 2.8}
"""Heights of a figure, inches."""

POINTS = 72
LABEL_POINTS = 7.2
STROKE = 0.55
"""Points of a stroke in print for each pixel on the screen."""

POINT = LABEL_POINTS / LABEL_SIZE
"""Points in print for each pixel of the drawing: as many as make a label's size right."""

_THINNER = STROKE / POINT
_COLOURS = PALETTES["light"]
_INKED = {_COLOURS.point: "#FFFFFF"}
"""Colours that change in print: the current point is white in its ring."""


def stem(slug: str, width: str) -> str:
    """Name a figure's files for a column."""
    return slug if width == "single" else f"{slug}-{width}"


def called(slug: str, over: str) -> str:
    """Name a figure by what it is drawn over, if not the angle: `gate-map-by-gain`."""
    told = further(slug, over)
    return f"{slug}-by-{over.replace('.', '-')}" if told else slug


def pixels(inches: float) -> int:
    """Return a length in print in pixels of the drawing."""
    return round(inches * POINTS / POINT)


def paper_spec(template: Spec, datasets: dict[str, Rows], width: str) -> Spec:
    """Turn a figure's light template into the chart of a printed column, with its data."""
    return sized_spec(template, datasets, WIDTHS[width], HEIGHTS[width])


def sized_spec(template: Spec, datasets: dict[str, Rows], across: float, down: float) -> Spec:
    """Turn a figure's light template into a printed chart of a size in inches, with its data.

    The chart keeps the proportions of the screen, so that what was placed by pixels stays in place, and is
    later scaled as a whole. Strokes become thinner on top of that, axes darker; what only answers to the
    pointer goes.
    """
    text = json.dumps(template)
    for screen, ink in _INKED.items():
        text = text.replace(screen, ink)
    spec = json.loads(text)
    layers = [_printed(layer) for layer in spec["layer"] if not _is_hidden(layer)]
    return spec | {
        "layer": layers,
        "width": pixels(across),
        "height": pixels(down),
        "config": _config(spec["config"]),
        "datasets": {name: as_records(rows) for name, rows in datasets.items()},
    }


def _is_hidden(layer: Spec) -> bool:
    """Say whether a layer draws nothing; the one that sets the axes' ends stays."""
    return layer["mark"].get("opacity") == 0 and layer["data"]["name"] != "dom"


def _printed(layer: Spec) -> Spec:
    mark = dict(layer["mark"])
    if mark["type"] == "text":
        mark |= {"opacity": 1} if "stroke" in mark else {}
        mark |= {"color": _COLOURS.ink} if mark.get("fontSize") == TITLE_SIZE else {}
    elif "strokeWidth" in mark:
        mark["strokeWidth"] *= _THINNER
        mark |= {"clip": True} if mark["type"] == "rect" else {}
    return layer | {"mark": mark}


def _config(config: Spec) -> Spec:
    axis = {"labelColor": _COLOURS.ink, "titleColor": _COLOURS.ink, "gridColor": _COLOURS.rule}
    axis |= {"domainColor": _COLOURS.muted, "tickColor": _COLOURS.muted}
    axis |= {"domainWidth": _THINNER, "tickWidth": _THINNER, "gridWidth": 0.5 * _THINNER}
    return config | {
        "aria": False,
        "axis": config["axis"] | axis,
        "line": config["line"] | {"strokeWidth": 2 * _THINNER},
        "rule": {"strokeWidth": _THINNER},
    }


def as_records(rows: Rows) -> list[dict[str, Any]]:
    """Return a dataset as a chart's specification holds it: one mapping per row."""
    columns = [rows[name].tolist() for name in rows.columns]
    return [dict(zip(rows.columns, entry, strict=True)) for entry in zip(*columns, strict=True)]
