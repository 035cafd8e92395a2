"""A board: panels in a grid, drawn together for one column of a paper, as a file that repeats it."""

import json
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from presets.field import Integer, Model, refusal
from presets.load import MADE_WITH, Refused, dump, opened_data, plain, stamped
from presets.map_axis import ANGLE
from presets.message import Complaint, complaints
from presets.schema import Scenario

FORMAT = 1
"""Number of this format."""

MOST_PANELS = 8
MOST_SCENARIOS = 4
MOST_COLUMNS = {"single": 1, "double": 3}
"""Panels that fit beside each other with legible labels, by the paper's column."""


class Panel(Model):
    """One panel: a figure by its name, and which of the board's scenarios it is drawn of, from 0."""

    figure: str = Field(max_length=60)
    scenario: Annotated[Integer, Field(ge=0, le=MOST_SCENARIOS - 1)] = 0


class Layout(Model):
    """Which panels stand in a board, in reading order, and how they are arranged."""

    width: Literal["single", "double"] = "double"
    columns: Annotated[Integer, Field(ge=1, le=3)] = 2
    panels: tuple[Panel, ...] = Field(min_length=1, max_length=MOST_PANELS)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        most = MOST_COLUMNS[self.width]
        if self.columns > most:
            raise refusal("columns", self.columns, f"a {self.width} column has room for {most}")
        return self


class Board(Layout):
    """A layout with its scenarios, and the second parameter of its gate maps."""

    map: Annotated[str, Field(max_length=60)] = ANGLE
    scenarios: tuple[Scenario, ...] = Field(min_length=1, max_length=MOST_SCENARIOS)

    @model_validator(mode="after")
    def _scenarios_exist(self) -> Self:
        last = max(panel.scenario for panel in self.panels)
        if last >= len(self.scenarios):
            reason = f"there are {len(self.scenarios)} scenarios, counted from 0"
            raise refusal("panels.scenario", last, reason)
        return self


class Opened(NamedTuple):
    """A board from a file, and a note for every setting of an earlier version that was read anew."""

    board: Board
    notes: list[Complaint]


def content(board: Board) -> dict[str, Any]:
    """Return a board as plain data, its scenarios complete."""
    return {
        "board": FORMAT,
        **board.model_dump(mode="json", exclude={"scenarios"}),
        "scenarios": [dump(scenario) for scenario in board.scenarios],
    }


def write(board: Board) -> str:
    """Write a board as its file."""
    return json.dumps(stamped(content(board)), ensure_ascii=False, indent=2) + "\n"


def read(text: str) -> Opened:
    """Read a board's file.

    **Raises:** `Refused`, naming every field that is wrong.
    """
    data = plain(text, "board")
    if not isinstance(data, dict) or "board" not in data:
        raise Refused.one("board", text[:20], "is no board's file; the builder writes one")
    number = data["board"]
    if number != FORMAT or isinstance(number, bool):
        raise Refused.one("board", str(number)[:60], f"is not a format of this version, which reads {FORMAT}")
    listed = data.get("scenarios")
    opened = (
        [opened_data(entry) for entry in listed[: MOST_SCENARIOS + 1]] if isinstance(listed, list) else []
    )
    rest = {key: entry for key, entry in data.items() if key not in ("board", "scenarios", MADE_WITH)}
    board = _validated(Board, {**rest, "scenarios": [found.scenario for found in opened]})
    return Opened(board, [note for found in opened for note in found.notes])


def layout_text(layout: Layout) -> str:
    """Write a layout for a link: `double,2,gate-map,sector-decay.1`."""
    panels = (panel.figure + (f".{panel.scenario}" if panel.scenario else "") for panel in layout.panels)
    return ",".join([layout.width, str(layout.columns), *panels])


def read_layout(text: str) -> Layout:
    """Read what `layout_text` wrote.

    **Raises:** `Refused`, naming what is wrong.
    """
    if text.count(",") < 2:
        reason = "must be a width, a number of columns and figures, like double,2,gate-map"
        raise Refused.one("board", text[:60], reason)
    width, _, rest = text.partition(",")
    columns, _, listed = rest.partition(",")
    panels = [_panel(entry) for entry in listed.split(",") if entry]
    return layout({"width": width, "columns": _whole(columns), "panels": panels})


def layout(data: Any) -> Layout:
    """Turn plain data into a layout.

    **Raises:** `Refused`, naming every field that is wrong.
    """
    return _validated(Layout, data)


def _panel(text: str) -> dict[str, Any]:
    figure, found, scenario = text.partition(".")
    return {"figure": figure, "scenario": _whole(scenario)} if found else {"figure": figure}


def _whole(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else text


def _validated(model: type[Any], data: Any) -> Any:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise Refused(complaints(error)) from None
