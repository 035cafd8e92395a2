"""What a panel shows of a figure, remembered by the part of the scenario the figure depends on."""

from threading import Condition
from typing import Any, NamedTuple

from cachetools import LRUCache, cached

from figures import FIGURES
from figures.rows import Rows
from presets.quantities import TOKENS
from presets.remember import part
from presets.schema import Scenario

KEPT = 64
"""Pictures kept over all figures and visitors; the least recently used goes first."""

DEPENDS_ON = {
    "sector-decay": (*TOKENS, "window"),
    "saturation-depth": (*TOKENS, "window", "tolerance"),
}
"""Open-loop figures and the settings they depend on; the others depend on every setting, ϱ too."""


class Picture(NamedTuple):
    """A figure's caption, the datasets of its chart, and the tables it was made from."""

    caption: str
    datasets: dict[str, Rows]
    tables: Any


def picture(slug: str, scenario: Scenario) -> Picture:
    """Compute a figure, or return it as remembered."""
    fields = DEPENDS_ON.get(slug)
    return _picture(slug, scenario if fields is None else part(scenario, fields))


@cached(LRUCache(maxsize=KEPT), condition=Condition())
def _picture(slug: str, scenario: Scenario) -> Picture:
    figure = FIGURES[slug]
    tables = figure.compute(scenario)
    return Picture(figure.caption(tables), figure.datasets(tables), tables)
