"""Charts that can be clicked: a transparent grid over the plot, whose cells answer with their place."""

from functools import cache
from typing import Any

from figures.rows import Rows
from figures.theme import Spec

PICK, HITS = "pick", "hits"
"""Name of the selection, and of the dataset of one row that spans the grid."""

FIELDS = ["x", "y", "rev"]


def grid(x: tuple[float, float], y: tuple[float, float], columns: int, rows: int, count: int) -> Rows:
    """Span the grid by one row; the browser makes the cells of it.

    **Arguments:**

    - `x`, `y`: centres of the first and last cell.
    - `columns`, `rows`: number of cells, at least 1.
    - `count`: clicks so far: without it a second click on one cell would change nothing, and say nothing.
    """
    return Rows(
        left=[x[0]],
        right=[x[1]],
        bottom=[y[0]],
        top=[y[1]],
        columns=[float(columns)],
        rows=[float(rows)],
        rev=[float(count)],
    )


def clickable(spec: Spec) -> Spec:
    """Return a layered template with the grid on top and the selection `pick`."""
    return _clickable(_Kept(spec))


class _Kept:
    """A template as a key: equal only to itself."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and other.spec is self.spec


@cache
def _clickable(kept: _Kept) -> Spec:
    spec = kept.spec
    select = {"type": "point", "fields": FIELDS, "on": "click", "toggle": False, "clear": False}
    picked = {"name": PICK, "select": select | {"nearest": True}, "views": [HITS]}
    return spec | {"layer": [*spec["layer"], _hits(spec)], "params": [*spec.get("params", []), picked]}


def _hits(spec: Spec) -> Spec:
    """Lay invisible points over the axes the first layer sets."""
    position = spec["layer"][0]["encoding"]
    return {
        "name": HITS,
        "data": {"name": HITS},
        "transform": [
            {"calculate": "sequence(datum.columns * datum.rows)", "as": "cell"},
            {"flatten": ["cell"]},
            _centre("x", "datum.cell % datum.columns", "left", "right", "columns"),
            _centre("y", "floor(datum.cell / datum.columns)", "bottom", "top", "rows"),
        ],
        "mark": {"type": "point", "filled": True, "opacity": 0, "size": 30},
        "encoding": {"x": position["x"], "y": position["y"], "tooltip": {"value": None}},
    }


def _centre(axis: str, index: str, first: str, last: str, cells: str) -> dict[str, Any]:
    share = f"({index}) / max(datum.{cells} - 1, 1)"
    return {"calculate": f"datum.{first} + {share} * (datum.{last} - datum.{first})", "as": axis}
