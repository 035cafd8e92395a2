"""Words on the ladder of gate limits: every limit behind its mark, and the current ϱ."""

import math

from figures.label import LETTER, Label
from figures.ladder_rungs import RUNGS, SMALLEST, TONES, TOP, TRUE, Tables, kinds_of, searched
from figures.number import rate, typed
from figures.phrase import crossing

_WORDS = {"certified": "certified", "proved": "certified: A7 holds", "estimate": "estimate"}


def labels(tables: Tables, ends: tuple[float, float]) -> list[Label]:
    """Write all words, between the ends of the axis."""
    size = abs(tables.amplitude)
    here = math.log10(size) if size > 0 else -math.inf
    found = [_amplitude_label(tables.amplitude, here, ends)]
    for rung, (value, kind) in enumerate(zip(tables.values, kinds_of(tables), strict=True)):
        if value is None:
            found += _absence(tables, rung, ends)
        else:
            word = _WORDS.get(kind) or _crossing(tables, rung)
            found += _value_labels(tables, rung, value, word, ends)
    return found


def _value_labels(
    tables: Tables, rung: int, value: float, word: str, ends: tuple[float, float]
) -> list[Label]:
    """Write a limit behind its mark: the number, and on wide plots what it is."""
    tone = TONES[kinds_of(tables)[rung]]
    if math.isinf(value):
        far = searched(tables.limit) if rung in TRUE else ""
        return [Label(ends[1], rung, f"none{far or ' (∞)'} ▸", tone, "right", dx=-4, dy=-9)]
    text = rate(value, "down") if value > 0 else "0"
    place = math.log10(value) if value > SMALLEST else ends[0]
    bold = rung in TRUE or (tables.best is not None and RUNGS.index(tables.best.name) == rung)
    number = Label(place, rung, text, tone, dx=9, bold=bold)
    return [number, Label(place, rung, word, tone, dx=15 + LETTER * len(text), minor=True)]


def _absence(tables: Tables, rung: int, ends: tuple[float, float]) -> list[Label]:
    """Say why a rung has no number."""
    if tables.best is None:
        return [Label(ends[0], rung, "no split", "muted", dx=8)] if rung not in TRUE else []
    words = tables.missing if rung not in TRUE else "u* is too long to follow here"
    return [Label(ends[0], rung, words, "muted", dx=8)]


def _crossing(tables: Tables, rung: int) -> str:
    limit = tables.limit
    kind = limit.negative_crossing if rung == TRUE[0] else limit.positive_crossing
    return "no split" if tables.best is None else crossing(kind, limit.resolution)


def _amplitude_label(amplitude: float, here: float, ends: tuple[float, float]) -> Label:
    """Name the current ϱ beside its ring."""
    text = f"ϱ = {typed(amplitude)}"
    if here < ends[0]:
        return Label(ends[0], TOP / 2, f"◂ {text}", dx=12, bold=True)
    if here > (ends[0] + ends[1]) / 2:
        mark = " ▸" if here > ends[1] else ""
        return Label(min(here, ends[1]), TOP / 2, f"{text}{mark}", align="right", dx=-12, bold=True)
    return Label(here, TOP / 2, text, dx=12, bold=True)
