"""What a panel shows of a figure, remembered by the part of the scenario the figure depends on."""

from threading import Condition
from typing import Any, NamedTuple

from cachetools import LRUCache, cached

from figures import FIGURES, depends_on, on_demand
from figures.rows import Rows
from presets.remember import part
from presets.schema import Scenario

KEPT = 64
"""Pictures kept over all figures and visitors; the least recently used goes first."""


class Picture(NamedTuple):
    """A figure's caption, the datasets of its chart, and the tables it was made from."""

    caption: str
    datasets: dict[str, Rows]
    tables: Any


def picture(slug: str, scenario: Scenario, *further: str) -> Picture:
    """Compute a figure, told `further` things besides the scenario, or return it as remembered."""
    fields, demand = depends_on(slug), on_demand(slug)
    is_missing = demand is not None and demand.is_offered(scenario)
    return _picture(slug, scenario if fields is None else part(scenario, fields), is_missing, *further)


@cached(LRUCache(maxsize=KEPT), condition=Condition())
def _picture(slug: str, scenario: Scenario, _is_missing: bool, *further: str) -> Picture:
    """Compute a picture; one that misses a heavy quantity is another than the one that has it."""
    figure = FIGURES[slug]
    tables = figure.compute(scenario, *further)
    return Picture(figure.caption(tables), figure.datasets(tables), tables)
