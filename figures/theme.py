"""Colours, type and chart configuration of both themes, and how a figure becomes a Vega-Lite template."""

from collections.abc import Callable
from typing import Any, NamedTuple

import altair as alt
from altair.utils.schemapi import debug_mode

FONT = "FS Sans, DejaVu Sans, sans-serif"
LABEL_SIZE = 11.5
PROJECTOR_SIZE = 15
TITLE_SIZE = 12
NARROW = 380
"""Width of the plot in pixels below which minor labels are left out."""


class Palette(NamedTuple):
    """Colours of one theme, named by what they mean."""

    ground: str
    ink: str
    muted: str
    rule: str
    grid: str
    decaying: str
    persistent: str
    marginal: str
    sector2: str
    sector3: str
    sector4: str
    last_sector: str
    certified: str
    certified_fill: str
    paper: str
    kept_fill: str
    undecided_fill: str
    changed_fill: str
    point: str
    point_ring: str


PALETTES = {
    "light": Palette(
        ground="#FFFFFF",
        ink="#1A1F26",
        muted="#59626E",
        rule="#D5DAE1",
        grid="#ECEFF2",
        decaying="#1B6CA8",
        persistent="#BF4A08",
        marginal="#4A2470",
        sector2="#083F3B",
        sector3="#14655F",
        sector4="#268279",
        last_sector="#46948C",
        certified="#19794A",
        certified_fill="#BFE2CF",
        paper="#B02A78",
        kept_fill="#E4F2EA",
        undecided_fill="#EEE7F5",
        changed_fill="#CDD1D8",
        point="#FFC61A",
        point_ring="#1A1F26",
    ),
    "dark": Palette(
        ground="#14171C",
        ink="#F4F6F9",
        muted="#A6AFBB",
        rule="#3A424D",
        grid="#252B33",
        decaying="#6CB4EC",
        persistent="#FF9A5A",
        marginal="#E6D3FF",
        sector2="#C2EDE7",
        sector3="#8FD5CB",
        sector4="#5DB9AE",
        last_sector="#429A90",
        certified="#5FD099",
        certified_fill="#1F553A",
        paper="#F27CB9",
        kept_fill="#1B352B",
        undecided_fill="#2B2440",
        changed_fill="#454B55",
        point="#FFC61A",
        point_ring="#14171C",
    ),
}

Spec = dict[str, Any]


class Templates(dict[str, Spec]):
    """Vega-Lite templates by theme, each made when it is first asked for."""

    def __init__(self, make: Callable[[str], Spec]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, theme: str) -> Spec:
        return self.setdefault(theme, self._make(theme))


def themed(
    build: Callable[[Palette], list[alt.Chart]], *, right: int = 12, left: int = 4, top: int = 6
) -> Templates:
    """Turn a figure's chart into one Vega-Lite template per theme.

    **Arguments:**

    - `build`: the layers of the chart, lowest first, drawn from named datasets in the colours it is given.
    - `right`, `left`, `top`: room around the plot for labels that reach beyond it, px.

    **Returns:** under "light" and "dark", specs that fill their container and hold no data. They are not
    checked against Vega-Lite's schema here, which takes seconds; a test does that.
    """
    padding = {"left": left, "right": right, "top": top, "bottom": 2}

    def make(theme: str) -> Spec:
        with debug_mode(False):
            return _template(build(PALETTES[theme]), PALETTES[theme], padding)

    return Templates(make)


def _template(layers: list[alt.Chart], palette: Palette, padding: dict[str, int]) -> Spec:
    chart = alt.layer(*layers).properties(width="container", height="container", padding=padding)
    spec = chart.to_dict(validate=False) | {"config": _config(palette), "background": palette.ground}
    return spec | {
        "autosize": {"type": "fit", "contains": "padding"},
        "usermeta": {"embedOptions": {"renderer": "canvas"}},  # a third faster to repaint than SVG
    }


def projected(spec: Spec) -> Spec:
    """Return a template with its type enlarged for a projector."""
    return _enlarged(spec, PROJECTOR_SIZE / LABEL_SIZE)


def _enlarged(part: Any, factor: float) -> Any:
    if isinstance(part, list):
        return [_enlarged(entry, factor) for entry in part]
    if not isinstance(part, dict):
        return part
    return {
        name: round(entry * factor, 1)
        if name.lower().endswith("fontsize") and isinstance(entry, int | float)
        else _enlarged(entry, factor)
        for name, entry in part.items()
    }


def _config(palette: Palette) -> Spec:
    return {
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": palette.muted,
            "labelFontSize": LABEL_SIZE,
            "titleColor": palette.muted,
            "titleFontSize": TITLE_SIZE,
            "titleFontWeight": 400,
            "titlePadding": 6,
            "domainColor": palette.rule,
            "tickColor": palette.rule,
            "tickSize": 4,
            "gridColor": palette.grid,
            "labelFlush": False,
        },
        "mark": {"tooltip": None},
        "text": {"fontSize": LABEL_SIZE, "color": palette.ink},
        "line": {"strokeCap": "round", "strokeJoin": "round"},
    }


def tone(palette: Palette) -> alt.Scale:
    """Scale from a colour's name in the palette to the colour, for a data column of such names."""
    return alt.Scale(domain=list(palette._fields), range=list(palette))
