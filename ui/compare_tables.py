"""What differs between the compared scenarios: settings first, then every number of the report."""

import logging
from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from figures.comparison import LETTERS, Cell, Line, differing, name, numbers, sentence
from presets.schema import Scenario
from ui import header
from ui.follow import follows
from ui.session import session
from ui.words import indexed

CHANGES = "Small numbers are the change from A."


def compared(scenario: Scenario) -> list[Scenario]:
    """Return what is compared: a scenario, and the others beside it."""
    return [scenario, *session().view.others]


def headline() -> None:
    """Draw how many settings differ, and what was refused."""
    follows(_headline, st.empty().html)


def draw() -> None:
    """Draw the settings that differ and the numbers, once there is something to compare with."""
    if session().view.others:
        follows(_settings, st.container(key="settings-differ").html)
        follows(_numbers, st.container(key="numbers-differ").html)


def _headline(scenario: Scenario) -> str:
    scenarios = compared(scenario)
    text = sentence(differing(scenarios), scenarios)
    return header.boxed(f'<h1 class="verdict">{escape(text)}</h1>', header.remarks())


def _settings(scenario: Scenario) -> str:
    scenarios = compared(scenario)
    lines = differing(scenarios)
    if not lines:
        return "<p hidden></p>"
    return _table("Settings that differ", scenarios, [_row(line) for line in lines])


def _numbers(scenario: Scenario) -> str:
    scenarios = compared(scenario)
    try:
        groups = numbers(scenarios)
    except Exception:
        logging.getLogger(__name__).exception("the comparison failed")
        return (
            '<p class="refusal" role="status">One of these scenarios has numbers that cannot be computed.</p>'
        )
    rows: list[str] = []
    for group, lines in groups.items():
        span = len(scenarios) + 1
        rows.append(f'<tr class="group"><th colspan="{span}" scope="rowgroup">{escape(group)}</th></tr>')
        rows += map(_row, lines)
    return _table("Numbers", scenarios, rows, CHANGES)


def _table(title: str, scenarios: Sequence[Scenario], rows: Iterable[str], note: str = "") -> str:
    heads = "".join(
        f'<th scope="col"><b>{letter}</b> {escape(name(scenario))}</th>'
        for letter, scenario in zip(LETTERS, scenarios, strict=False)
    )
    said = f' <span class="note">{escape(note)}</span>' if note else ""
    return (
        f'<h2 class="question">{escape(title)}{said}</h2><div class="scroll" tabindex="0">'
        f'<table class="beside"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(line: Line) -> str:
    same = len({cell.text for cell in line.cells}) == 1
    kind = ' class="same"' if same else ""
    cells = "".join(map(_cell, line.cells))
    return f'<tr{kind}><th scope="row">{indexed(line.label)}</th>{cells}</tr>'


def _cell(cell: Cell) -> str:
    change = f" <small>{escape(cell.change)}</small>" if cell.change else ""
    return f"<td>{indexed(cell.text)}{change}</td>"
