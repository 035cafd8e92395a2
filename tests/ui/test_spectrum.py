"""The Spectrum page without a browser: every preset, its controls, and what does not follow ϱ."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from figures import FIGURES, PAGES, depends_on
from presets.load import preset, preset_names
from tests.ui.test_shell import FAILED, SessionOf, menu, slider, words

Start = Callable[..., AppTest]


@pytest.fixture
def open_page(start: Start) -> Start:
    def open_page(**parameters: str) -> AppTest:
        return start(**parameters).switch_page("pages/spectrum.py").run()

    return open_page


def test_every_question_is_asked(open_page: Start, session_of: SessionOf) -> None:
    app = open_page(preset="tied-saddle", depth="12")
    assert not app.exception
    for slug in PAGES["spectrum"]:
        assert FIGURES[slug].QUESTION in words(app)
    assert "persist" in words(app)
    assert session_of(app).scenario.depth == 12


@pytest.mark.parametrize("name", preset_names())
def test_every_preset(open_page: Start, name: str) -> None:
    app = open_page(preset=name)
    assert not app.exception
    assert FAILED not in words(app)


def test_controls_reach_the_page(open_page: Start, session_of: SessionOf) -> None:
    app = open_page(preset="tied-saddle", depth="12")
    slider(app, "Shear").set_value(0.0).run()
    assert "costs C₋ = 1.00" in words(app)
    menu(app, "Preset").set_value("decay-after-a-hump").run()
    assert "Yes: the norm climbs to" in words(app)
    assert session_of(app).scenario == preset("decay-after-a-hump")


def test_nothing_on_the_page_follows_the_gate() -> None:
    for slug in PAGES["spectrum"]:
        fields = depends_on(slug)
        assert fields is not None
        assert not any(field.startswith("gate") for field in fields)


def test_a_failing_figure_leaves_the_others(open_page: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(scenario: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(FIGURES["sigma-test"], "compute", broken)
    app = open_page(preset="tied-saddle", depth="13")
    assert not app.exception
    assert "(OverflowError)" in words(app)
    assert FIGURES["layer-radii"].QUESTION in words(app)
