"""A few lines of Python that repeat a figure."""

import json
from collections.abc import Mapping

from figures import further
from figures.export_paper import called, stem
from figures.export_stamp import PROGRAM, settings
from presets import link
from presets.named import nearest
from presets.schema import Scenario

LONGEST_TEXT = 6000
"""Longest settings, in characters, that are written out in full."""

_LINES = '''"""{program}: run in the project's folder with .venv/bin/python."""

from pathlib import Path

from figures import FIGURES
from figures.export import exported
{scenario}
figure = FIGURES["{slug}"]
tables = figure.compute(scenario{told})
print(figure.caption(tables))
print(figure.table(tables))
Path("{stem}.pdf").write_bytes(exported("{slug}", scenario, "pdf", "{width}"{named}))
'''


def snippet(slug: str, scenario: Scenario, width: str, over: str) -> str:
    """Write the lines that compute a figure of a scenario again, print its table and draw it."""
    told = further(slug, over)
    names = {
        "slug": slug,
        "stem": stem(called(slug, over), width),
        "width": width,
        "told": "".join(f', "{name}"' for name in told),
        "named": "".join(f', over="{name}"' for name in told),
    }
    return _LINES.format(program=PROGRAM, scenario=_scenario(slug, scenario), **names)


def _scenario(slug: str, scenario: Scenario) -> str:
    """Name a scenario by its differences from the nearest preset, else write it out, else open its file."""
    shortest = nearest(scenario)
    if "family" not in shortest and link.read(shortest).scenario == scenario:
        return f"from presets.link import read\n\nscenario = read({_written(shortest)}).scenario"
    text = settings(scenario)
    if len(text) <= LONGEST_TEXT:
        return f'from presets.load import parse\n\nscenario = parse(r"""\n{text}""")'
    opened = f'parse(Path("{slug}.json").read_text(encoding="utf-8"))'
    return f"from presets.load import parse\n\nscenario = {opened}  # the settings file"


def _written(parameters: Mapping[str, str]) -> str:
    entries = [f"{_quoted(key)}: {_quoted(text)}" for key, text in parameters.items()]
    return f"{{{entries[0]}}}" if len(entries) == 1 else "{\n    " + ",\n    ".join(entries) + ",\n}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
