"""The gate map answers to clicks: each sets ϱ and the second parameter of the map."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator

from presets.load import preset
from tests.browser.visitor import Visitor

_HAS_POINT = """panel => {
  const canvas = panel.querySelector('canvas.marks');
  const {width, height} = canvas;
  const colours = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  let found = 0;
  for (let i = 0; i < colours.length; i += 4)
    if (colours[i] === 0xff && colours[i + 1] === 0xc6 && colours[i + 2] === 0x1a) found += 1;
  return found > 20;
}"""
"""Whether the colour of the current point, which nothing else has, is on the chart."""


def chart(visitor: Visitor) -> Locator:
    return visitor.panel("gate-map").locator("canvas.marks")


def click(visitor: Visitor, across: float, down: float) -> dict[str, str]:
    """Click at a share of the chart's width and height, and return the link that follows."""
    box = chart(visitor).bounding_box()
    assert box is not None
    visitor.page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    visitor.settle()
    return {key: values[0] for key, values in parse_qs(urlsplit(visitor.page.url).query).items()}


def test_a_click_sets_both_and_the_same_click_sets_them_again(visitor: Visitor) -> None:
    """N13."""
    visitor.open()
    before = preset("turning-saddle")
    first = click(visitor, 0.6, 0.3)
    assert float(first["gate.amplitude"]) > before.gate.amplitude
    assert float(first["gate.injection.angle"]) > before.gate.injection.angle
    assert float(visitor.slider("Gate amplitude").input_value()) == float(first["gate.amplitude"])
    assert float(visitor.slider("Angle").input_value()) == float(first["gate.injection.angle"])
    visitor.press("Gate amplitude", "ArrowRight")
    visitor.press("Angle", "ArrowLeft")
    assert click(visitor, 0.6, 0.3) == first
    visitor.back()
    assert float(visitor.slider("Angle").input_value()) == float(first["gate.injection.angle"]) - 1
    assert click(visitor, 0.6, 0.3) == first
    assert visitor.errors == []
    assert visitor.tracebacks() == 0


def test_a_link_restores_the_second_parameter_and_the_point(visitor: Visitor) -> None:
    visitor.open(preset="tied-saddle", map="gain", **{"gate.amplitude": "0.2", "gate.injection.gain": "1.5"})
    assert visitor.panel("gate-map").evaluate(_HAS_POINT)
    assert "‖W‖₂ = 1.5" in visitor.caption("gate-map")
    menu = visitor.panel("gate-map").get_by_role("combobox", name="Second parameter of the map")
    assert menu.input_value() == "by gain ‖W‖₂"
    link = click(visitor, 0.45, 0.4)
    assert link["map"] == "gain"
    assert float(link["gate.injection.gain"]) != 1.5
    assert visitor.errors == []


def test_a_click_on_a_lane_sets_a_whole_period(visitor: Visitor) -> None:
    visitor.open(preset="tied-saddle", map="refresh")
    link = click(visitor, 0.6, 0.1)
    assert int(link["gate.refresh_period"]) > 1
    assert visitor.panel("gate-map").evaluate(_HAS_POINT)
    assert visitor.tracebacks() == 0


def test_nothing_but_curves_answers_the_pointer(visitor: Visitor) -> None:
    visitor.open(preset="tied-saddle", map="gain")
    shown = "[...document.querySelectorAll('.vg-tooltip.visible')].map(tip => tip.innerText)"
    for slug in ("gate-map", "saturation-depth"):
        box = visitor.panel(slug).locator("canvas.marks").bounding_box()
        assert box is not None
        for across in (0.2, 0.4, 0.5, 0.6, 0.8):
            for down in (0.3, 0.6):
                visitor.page.mouse.move(
                    box["x"] + across * box["width"], box["y"] + down * box["height"], steps=2
                )
                visitor.page.wait_for_timeout(150)
                told = visitor.page.evaluate(shown)
                assert all(text.startswith("curve") for text in told), told
                assert slug == "saturation-depth" or not told
