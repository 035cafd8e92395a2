"""The pages Visibility and Linearisation without a browser."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from figures import FIGURES, PAGES
from ui.session import Session

Start = Callable[..., AppTest]
SessionOf = Callable[[AppTest], Session]

NOTICE = "This family has no block to run"


def words(app: AppTest) -> str:
    return " ".join(entry.proto.body for kind in ("html", "markdown") for entry in app.get(kind))


def opened(start: Start, page: str, **parameters: str) -> AppTest:
    return start(**parameters).switch_page(f"pages/{page}.py").run()


@pytest.mark.parametrize("page", ["visibility", "linearisation"])
@pytest.mark.parametrize("preset", ["tied-saddle", "transformer-rms-swiglu"])
def test_every_panel_of_a_page_is_drawn(start: Start, page: str, preset: str) -> None:
    app = opened(start, page, preset=preset)
    assert not app.exception
    said = words(app)
    assert "could not be" not in said
    for slug in PAGES[page]:
        assert FIGURES[slug].QUESTION in said


def test_a_family_without_blocks_is_offered_one(start: Start, session_of: SessionOf) -> None:
    app = opened(start, "linearisation", preset="tied-saddle", depth="12")
    assert NOTICE in words(app)
    app.button(key="use-block").click().run()
    assert not app.exception
    assert session_of(app).scenario.family.kind == "transformer"
    assert session_of(app).scenario.depth == 12
    assert NOTICE not in words(app)
