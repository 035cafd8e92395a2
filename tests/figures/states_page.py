"""`python -m tests.figures.states_page OUT.html`: every special value as it is drawn and said, for review."""

import json
import sys
from html import escape
from pathlib import Path

import vl_convert

from figures import FIGURES
from figures.export_font import registered
from figures.export_paper import as_records
from figures.export_svg import VEGA_LITE
from presets.schema import Scenario
from tests.figures.scenarios import STATES
from tests.figures.test_states import SAID

STYLE = """body { font: 15px sans-serif; margin: 2rem; } section { margin-bottom: 2rem; }
figure { display: inline-block; margin: 0 1rem 0 0; padding: 0.5rem; border: 1px solid #d5dae1; }
figure.dark { background: #14171c; } p { margin: 0.2rem 0; }"""

SIZE = {"width": 440, "height": 240}


def drawn(slug: str, scenario: Scenario, theme: str) -> str:
    """Draw a figure as the page would, for a theme."""
    figure = FIGURES[slug]
    datasets = figure.datasets(figure.compute(scenario))
    spec = json.loads(json.dumps(figure.TEMPLATE[theme])) | SIZE
    spec["datasets"] = {name: as_records(rows) for name, rows in datasets.items()}
    return vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)


def section(state: str, slug: str, words: str) -> str:
    """Write one special value: its name, the words looked for, the caption, and both themes."""
    figure, scenario = FIGURES[slug], STATES[state]
    caption = figure.caption(figure.compute(scenario))
    pictures = "".join(
        f'<figure class="{theme}">{drawn(slug, scenario, theme)}</figure>' for theme in ("light", "dark")
    )
    return (
        f"<section><h2>{escape(state)} · {slug}</h2><p>{escape(caption)}</p>"
        f"<p><small>to be read here: {escape(words)}</small></p>{pictures}</section>"
    )


def main() -> None:
    """Write the page."""
    registered()
    body = "".join(section(*entry) for entry in SAID)
    page = f"<!doctype html><meta charset=utf-8><title>Special values</title><style>{STYLE}</style>{body}"
    Path(sys.argv[1]).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
