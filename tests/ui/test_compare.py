"""The pages Compare and Builder without a browser."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from figures import FIGURES, PAGES
from presets import board, named
from presets.load import preset
from ui import view
from ui.session import Session
from ui.words import indexed

Start = Callable[..., AppTest]
SessionOf = Callable[[AppTest], Session]

OWN, OTHER = preset("tied-saddle"), preset("looped-loop")
CHANGED = OWN.model_copy(update={"depth": 40})
FAILED = "could not be"


def words(app: AppTest) -> str:
    return " ".join(entry.proto.body for kind in ("html", "markdown") for entry in app.get(kind))


def charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart"))


def opened(start: Start, page: str, **parameters: str) -> AppTest:
    app = start(**{"preset": "tied-saddle", **parameters})
    return app.switch_page(f"pages/{page}.py").run()


def menu(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def test_alone_it_asks_for_a_second_scenario(start: Start, session_of: SessionOf) -> None:
    app = opened(start, "compare")
    assert not app.exception
    assert "Choose a second scenario to compare with." in words(app)
    menu(app, "Compare with a preset").set_value("looped-loop").run()
    assert not app.exception
    assert session_of(app).view.others == (OTHER,)
    assert app.query_params["with"] == "looped-loop"
    assert "A and B differ in nine settings." in words(app)


def test_settings_come_first_then_numbers_then_figures_of_each(start: Start) -> None:
    app = opened(start, "compare", **{"with": f"looped-loop,{named.write(CHANGED)}", "figures": "gate-map"})
    assert not app.exception
    said = words(app)
    assert FAILED not in said
    places = [said.index(text) for text in ("Settings that differ", '<h2 class="question">Numbers')]
    assert places == sorted(places)
    assert "<b>C</b> Tied saddle, modified" in said
    assert "not reached within 64 layers" in said
    assert charts(app) == 3
    assert said.index("Numbers") < said.index(FIGURES["gate-map"].QUESTION)


def test_explore_s_figures_are_shown_at_first_and_any_other_by_the_menu(
    start: Start, session_of: SessionOf
) -> None:
    app = opened(start, "compare", **{"with": "looped-loop"})
    assert charts(app) == 2 * len(PAGES["explore"])
    menu(app, "Figures").set_value("gate-ladder").run()
    assert charts(app) == 2
    assert app.query_params["figures"] == "gate-ladder"
    assert session_of(app).view.figures == "gate-ladder"
    next(entry for entry in app.toggle if entry.label == "Same axes").set_value(False).run()
    assert app.query_params["axes"] == "own"
    assert not app.exception


def test_gate_maps_are_compared_over_the_chosen_parameter(start: Start, session_of: SessionOf) -> None:
    app = opened(start, "compare", **{"with": "looped-loop", "figures": "gate-map", "map": "gain"})
    figure = FIGURES["gate-map"]
    assert indexed(figure.caption(figure.compute(OWN, "gain"))) in words(app)
    menu(app, "Second parameter of the map").set_value("family.multipliers.1").run()
    assert session_of(app).view.map == "family.multipliers.1"
    said = words(app)
    assert indexed(figure.caption(figure.compute(OWN, "family.multipliers.1"))) in said
    assert indexed(figure.caption(figure.compute(OTHER))) in said
    assert not app.exception


def test_links_and_files_are_pasted_and_taken_away(start: Start, session_of: SessionOf) -> None:
    app = opened(start, "compare", figures="saturation-depth")
    app.text_area[0].set_value("https://x.org/?preset=tied-saddle&depth=40").run()
    app.button(key="compare-pasted").click().run()
    assert session_of(app).view.others == (CHANGED,)
    assert "A and B differ in one setting." in words(app)
    app.text_area[0].set_value("hello").run()
    app.button(key="compare-pasted").click().run()
    assert "is neither a link" in words(app)
    app.button(key="remove-B").click().run()
    assert session_of(app).view.others == ()
    assert "with" not in app.query_params
    assert not app.exception


def test_a_broken_comparison_is_named_and_the_rest_is_shown(start: Start, session_of: SessionOf) -> None:
    app = opened(
        start, "compare", **{"with": "nope,looped-loop,z:xx", "figures": "no-such", "board": "double,2,nope"}
    )
    assert not app.exception
    assert session_of(app).view.others == (OTHER,)
    said = words(app)
    for text in (
        "<b>with</b> = nope",
        "<b>with</b> = z:xx",
        "<b>figures</b> = no-such",
        "<b>board</b> = nope",
    ):
        assert text in said
    assert session_of(app).view.board == view.FIRST_BOARD


def test_the_comparison_follows_the_amplitude(start: Start) -> None:
    app = opened(start, "compare", **{"with": "tied-saddle", "figures": "gate-map"})
    assert "A and B agree in every setting." in words(app)
    next(entry for entry in app.slider if entry.label.startswith("Gate amplitude")).set_value(0.3).run()
    assert "A and B differ in one setting." in words(app)
    assert not app.exception


def test_a_figure_of_both_goes_to_the_builder(start: Start, session_of: SessionOf) -> None:
    app = opened(start, "compare", **{"with": "looped-loop", "figures": "gate-map"})
    app.button(key="build-gate-map").click().run()
    assert not app.exception
    assert board.layout_text(session_of(app).view.board) == "double,2,gate-map,gate-map.1"


def test_panels_are_added_moved_and_taken_away(start: Start, session_of: SessionOf) -> None:
    app = opened(start, "builder", **{"with": "looped-loop", "board": "double,2,gate-map,sector-decay.1"})
    assert not app.exception

    def layout() -> str:
        return board.layout_text(session_of(app).view.board)

    app.button(key="add-panel").click().run()
    assert layout() == "double,2,gate-map,sector-decay.1,saturation-depth"
    app.button(key="Move up-1").click().run()
    assert layout() == "double,2,sector-decay.1,gate-map,saturation-depth"
    app.button(key="Remove-2").click().run()
    menu(app, "Panel (b)").set_value("gate-ladder").run()
    menu(app, "Scenario of panel (b)").set_value(1).run()
    assert layout() == "double,2,sector-decay.1,gate-ladder.1"
    assert app.query_params["board"] == layout()
    app.session_state["board-drawn"] = (None, b"", "")
    assert not app.exception


def test_nothing_is_drawn_until_asked_for(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[object, ...]] = []
    monkeypatch.setattr("figures.board.exported", lambda *arguments: drawn.append(arguments) or b"<svg/>")
    app = opened(start, "builder", board="double,1,saturation-depth")
    assert drawn == []
    assert "outline" in words(app)
    app.button(key="draw-board").click().run()
    assert not app.exception
    assert [arguments[1] for arguments in drawn] == ["svg"]
    assert "data:image/svg+xml" in words(app)


@pytest.mark.parametrize("page", ["explore", "compare", "builder"])
def test_opening_a_page_writes_no_file(start: Start, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    def written(*arguments: object) -> bytes:
        raise AssertionError("a file was written before anybody asked for it")

    monkeypatch.setattr("figures.export.exported", written)
    monkeypatch.setattr("figures.board.exported", written)
    app = opened(start, page, depth="12", **{"with": "looped-loop", "figures": "saturation-depth"})
    assert not app.exception
