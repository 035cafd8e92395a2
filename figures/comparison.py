"""Scenarios side by side: the settings in which they differ, and how each of their numbers differs."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from figures import comparison_numbers
from figures.comparison_numbers import Quantity
from figures.number import MINUS, count, significant
from figures.rows import Rows
from figures.setting import Setting, settings
from presets.load import preset, preset_names
from presets.report import report
from presets.report_schema import Report
from presets.schema import Scenario

LETTERS = "ABCD"
ROUND_OFF = 1e-9
"""Relative difference below which two numbers are the same."""

NO_SETTING = "–"
"""Written where a scenario has no such setting, as its family or gate is of another kind."""


class Cell(NamedTuple):
    """What one scenario has, and how that differs from the first: a signed number, or nothing."""

    text: str
    change: str = ""


class Line(NamedTuple):
    """One setting or number of every scenario: its name, and a cell for each."""

    label: str
    cells: tuple[Cell, ...]


def name(scenario: Scenario) -> str:
    """Call a scenario by its title, and say whether it has left the preset of that title."""
    same = [preset(slug) for slug in preset_names() if preset(slug).title == scenario.title]
    changed = bool(same) and scenario not in same
    return (scenario.title or "Untitled") + (", modified" if changed else "")


def differing(scenarios: Sequence[Scenario]) -> list[Line]:
    """List the settings in which scenarios differ, and only those, in the order of the schema."""
    found = [{entry.path: entry for entry in settings(scenario)} for scenario in scenarios]
    paths = dict.fromkeys(path for own in found for path in own)
    rows = ([own.get(path) for own in found] for path in paths)
    return [_setting(row) for row in rows if any(_value(entry) != _value(row[0]) for entry in row)]


def numbers(scenarios: Sequence[Scenario]) -> dict[str, list[Line]]:
    """Write the numbers of every scenario's report by group, each beside its change from the first."""
    reports = [report(scenario) for scenario in scenarios]
    return {
        group: [Line(entry.label, _cells(entry, reports)) for entry in entries]
        for group, entries in comparison_numbers.GROUPS.items()
    }


def sentence(lines: Sequence[Line], scenarios: Sequence[Scenario]) -> str:
    """Say in how many settings scenarios differ."""
    if len(scenarios) == 1:
        return "Choose a second scenario to compare with."
    which = f"{', '.join(LETTERS[: len(scenarios) - 1])} and {LETTERS[len(scenarios) - 1]}"
    if not lines:
        return f"{which} agree in every setting."
    return f"{which} differ in {count(len(lines))} setting{'' if len(lines) == 1 else 's'}."


def same_axes(datasets: Sequence[dict[str, Rows]], own: Sequence[str] = ()) -> list[dict[str, Rows]]:
    """Give the charts of one figure the axes that hold them all; each keeps its `own` ones."""
    ends = {axis: [rows["dom"][axis].tolist() for rows in datasets] for axis in ("x", "y")}
    shared = {axis: _union(pairs) for axis, pairs in ends.items() if axis not in own}
    return [rows | {"dom": rows["dom"].having(**shared)} for rows in datasets]


def _union(pairs: Sequence[Sequence[float]]) -> list[float]:
    """Return the widest ends, in the direction the first axis runs."""
    lower, upper = min(map(min, pairs)), max(map(max, pairs))
    return [lower, upper] if pairs[0][0] <= pairs[0][1] else [upper, lower]


def _value(entry: Setting | None) -> object:
    return NO_SETTING if entry is None else entry.value


def _setting(row: Sequence[Setting | None]) -> Line:
    """Write one setting; of values too long to be written out, say at least that they differ."""
    texts = [NO_SETTING if entry is None else entry.text for entry in row]
    label = next(entry.label for entry in row if entry is not None)
    alike = [
        place > 0 and text == texts[0] and _value(entry) != _value(row[0])
        for place, (text, entry) in enumerate(zip(texts, row, strict=True))
    ]
    return Line(
        label,
        tuple(
            Cell(f"{text}, other than A" if other else text) for text, other in zip(texts, alike, strict=True)
        ),
    )


def _cells(quantity: Quantity, reports: Sequence[Report]) -> tuple[Cell, ...]:
    first = quantity.read(reports[0])
    return tuple(_cell(quantity, found, first) for found in reports)


def _cell(quantity: Quantity, found: Report, first: float | str | None) -> Cell:
    value = quantity.read(found)
    if value is None:
        return Cell(quantity.missing(found))
    if isinstance(value, str):
        return Cell(value)
    return Cell(quantity.write(value), _change(value, first))


def _change(value: float, first: float | str | None) -> str:
    """Write the difference of two finite numbers, with its sign; nothing where they agree up to round-off."""
    if first is None or isinstance(first, str) or not math.isfinite(value) or not math.isfinite(first):
        return ""
    size = abs(value - first)
    if size <= ROUND_OFF * max(abs(value), abs(first)):
        return ""
    whole = isinstance(value, int) and isinstance(first, int)
    return ("+" if value > first else MINUS) + (str(size) if whole else significant(size))
