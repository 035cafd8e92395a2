"""The Gate page without a browser: its panels, its own verdict, and what follows ϱ."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from figures import FIGURES, PAGES
from ui.session import Session

Start = Callable[..., AppTest]
SessionOf = Callable[[AppTest], Session]
FAILED = "could not be"


def words(app: AppTest) -> str:
    return " ".join(entry.proto.body for kind in ("html", "markdown") for entry in app.get(kind))


def on_gate(start: Start, **parameters: str) -> AppTest:
    return start(**parameters).switch_page("pages/gate.py").run()


def charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart"))


def slider(app: AppTest, label: str) -> Any:
    return next(entry for entry in app.slider if entry.label.startswith(label))


def test_the_page_answers_its_six_questions(start: Start) -> None:
    app = on_gate(start, preset="tied-saddle")
    assert not app.exception
    assert FAILED not in words(app)
    for slug in PAGES["gate"]:
        assert FIGURES[slug].QUESTION in words(app)
    assert charts(app) == len(PAGES["gate"])
    assert "ϱ = 0.1 is certified: the limit is 0.170 by the ℓ² radius" in words(app)
    assert "gain may rise to" in words(app)


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        ("estimate-above-truth", "ϱ = −0.1 is beyond the true limit (−0.085, static)."),
        ("window-too-short", "There is no certified split at H = 8"),
        ("looped-loop", "is certified: the limit is 0.100"),
    ],
)
def test_the_verdict_sets_the_amplitude_against_both_limits(start: Start, preset: str, said: str) -> None:
    app = on_gate(start, preset=preset)
    assert not app.exception
    assert FAILED not in words(app)
    assert said in words(app)


def test_the_page_follows_the_amplitude(start: Start, session_of: SessionOf) -> None:
    app = on_gate(start, preset="tied-saddle")
    slider(app, "Gate amplitude").set_value(0.3).run()
    assert session_of(app).scenario.gate.amplitude == 0.3
    said = (
        "ϱ = 0.3 is 1.8 times the best certificate (0.170) and 15.2% of the true limit on its side (1.979)."
    )
    assert said in words(app)
    assert not app.exception


def test_every_refresh_and_wiring_has_its_words(start: Start) -> None:
    app = on_gate(start, preset="tied-saddle", depth="12")
    topology = next(box for box in app.selectbox if box.label == "Topology")
    for option in ("ring", "cascade", "self"):
        topology.set_value(option).run()
        assert not app.exception
        assert FAILED not in words(app)
        topology = next(box for box in app.selectbox if box.label == "Topology")
    held = on_gate(start, preset="tied-saddle", **{"gate.refresh_period": "null"})
    assert not held.exception
    assert "no loop closes" in words(held)


def test_a7_stands_among_the_chips(start: Start) -> None:
    fails = words(on_gate(start, preset="estimate-above-truth"))
    assert "<b>A7</b> ✗ defect = 4.000" in fails
    assert "<b>A7</b> ✓ defect = 0.000" in words(on_gate(start, preset="looped-loop"))
