"""A link restores everything, also on a server that nobody has visited yet, and straight to any page."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.serving import served
from tests.browser.visitor import Visitor

LINK = {
    "preset": "tied-saddle",
    "depth": "48",
    "family.multipliers": "0.55,1.3",
    "family.shear": "0.7",
    "gate.amplitude": "0.22",
    "gate.injection.angle": "55.0",
    "gate.refresh_period": "2",
    "gate.topology": "ring",
    "block_length": "16",
    "blocks": "3",
    "kernel.kind": "bidirectional",
    "tolerance": "0.0003",
}


@pytest.mark.parametrize("path", ["/", "/about"])
def test_cold_link_restores_every_control(visit: Callable[..., Visitor], path: str) -> None:
    """N02."""
    with served() as address:
        visitor = visit(address)
        visitor.open(path, **LINK)
        shown = parse_qs(urlsplit(visitor.page.url).query)
        assert {key: values[0] for key, values in shown.items()} == LINK
        assert urlsplit(visitor.page.url).path == path
        heading = "Symbols" if path == "/about" else "How far can the gate open?"
        assert visitor.page.get_by_role("heading", name=heading).is_visible()
        visitor.unfold("Tokens")
        visitor.unfold("How it is read")
        sidebar = visitor.page.get_by_test_id("stSidebar")
        sliders = {
            "b 1": 0.55,
            "b 2": 1.3,
            "Shear": 0.7,
            "Gate amplitude": 0.22,
            "Angle": 55,
        }
        for label, value in sliders.items():
            assert float(visitor.slider(label).input_value()) == value, label
        for label, text in {"Depth L": "48", "Blocks K": "3"}.items():
            assert sidebar.get_by_label(label, exact=True).input_value() == text, label
        for label, text in {"Block length": "16", "Tolerance": "3×10⁻⁴", "Refresh period": "2"}.items():
            assert visitor.slider(label).get_attribute("aria-valuetext") == text, label
        menus = {
            "Preset": "Tied saddle",
            "Generator family": "Tied (one layer repeated)",
            "Topology": "Ring of blocks",
            "Attention kernel": "Bidirectional",
        }
        for label, word in menus.items():
            assert sidebar.get_by_role("combobox", name=label).input_value() == word, label
        assert visitor.page.locator(".refusal").count() == 0
        assert visitor.tracebacks() == 0
        assert visitor.troubles() == []


@pytest.mark.parametrize("path", ["/", "/about"])
def test_what_is_refused_is_named(visit: Callable[..., Visitor], server: str, path: str) -> None:
    visitor = visit(server)
    visitor.open(path, **{"gate.amplitude": "lots", "depth": "32", "colour": "red"})
    said = " ".join(visitor.page.locator(".refusal").all_inner_texts())
    for word in ("gate.amplitude", "lots", "0.1", "colour", "red"):
        assert word in said
    sidebar = visitor.page.get_by_test_id("stSidebar")
    assert sidebar.get_by_label("Depth L", exact=True).input_value() == "32"
    assert parse_qs(urlsplit(visitor.page.url).query) == {"preset": ["turning-saddle"], "depth": ["32"]}
    visitor.press("Gate amplitude", "ArrowRight")
    assert visitor.page.locator(".refusal").count() == 0


def test_a_value_beyond_the_window_widens_the_slider(visit: Callable[..., Visitor], server: str) -> None:
    visitor = visit(server)
    visitor.open(**{"gate.amplitude": "-7", "family.turn": "0.8"})
    assert float(visitor.slider("Gate amplitude").input_value()) == -7
    assert visitor.slider("Gate amplitude").get_attribute("min") == "-10"
    assert float(visitor.slider("Frame turn").input_value()) == 0.8
    assert visitor.slider("Frame turn").get_attribute("max") == "1"
