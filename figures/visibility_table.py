"""When fast changes stay hidden: the order at which they are seen, injection by injection."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from engine.partition_table import Kind, Row
from engine.visibility import Loop, Response
from figures import visibility_words
from figures.label import Label, label_rows
from figures.log_log import Plot, message
from figures.mark import Axes
from figures.number import from_log10
from figures.phrase import fitting
from figures.read_me import ReadMe
from figures.rows import Rows
from figures.theme import Palette, themed
from figures.visibility_partition import seen
from presets.schema import Scenario
from presets.visibility_quantities import TABLE_SIZES, State
from presets.visibility_quantities import table as partition_table

QUESTION = "When do fast changes stay hidden?"

OWN_AXES = ("y",)
"""Axes that mean something else in every scenario, so that none is shared with another's chart."""

NAMES: dict[Kind, str] = {
    "constant": "ψ = b",
    "commuting": "ψ = ‖W‖u + b",
    "saturating": "ψ = tanh(Wu + b)",
    "respecting-cross": "ψ keeps the split apart, D²ψ does not",
    "respecting": "ψ keeps the split apart",
}
"""The injections as the picture names them, top to bottom."""

COLUMNS = ("exactly zero", "second order", "first order")
"""Orders from left to right: hidden, almost hidden, seen."""

PLOT = Plot(left=-0.12, right=2.72, floor=len(NAMES) - 0.5, top=-1.1)
"""Column n stands at x = n, row n at y = n, counted downwards; remarks below take further room."""

HEADER, FOOTER = -0.86, len(NAMES) - 0.3
LINE = 0.4
"""Height of a remark, in rows."""

NAME_ABOVE = 0.4
"""How far above its line the name of a row stands, in rows."""

LOOPS: dict[Loop, str] = {"open": "open", "closed": "closed"}


class Tables(NamedTuple):
    """The partition table, and what is said about it.

    **Fields:**

    - `state`: there are no rows unless it is ok.
    - `rows`: responses to fast and slow changes, by injection and projectors.
    - `absence`: why there is nothing to draw.
    - `remarks`: what was taken instead of the scenario's own settings.
    """

    state: State
    rows: tuple[Row, ...]
    absence: str
    remarks: list[str]


def compute(scenario: Scenario) -> Tables:
    """Collect the rows of the partition table."""
    found = partition_table(scenario)
    ok = found.state == "ok"
    return Tables(
        state=found.state,
        rows=found.rows,
        absence="" if ok else visibility_words.absence(found.state, scenario),
        remarks=visibility_words.solution_remarks(scenario, found.layers, lent=found.lent) if ok else [],
    )


def _layers(palette: Palette) -> list[alt.Chart]:
    axes = Axes(None, None, reverse_y=True)
    tips = {"injection": "injection", "projectors": "projectors", "order": "fast changes", "size": "shift"}
    return [
        axes.domain(),
        axes.plumb("columns", palette.grid, strokeWidth=1.4),
        axes.level("rules", palette.grid, strokeWidth=1),
        axes.dot("closed", palette, size=46),
        axes.dot("open", palette, size=110, filled=False, strokeWidth=1.8),
        axes.hover("hover", **tips),
        *axes.labels(palette),
    ]


TEMPLATE = themed(_layers)

_COLUMNS = Rows(x=[0.0, 1.0, 2.0])
_RULES = Rows(y=[float(row) for row in range(len(NAMES))])


def datasets(tables: Tables) -> dict[str, Rows]:
    """Place a mark in the column of every row's order."""
    places = {loop: _places(tables, loop) for loop in LOOPS}
    dots = {
        loop: Rows(x=[x for x, _ in found], y=[y for _, y in found], tone=np.full(len(found), "ink", object))
        for loop, found in places.items()
    }
    return {
        "dom": Rows(x=[PLOT.left, PLOT.right], y=[PLOT.top, PLOT.floor + LINE * len(_footers(tables))]),
        "columns": _COLUMNS if tables.rows else Rows(x=[]),
        "rules": _RULES if tables.rows else Rows(y=[]),
        **dots,
        "hover": _hover(tables),
        "labels": label_rows(_labels(tables)),
    }


def table(tables: Tables) -> pd.DataFrame:
    """Return one row per injection and projectors."""
    if not tables.rows:
        return pd.DataFrame({"why there is nothing": [tables.absence]})
    return pd.DataFrame(
        [
            {
                "injection": NAMES[row.injection],
                "projectors": row.projectors,
                "fast changes": _word(row.fast),
                "slope, fast": None if row.fast is None else row.fast.persistent_order.slope,
                "slow changes": _word(row.slow),
                "slope, slow": None if row.slow is None else row.slow.persistent_order.slope,
                f"shift at η = {TABLE_SIZES[-1]:g}, fast": _size(row.fast),
                f"shift at η = {TABLE_SIZES[-1]:g}, slow": _size(row.slow),
            }
            for row in tables.rows
        ]
    )


