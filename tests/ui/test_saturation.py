"""The Saturation page without a browser: its panels, and the menu of compressions over the error surface."""

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from figures import FIGURES, PAGES
from ui.session import Session

Start = Callable[..., AppTest]
SessionOf = Callable[[AppTest], Session]

MENU = "Compression of the panel"


def opened(start: Start, **parameters: str) -> AppTest:
    return start(**parameters).switch_page("pages/saturation.py").run()


def menu(app: AppTest, label: str = MENU) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def words(app: AppTest) -> str:
    return " ".join(entry.proto.body for kind in ("html", "markdown") for entry in app.get(kind))


def test_the_menu_chooses_the_compression_everywhere(start: Start, session_of: SessionOf) -> None:
    app = opened(start, preset="tied-saddle", depth="12")
    assert not app.exception
    said = words(app)
    assert "could not be" not in said
    for slug in PAGES["saturation"]:
        assert FIGURES[slug].QUESTION in said
    menu(app).set_value("last").run()
    assert not app.exception
    assert session_of(app).scenario.compression.kind == "last"
    assert app.query_params["compression.kind"] == "last"
    assert "Π = last token (stride)" in words(app)
    menu(app).set_value("multilevel").run()
    assert session_of(app).complaints == []
    assert "Π = multilevel mean" in words(app)
