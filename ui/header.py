"""The rows above the panels: verdict, what was refused, key numbers, assumptions."""

import logging
from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from figures.verdict import Metric, metrics, verdict
from presets import naive, quantities
from presets.assumptions import Assumption, assumptions
from presets.schema import Scenario
from ui.follow import follows
from ui.session import session
from ui.words import indexed

_GLYPHS = {"holds": "✓", "fails": "✗"}
_WORDS = {"not-applicable": "n.a.", "hypothesis": "hypothesis", "undecided": "undecided"}
_VALUES = {"A1": "a", "A4": "margin", "A5": "r_f × growth", "A7": "defect"}

Verdict = Callable[[Scenario], str]
Metrics = Callable[[Scenario], list[Metric]]


def draw(own_verdict: Verdict | None = None, own_metrics: Metrics | None = None) -> None:
    """Draw verdict, refusals, metrics and assumption chips; they follow ϱ.

    A page that looks at one part of the scenario brings its own verdict and metrics.
    """
    follows(partial(_rows, own_verdict, own_metrics), st.empty().html)


def refusals() -> None:
    """Draw only what was refused, for pages without a verdict."""
    follows(lambda _: remarks() or "<p hidden></p>", st.empty().html)


def _rows(own_verdict: Verdict | None, own_metrics: Metrics | None, scenario: Scenario) -> str:
    try:
        said = _verdict((own_verdict or verdict)(scenario))
        numbers = _metrics((own_metrics or metrics)(scenario))
        return boxed(said, remarks(), _naive(scenario), numbers, _chips(scenario))
    except Exception:
        logging.getLogger(__name__).exception("the header failed")
        said = "These settings could not be summed up: move the last one back, or reset the preset."
        return boxed(_line("verdict", said), remarks())


def boxed(*rows: str) -> str:
    """Hold the rows above the panels together."""
    return f'<div class="header">{"".join(rows)}</div>'


def _verdict(text: str) -> str:
    return f'<h1 class="verdict">{escape(text)}</h1>'


def _naive(scenario: Scenario) -> str:
    """Set the naive numbers beside the truth where they contradict it."""
    found, spectrum = naive.naive(scenario), quantities.spectrum(scenario)
    return (
        f'<p class="naive">{escape(naive.sentence(found, spectrum))}</p>'
        if naive.misleads(found, spectrum)
        else ""
    )


def remarks() -> str:
    """Write what was refused, or read otherwise than written, one line each."""
    return "".join(
        _line(
            "note" if found.is_note else "refusal",
            f"<b>{escape(found.path)}</b> = {escape(found.value)}: {escape(found.reason)}.",
        )
        for found in session().complaints
    )


def _line(kind: str, text: str) -> str:
    return f'<p class="{kind}" role="status">{text}</p>'


def _metrics(entries: list[Metric]) -> str:
    return f'<dl class="metrics">{"".join(map(_metric, entries))}</dl>'


def _metric(entry: Metric) -> str:
    value = f"<b>{escape(entry.value)}</b> <span>{indexed(entry.unit)}</span>"
    return f"<div><dt>{indexed(entry.label)}</dt><dd>{value}</dd></div>"


def _chips(scenario: Scenario) -> str:
    chips = "".join(map(_chip, assumptions(scenario)))
    return f'<div class="chips" tabindex="0"><span>Assumptions</span>{chips}</div>'


def _chip(entry: Assumption) -> str:
    value = entry.status if entry.value is None else f"{_VALUES[entry.name]} = {entry.value:.3f}"
    said = _WORDS.get(entry.status) or f"{_GLYPHS[entry.status]} {value}"
    text = f"<b>{entry.name}</b> {indexed(said)}"
    return f'<span class="chip {entry.status}" title="{escape(entry.text)}">{text}</span>'
