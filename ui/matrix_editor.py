"""A grid in which a small matrix is edited by hand, entry by entry."""

from typing import Any

import pandas as pd
import streamlit as st

from presets.field import About
from ui.session import put, session

WIDEST, MOST_ROWS = 6, 60
"""Largest matrices that are edited in a grid: columns, and rows over all layers."""


def fits(matrices: tuple[Any, ...]) -> bool:
    """Say whether matrices, one per layer, are small enough for a grid."""
    width = len(matrices[0])
    return width <= WIDEST and width * len(matrices) <= MOST_ROWS


def draw(about: About, path: str, matrices: tuple[Any, ...]) -> None:
    """Draw the grid of one matrix, or of one per layer below each other.

    A grid reports its edits against the table it was first given, so it keeps that table while the visitor
    edits; when the matrices came from elsewhere, a new grid takes its place.
    """
    current = tuple(tuple(row) for matrix in matrices for row in matrix)
    grids = session().grids
    start, turn = grids.get(path, (current, 0))
    if _edited(start, _edits(path, turn)) != current:
        start, turn = current, turn + 1
    grids[path] = start, turn
    st.data_editor(
        _table(start, len(matrices)),
        key=_key(path, turn),
        hide_index=len(matrices) == 1,
        on_change=_change,
        args=(path, len(matrices), start, turn),
    )
    st.caption(f"{about.label}: {about.help}")


def _table(rows: tuple[tuple[float, ...], ...], layers: int) -> pd.DataFrame:
    width = len(rows[0])
    table = pd.DataFrame(list(rows), columns=[str(column + 1) for column in range(width)], dtype=float)
    if layers > 1:
        table.index = pd.Index([f"ℓ={layer}" for layer in range(layers) for _ in range(width)])
    return table


def _key(path: str, turn: int) -> str:
    return f"{path}.grid#{turn}"


def _edits(path: str, turn: int) -> dict[int, dict[str, Any]]:
    return st.session_state.get(_key(path, turn), {}).get("edited_rows", {})


def _edited(rows: tuple[tuple[float, ...], ...], edits: dict[int, dict[str, Any]]) -> tuple[Any, ...]:
    changed = [list(row) for row in rows]
    for row, entries in edits.items():
        for column, entry in entries.items():
            changed[int(row)][int(column) - 1] = entry
    return tuple(tuple(row) for row in changed)


def _change(path: str, layers: int, start: tuple[tuple[float, ...], ...], turn: int) -> None:
    rows = _edited(start, _edits(path, turn))
    width = len(rows[0])
    matrices = [rows[first : first + width] for first in range(0, len(rows), width)]
    put({path: matrices[0] if layers == 1 else matrices})
