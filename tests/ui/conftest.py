from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ui.session import Session

APP = Path(__file__).parents[2] / "app.py"
PATIENCE = 120
"""Seconds for a run; the first one of a new size compiles."""


@pytest.fixture
def start() -> Callable[..., AppTest]:
    """Run the app as a visitor opens it by a link."""

    def start(**parameters: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=PATIENCE)
        app.query_params.update(parameters)
        return app.run()

    return start


@pytest.fixture
def session_of() -> Callable[[AppTest], Session]:
    return lambda app: app.session_state["session"]