def caption(tables: Tables) -> str:
    """Compare the projectors of the open and of the closed loop."""
    if not tables.rows:
        return tables.absence
    words = {(row.injection, row.projectors): _word(row.fast) for row in tables.rows}
    opened = sum(
        words[row.injection, "open"] == "first order" for row in tables.rows if row.projectors == "open"
    )
    closed = [_word(row.fast) for row in tables.rows if row.projectors == "closed"]
    count = f"Open-loop P₊ sees {opened} of {len(NAMES)} at first order"
    if "not found" in closed:
        return f"{count}; here some ψ keep no closed-loop split."
    if "first order" in closed:
        return f"{count}, and so does the closed loop’s in one."
    return fitting(f"{count}; closed-loop P₊ sees none of them.", f"{count}.")


READ_ME = ReadMe(
    formula=(
        r"P_+(\ell+1)\,D\psi=D\psi\,P_+(\ell)\qquad"
        r"\psi_\ell(u)=\bigl(P_+(\ell+1)WP_+(\ell)+P_-(\ell+1)WP_-(\ell)\bigr)u+b"
    ),
    statement=(
        "Theorem 7 needs ψ to keep the split apart (A7). With projectors at the same depth that is not "
        "enough once the split turns: ψ = ‖W‖u + b commutes with every one of them, and fast changes are "
        "still seen. The projectors of the closed loop B + ϱDψ(u*) need no A7: fast changes are then zero "
        "for an affine ψ and of second order at most for any other."
    ),
    reading=(
        "Each row is one injection, built from this scenario’s W, b and ϱ. Ring: projectors of the open "
        "loop. Dot: those of the closed loop. The number is the slope of the response between "
        f"η = {TABLE_SIZES[0]:g} and {TABLE_SIZES[-1]:g}. Slow changes are in the table."
    ),
)


def _word(found: Response | None) -> str:
    return "not found" if found is None else seen(found.persistent_order)


def _size(found: Response | None) -> float | None:
    return None if found is None else float(found.persistent[-1])


def _places(tables: Tables, loop: Loop) -> list[tuple[float, float]]:
    """Columns and rows of the marks of one loop."""
    height = {name: float(row) for row, name in enumerate(NAMES)}
    return [
        (float(COLUMNS.index(_word(row.fast))), height[row.injection])
        for row in tables.rows
        if row.projectors == loop and _word(row.fast) in COLUMNS
    ]


def _hover(tables: Tables) -> Rows:
    shown = [row for row in tables.rows if _word(row.fast) in COLUMNS]
    height = {name: float(row) for row, name in enumerate(NAMES)}
    sizes = [float(row.fast.persistent[-1]) for row in shown if row.fast is not None]
    told = {
        "injection": [NAMES[row.injection] for row in shown],
        "projectors": [f"{row.projectors} loop" for row in shown],
        "order": [_word(row.fast) for row in shown],
        "size": [from_log10(float(np.log10(size))) if size > 0 else "0" for size in sizes],
    }
    return Rows(
        x=[float(COLUMNS.index(_word(row.fast))) for row in shown],
        y=[height[row.injection] for row in shown],
        **{name: np.array(words, dtype=object) for name, words in told.items()},
    )


def _labels(tables: Tables) -> list[Label]:
    if not tables.rows:
        return [message(visibility_words.SHORT[tables.state], PLOT)]
    heads = [
        Label(
            float(place),
            HEADER,
            text,
            "muted",
            "left" if place == 0 else "center",
            dx=-6 if place == 0 else 0,
        )
        for place, text in enumerate(COLUMNS)
    ]
    rows = [Label(0.0, row - NAME_ABOVE, name, dx=-6, bold=True) for row, name in enumerate(NAMES.values())]
    marks = [label for row, kind in enumerate(NAMES) for label in _mark_labels(tables, kind, float(row))]
    feet = [
        Label(0.0, FOOTER + LINE * row, text, "muted", dx=-6) for row, text in enumerate(_footers(tables))
    ]
    return [*heads, *rows, *marks, *feet]


def _mark_labels(tables: Tables, kind: Kind, height: float) -> list[Label]:
    """Name the marks of one injection by their loops; those in one column share a name."""
    found: dict[str, list[tuple[Loop, Response | None]]] = {}
    for row in tables.rows:
        if row.injection == kind:
            found.setdefault(_word(row.fast), []).append((row.projectors, row.fast))
    labels = []
    for word, entries in found.items():
        names = " and ".join(LOOPS[loop] for loop, _ in entries)
        slopes = [response.persistent_order.slope for _, response in entries if response is not None]
        number = "" if None in slopes or len(slopes) != 1 else f" {slopes[0]:.2f}"
        if word in COLUMNS:
            labels.append(Label(float(COLUMNS.index(word)), height, f"{names}{number}", dx=11))
        else:
            labels.append(Label(PLOT.right, height, f"{names}: not found", "muted", "right", dx=-4))
    return labels


def _footers(tables: Tables) -> list[str]:
    slow = {_word(row.slow) for row in tables.rows if row.slow is not None}
    said = ["slow changes: first order in every row"] if slow == {"first order"} else []
    return [*said, *tables.remarks]
