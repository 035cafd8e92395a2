"""The gate map's menu, its place in the link, and what a click sets."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from figures import gate_map
from presets.load import preset
from presets.schema import Scenario
from ui import map_view, session
from ui.session import Session
from ui.view import View

Start = Callable[..., AppTest]
SessionOf = Callable[[AppTest], Session]
MENU = "Second parameter of the map"


def menu(app: AppTest, label: str = MENU) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def words(app: AppTest) -> str:
    return " ".join(entry.proto.body for entry in app.get("html"))


def test_a_link_restores_the_second_parameter(start: Start, session_of: SessionOf) -> None:
    app = start(preset="tied-saddle", map="gain")
    assert not app.exception
    assert session_of(app).view.map == "gain"
    assert session_of(app).complaints == []
    assert menu(app).value == "gain"
    assert app.query_params["map"] == "gain"
    assert "At ‖W‖₂ = 1" in words(app)


def test_the_menu_sets_the_view_and_the_link_but_no_setting(start: Start, session_of: SessionOf) -> None:
    app = start(preset="tied-saddle")
    menu(app).set_value("family.shear").run()
    assert not app.exception
    assert app.query_params["map"] == "family.shear"
    assert session_of(app).scenario == preset("tied-saddle")
    menu(app).set_value("angle").run()
    assert "map" not in app.query_params


@pytest.mark.parametrize("name", ["family.energy", "nothing"])
def test_an_unknown_second_parameter_is_refused_by_name(
    start: Start, session_of: SessionOf, name: str
) -> None:
    app = start(preset="tied-saddle", map=name)
    assert not app.exception
    assert session_of(app).view.map == "angle"
    assert [(found.path, found.value) for found in session_of(app).complaints] == [("map", name)]
    assert name in words(app)
    assert "map" not in app.query_params


def test_a_new_family_without_the_parameter_falls_back_to_the_angle(
    start: Start, session_of: SessionOf
) -> None:
    app = start(preset="tied-saddle", depth="12", map="family.shear")
    menu(app, "Generator family").set_value("random").run()
    assert not app.exception
    assert session_of(app).view.map == "angle"
    assert [found.path for found in session_of(app).complaints] == ["map"]


class Clicked:
    """A session without a browser, and a click into its map."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, scenario: Scenario, over: str) -> None:
        self.session = Session(scenario, "tied-saddle", view=View(map=over))
        self.state: dict[str, Any] = {session._KEY: self.session}
        monkeypatch.setattr(map_view.st, "session_state", self.state)

    def at(self, **place: Any) -> Scenario:
        self.state["chart"] = SimpleNamespace(selection={"pick": [place]})
        map_view.take("chart")
        return self.session.scenario


def test_a_click_sets_both(monkeypatch: pytest.MonkeyPatch) -> None:
    for over, height, path in (
        ("angle", 44.00000000000001, "angle"),
        ("gain", 2.5, "gain"),
    ):
        moved = Clicked(monkeypatch, preset("tied-saddle"), over).at(x=-0.30000000000000004, y=height, rev=0)
        assert moved.gate.amplitude == -0.3
        assert getattr(moved.gate.injection, path) == round(height, 6)


def test_a_click_sets_a_whole_refresh_period(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = Clicked(monkeypatch, preset("tied-saddle"), "refresh").at(x=0.1, y=2.0, rev=0)
    assert moved.gate.refresh_period == 4
    assert isinstance(moved.gate.refresh_period, int)


def test_a_click_sets_one_entry_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    before = preset("tied-saddle")
    moved = Clicked(monkeypatch, before, "family.multipliers.2").at(x=0.1, y=0.75, rev=0)
    assert moved.family.multipliers == (before.family.multipliers[0], 0.75)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "place", [{}, {"x": "1", "y": 2}, {"x": float("nan"), "y": 1.0}, {"x": True, "y": 0}]
)
def test_what_is_no_place_is_not_heard(monkeypatch: pytest.MonkeyPatch, place: dict[str, Any]) -> None:
    clicked = Clicked(monkeypatch, preset("tied-saddle"), "angle")
    assert clicked.at(**place) == preset("tied-saddle")
    assert clicked.session.picks == 0


def test_a_place_beyond_the_axes_is_drawn_in_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    clicked = Clicked(monkeypatch, preset("tied-saddle"), "angle")
    assert clicked.at(x=0.1, y=1e9).gate.injection.angle == 90.0
    assert clicked.at(x=1e9, y=45.0).gate.amplitude == 0.1
    assert [found.path for found in clicked.session.complaints] == ["gate.amplitude"]


def test_every_click_is_numbered_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clicked = Clicked(monkeypatch, preset("tied-saddle"), "angle")
    tables = gate_map.compute(clicked.session.scenario)
    first = map_view.hits(tables)["rev"][0]
    clicked.at(x=0.1, y=45.0)
    assert map_view.hits(tables)["rev"][0] == first + 1


@pytest.mark.parametrize(("over", "rows"), [("angle", 46), ("gain", 41), ("refresh", 6)])
def test_the_grid_meets_the_steps_of_the_sliders(
    monkeypatch: pytest.MonkeyPatch, over: str, rows: int
) -> None:
    clicked = Clicked(monkeypatch, preset("tied-saddle"), over)
    grid = map_view.hits(gate_map.compute(clicked.session.scenario, over))
    assert grid["rows"][0] == rows
