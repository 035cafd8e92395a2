"""What takes long on a page: offered, begun, shown as it goes, cancelled, and kept when done."""

import threading
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from engine.steps import Steps
from presets import on_demand
from presets.schema import Scenario
from presets.sigma_quantities import SIGMA, Sigma
from tests.ui.test_shell import words
from ui import work

Start = Callable[..., AppTest]
PATIENCE = 20


class Slowly:
    """Stands in for the steps of the σ test: stops at a quarter until it may go on."""

    def __init__(self) -> None:
        self.reached, self.go_on, self.ended = threading.Event(), threading.Event(), threading.Event()
        self.begun = 0
        self.real = SIGMA._steps

    def __call__(self, scenario: Scenario) -> Steps[Sigma]:
        self.begun += 1
        try:
            yield 0.25
            self.reached.set()
            assert self.go_on.wait(PATIENCE)
            yield 0.5
            return (yield from self.real(scenario))
        finally:
            self.ended.set()


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slowly]:
    steps = Slowly()
    monkeypatch.setattr(on_demand, "AT_ONCE", 0.0)
    monkeypatch.setattr(SIGMA, "_steps", steps)
    yield steps
    steps.go_on.set()
    SIGMA.forget()


def open_page(start: Start, depth: int) -> AppTest:
    return start(preset="tied-saddle", depth=str(depth)).switch_page("pages/spectrum.py").run()


def press(app: AppTest, what: str) -> AppTest:
    return app.button(key=f"{what}-sigma-test").click().run()


def progress(app: AppTest) -> list[str]:
    return [element.proto.text for element in app.get("progress")]


def test_it_is_begun_once_shown_and_drawn_when_done(start: Start, slowly: Slowly) -> None:
    app = open_page(start, 19)
    assert app.button(key="compute-sigma-test").label == "Compute (about 1 s)"
    press(app, "compute")
    assert slowly.reached.wait(PATIENCE)
    app.run()
    assert progress(app) == ["25% done"]
    next(slider for slider in app.slider if slider.label.startswith("Gate amplitude")).set_value(0.2).run()
    assert progress(app) == ["25% done"]
    slowly.go_on.set()
    assert slowly.ended.wait(PATIENCE)
    wait_until(lambda: not work._works)
    app.run()
    assert progress(app) == []
    assert "At 1, σ =" in words(app)
    assert slowly.begun == 1


def test_cancelling_stops_it(start: Start, slowly: Slowly) -> None:
    app = open_page(start, 21)
    press(app, "compute")
    assert slowly.reached.wait(PATIENCE)
    press(app, "cancel")
    slowly.go_on.set()
    assert slowly.ended.wait(PATIENCE)
    app.run()
    assert progress(app) == []
    assert app.button(key="compute-sigma-test")
    assert "Not computed yet" in words(app)


def test_two_visitors_share_it_and_one_who_leaves_does_not_stop_it(start: Start, slowly: Slowly) -> None:
    first, second = open_page(start, 23), open_page(start, 23)
    press(first, "compute")
    assert slowly.reached.wait(PATIENCE)
    press(second, "compute")
    press(first, "cancel")
    slowly.go_on.set()
    assert slowly.ended.wait(PATIENCE)
    wait_until(lambda: not work._works)
    assert "At 1, σ =" in words(second.run())
    assert slowly.begun == 1


def test_what_nobody_looks_at_any_more_stops(slowly: Slowly, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "PATIENCE", 0.05)
    work.start("unseen", "somebody", lambda: slowly(Scenario()))
    assert slowly.reached.wait(PATIENCE)
    threading.Event().wait(0.1)
    slowly.go_on.set()
    assert slowly.ended.wait(PATIENCE)
    wait_until(lambda: not work._works)


def test_a_failure_is_said_and_may_be_tried_again(
    start: Start, slowly: Slowly, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Scenario) -> Steps[Sigma]:
        yield 0.1
        raise OverflowError("too large")

    monkeypatch.setattr(SIGMA, "_steps", broken)
    app = press(open_page(start, 25), "compute")
    wait_until(lambda: all(found.state == "failed" for found in work._works.values()))
    assert "The computation failed" in words(app.run())
    monkeypatch.setattr(SIGMA, "_steps", slowly.real)
    press(app, "compute")
    wait_until(lambda: not work._works)
    assert "At 1, σ =" in words(app.run())


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(200):
        if holds():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it never came to that")
