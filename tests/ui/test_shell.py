"""The shell without a browser: link, controls, refusals, and panels that fail alone."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from figures import FIGURES, PAGES, gate_map, saturation_depth
from presets.compression import COMPRESSIONS, Select
from presets.family import FAMILIES
from presets.load import preset, preset_names
from presets.schema import KERNELS
from tests.ui.conftest import APP
from ui.session import Session

Start = Callable[..., AppTest]
FAILED = "could not be"
SessionOf = Callable[[AppTest], Session]


def words(app: AppTest) -> str:
    return " ".join(entry.proto.body for kind in ("html", "markdown") for entry in app.get(kind))


def menu(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def slider(app: AppTest, label: str) -> Any:
    return next(entry for entry in app.slider if entry.label.startswith(label))


def box(app: AppTest, label: str) -> Any:
    return next(entry for entry in app.text_input if entry.label.startswith(label))


def unfold(app: AppTest, *groups: str) -> AppTest:
    for group in groups:
        app.session_state[f"group-{group}"] = True
    return app.run()


@pytest.mark.parametrize("page", sorted((APP.parent / "pages").glob("*.py")))
def test_every_page_begins_with_the_guard(page: Any) -> None:
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line]
    assert lines[1:3] == ["from ui.navigation import guard", "guard()"]


def test_first_run(start: Start, session_of: SessionOf) -> None:
    app = start()
    assert not app.exception
    assert session_of(app).scenario == preset("turning-saddle")
    for slug in PAGES["explore"]:
        assert FIGURES[slug].QUESTION in words(app)
    assert app.query_params["preset"] == "turning-saddle"


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_on_both_pages(start: Start, session_of: SessionOf, name: str) -> None:
    app = unfold(start(preset=name), "Tokens", "How it is read")
    assert not app.exception
    assert FAILED not in words(app)
    app.switch_page("pages/about.py").run()
    assert not app.exception
    assert session_of(app).scenario == preset(name)


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_starts_from_its_defaults(start: Start, session_of: SessionOf, kind: str) -> None:
    app = start(depth="12")
    menu(app, "Generator family").set_value(kind).run()
    assert not app.exception
    assert FAILED not in words(app)
    assert session_of(app).scenario.family == FAMILIES[kind][0]()


def test_every_other_choice(start: Start) -> None:
    """N77."""
    app = unfold(start(preset="tied-saddle", depth="12"), "Tokens", "How it is read")
    choices = {
        "Direction of ψ": ["identity", "aligned", "random", "worst", "angle"],
        "Injection ψ": ["tanh", "linear"],
        "Topology": ["ring", "cascade", "self"],
        "Attention kernel": list(KERNELS),
    }
    for label, options in choices.items():
        for option in options:
            menu(app, label).set_value(option).run()
            assert not app.exception, (label, option)
            assert FAILED not in words(app), (label, option)


@pytest.mark.parametrize("name", ["turning-saddle", "tied-saddle", "looped-loop"])
def test_all_sliders_at_both_ends(start: Start, name: str) -> None:
    app = unfold(start(preset=name, depth="12"), "Tokens", "How it is read")
    for label in [entry.label for entry in app.slider]:
        for end in ("min", "max"):
            entry = slider(app, label)
            entry.set_value(getattr(entry, end)).run()
            assert not app.exception, (label, end)
            assert FAILED not in words(app), (label, end)


def test_slider_sets_the_scenario_and_the_link(start: Start, session_of: SessionOf) -> None:
    app = start()
    slider(app, "Frame turn").set_value(0.2).run()
    assert session_of(app).scenario.family.turn == 0.2  # type: ignore[union-attr]
    assert app.query_params["family.turn"] == "0.2"


def test_options_beside_their_use(start: Start) -> None:
    app = unfold(start(), "Tokens", "How it is read")
    assert "aligned" not in menu(app, "Direction of ψ").options
    assert any("ring" in caption.value for caption in app.caption)
    menu(app, "Direction of ψ").set_value("identity").run()
    assert not [entry for entry in app.slider if entry.label.startswith("Angle")]
    menu(app, "Topology").set_value("cascade").run()
    assert any("cascade" in caption.value for caption in app.caption)


def test_width_resizes_every_list(start: Start, session_of: SessionOf) -> None:
    app = start()
    width = next(entry for entry in app.number_input if entry.label == "Width d")
    width.set_value(6).run()
    family = session_of(app).scenario.family
    assert family.multipliers == (1.15, 0.7, 0.52, 0.25, 0.25, 0.25)  # type: ignore[union-attr]
    assert family.width == 6


def test_what_no_longer_fits_gives_way_and_says_so(start: Start, session_of: SessionOf) -> None:
    app = start(preset="tied-saddle", **{"gate.injection.alignment": "worst"})
    menu(app, "Generator family").set_value("random").run()
    session = session_of(app)
    assert session.scenario.family.kind == "random"
    assert session.scenario.gate.injection.alignment == "angle"
    assert [found.path for found in session.complaints] == ["gate.injection.alignment"]
    assert "gate.injection.alignment" in words(app)


@pytest.mark.parametrize("text", ["lots", "1e9", "NaN", "1e999", "[1]", "true", "<b>x</b>"])
def test_bad_text_is_refused(start: Start, session_of: SessionOf, text: str) -> None:
    app = start()
    box(app, "Gate amplitude").set_value(text).run()
    assert not app.exception
    assert session_of(app).scenario == preset("turning-saddle")
    assert [found.path for found in session_of(app).complaints] == ["gate.amplitude"]
    assert "<b>x</b>" not in words(app)


def test_typed_numbers(start: Start, session_of: SessionOf) -> None:
    app = unfold(start(), "Tokens", "How it is read")
    box(app, "Tolerance").set_value("3e-4").run()
    box(app, "Block length").set_value("7").run()
    box(app, "Gate amplitude").set_value("−0.0731").run()
    scenario = session_of(app).scenario
    assert (scenario.tolerance, scenario.block_length, scenario.gate.amplitude) == (3e-4, 7, -0.0731)
    assert box(app, "Tolerance").value == ""


def test_a_failing_figure_leaves_the_others(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(scenario: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(gate_map, "compute", broken)
    app = start(**{"gate.amplitude": "0.123"})
    assert not app.exception
    assert "This figure could not be computed for these settings (OverflowError)" in words(app)
    assert saturation_depth.QUESTION in words(app)
    assert len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart")) == 3


def test_a_failing_header_says_so(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(scenario: object) -> str:
        raise FloatingPointError

    monkeypatch.setattr("ui.header.verdict", broken)
    app = start()
    assert not app.exception
    assert "could not be summed up" in words(app)


def test_projector_mode_travels_in_the_link(start: Start, session_of: SessionOf) -> None:
    app = start(present="1")
    assert session_of(app).view.present
    assert app.query_params["present"] == "1"
    assert session_of(app).complaints == []
    next(entry for entry in app.button if entry.label == "Leave projector mode").click().run()
    assert not session_of(app).view.present
    assert "present" not in app.query_params


def test_the_bar_moves_the_setting_it_names(start: Start, session_of: SessionOf) -> None:
    app = start()
    menu(app, "Setting").set_value("family.turn").run()
    slider(app, "Move Frame turn").set_value(0.25).run()
    assert session_of(app).scenario.model_dump()["family"]["turn"] == 0.25
    assert slider(app, "Frame turn").value == slider(app, "Move Frame turn").value == 0.25
    assert not app.exception


@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_every_compression_can_be_chosen(start: Start, session_of: SessionOf, kind: str) -> None:
    app = start(block_length="6")
    menu(app, "Compression Π").set_value(kind).run()
    assert session_of(app).scenario.compression.kind == kind
    assert session_of(app).complaints == []
    assert not app.exception


def test_positions_and_weights_stay_as_many(start: Start, session_of: SessionOf) -> None:
    app = start(**{"compression.kind": "select"})
    box(app, "Positions").set_value("0 3 5 7").run()
    compression = session_of(app).scenario.compression
    assert isinstance(compression, Select)
    assert (compression.positions, compression.weights) == ((0, 3, 5, 7), (0.25,) * 4)
    box(app, "Weights").set_value("1 1 1 1").run()
    assert session_of(app).complaints[0].path == "compression.weights"


def test_a_matrix_is_edited_in_its_grid(start: Start, session_of: SessionOf) -> None:
    app = start(**{"family.kind": "explicit"})
    app.session_state["family.mixing.grid#0"] = {"edited_rows": {0: {"2": 4.0}}}
    app.run()
    assert session_of(app).grids["family.mixing"][1] == 1, "edits nobody asked for give way to a new grid"
    assert not app.exception


def test_bias_is_one_number_a_list_or_nothing(start: Start, session_of: SessionOf) -> None:
    app = start()
    for text, wanted in (("0.5", 0.5), ("1, 2, 3, 4", (1.0, 2.0, 3.0, 4.0)), ("", None)):
        box(app, "Bias").set_value(text).run()
        assert session_of(app).scenario.gate.injection.bias == wanted
