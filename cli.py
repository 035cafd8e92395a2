"""The explorer without a browser: reports, figures, schemas and presets on the command line."""

import argparse
import json
import sys
from pathlib import Path
from typing import NoReturn

from engine import device
from presets import board
from presets.load import LARGEST_TEXT, Refused, opened, preset, preset_names
from presets.map_axis import ANGLE
from presets.message import Complaint
from presets.report import report
from presets.report_schema import Report
from presets.schema import Scenario

REFUSED = 2
"""Exit code for input that cannot be used."""


class _OneLineParser(argparse.ArgumentParser):
    """A parser whose complaints take one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {message}\n")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    device.keep_compiled(str(Path(__file__).parent / ".jax-cache"))
    try:
        return chosen.run(chosen)
    except Refused as error:
        print(f"{parser.prog}: {error}".replace("\n", " "), file=sys.stderr)
        return REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = _OneLineParser(prog="cli.py", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    reporting = commands.add_parser("report", help="print every number of a scenario as JSON")
    reporting.add_argument("file", metavar="FILE", help="a scenario file, a preset's name, or - for stdin")
    reporting.set_defaults(run=_report)
    _add_figure(commands.add_parser("figure", help="draw a figure of a scenario into a file"))
    _add_board(commands.add_parser("board", help="draw several figures in a grid into one file"))
    figures = commands.add_parser("figures", help="list the figures, one name a line")
    figures.set_defaults(run=_figures)
    schema = commands.add_parser("schema", help="print the JSON Schemas of scenario and report")
    schema.set_defaults(run=_schema)
    presets = commands.add_parser("presets", help="list the presets, one name a line")
    presets.set_defaults(run=_presets)
    return parser


def _add_figure(drawing: argparse.ArgumentParser) -> None:
    drawing.add_argument("name", metavar="NAME", help="a figure's name, as `figures` lists them")
    drawing.add_argument("file", metavar="FILE", help="a scenario file, a preset's name, or - for stdin")
    drawing.add_argument(
        *("-o", "--output"),
        metavar="OUT",
        required=True,
        help="file to write: .svg, .pdf, .png, .csv (its table), .json (the settings), .tex (a LaTeX "
        "figure with its caption) or .py (lines that repeat it)",
    )
    widths = "column it is drawn for: single (3.3 in) or double (6.9 in)"
    drawing.add_argument("--width", choices=("single", "double"), default="single", help=widths)
    drawing.add_argument("--dpi", type=int, default=300, help="dots per inch of a .png (300)")
    over = "second parameter of gate-map: angle, gain, refresh, or one of the family's, as a link names it"
    drawing.add_argument("--over", metavar="NAME", default=ANGLE, help=f"{over} ({ANGLE})")
    drawing.set_defaults(run=_figure)


def _figure(chosen: argparse.Namespace) -> int:
    from figures import FIGURES, on_demand
    from figures.export import exported  # what draws is loaded only to draw

    scenario, output = _scenario(chosen.file), Path(chosen.output)
    demand = on_demand(chosen.name) if chosen.name in FIGURES else None
    if demand is not None:
        demand.in_full(scenario)
    kind = output.suffix.lstrip(".").lower()
    content = exported(chosen.name, scenario, kind, chosen.width, chosen.dpi, over=chosen.over)
    return _written(output, content)


def _add_board(drawing: argparse.ArgumentParser) -> None:
    drawing.add_argument("file", metavar="FILE", help="a board's file, as the Builder page writes it, or -")
    drawing.add_argument(
        *("-o", "--out", "--output"),
        metavar="OUT",
        dest="output",
        required=True,
        help="file to write: .svg, .pdf, .png or .json (the board itself)",
    )
    drawing.add_argument("--dpi", type=int, default=300, help="dots per inch of a .png (300)")
    drawing.set_defaults(run=_board)


def _board(chosen: argparse.Namespace) -> int:
    from figures.board import exported  # what draws is loaded only to draw

    found = board.read(_text(chosen.file))
    _say(found.notes)
    output = Path(chosen.output)
    return _written(output, exported(found.board, output.suffix.lstrip(".").lower(), chosen.dpi))


def _written(output: Path, content: bytes) -> int:
    try:
        output.write_bytes(content)
    except OSError as error:
        raise Refused.one("output", str(output), f"cannot be written: {error.strerror}") from None
    return 0


def _figures(_chosen: argparse.Namespace) -> int:
    from figures import FIGURES

    print("\n".join(FIGURES))
    return 0


def _report(chosen: argparse.Namespace) -> int:
    content = report(_scenario(chosen.file)).model_dump(mode="json", by_alias=True)
    print(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False))
    return 0


def _schema(_chosen: argparse.Namespace) -> int:
    schemas = {
        "scenario": Scenario.model_json_schema(by_alias=True),
        "report": Report.model_json_schema(by_alias=True, mode="serialization"),
    }
    print(json.dumps(schemas, ensure_ascii=False, indent=2))
    return 0


def _presets(_chosen: argparse.Namespace) -> int:
    print("\n".join(preset_names()))
    return 0


def _scenario(source: str) -> Scenario:
    """Read a scenario from standard input, a file, or a preset's name."""
    if source in preset_names():
        return preset(source)
    found = opened(_text(source))
    _say(found.notes)
    return found.scenario


def _say(notes: list[Complaint]) -> None:
    """Say on standard error what of a file of an earlier version was read anew."""
    for note in notes:
        print(f"cli.py: {note.path} = {note.value}: {note.reason}".replace("\n", " "), file=sys.stderr)


def _text(source: str) -> str:
    try:
        if source == "-":
            return sys.stdin.buffer.read(LARGEST_TEXT + 1).decode("utf-8-sig")
        with Path(source).open("rb") as stream:
            return stream.read(LARGEST_TEXT + 1).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused.one("scenario", source, "must be UTF-8 text") from None
    except OSError as error:
        reason = f"cannot be read: {error.strerror}; the presets are {', '.join(preset_names())}"
        raise Refused.one("scenario", source, reason) from None


if __name__ == "__main__":
    sys.exit(main())
