"""What a figure says in words."""

from figures import FIGURES
from presets.schema import Scenario


def said(slug: str, scenario: Scenario) -> list[str]:
    """Return a figure's caption and the labels on its chart."""
    figure = FIGURES[slug]
    tables = figure.compute(scenario)
    return [figure.caption(tables), *figure.datasets(tables)["labels"]["text"]]
