"""What a visitor sees of Explore in a real browser."""

import itertools
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from figures import PAGES
from presets.load import preset, preset_names
from presets.schema import Scenario
from tests.browser.visitor import Visitor

SHOWN = PAGES["explore"]
OPEN_LOOP = ("sector-decay", "saturation-depth")
FOLD = 900
PHONE = {"width": 390, "height": 844}


def with_gate(**changes: float) -> Scenario:
    base = preset("turning-saddle")
    return base.model_copy(update={"gate": base.gate.model_copy(update=changes)})


def test_first_paint(visitor: Visitor) -> None:
    visitor.open()
    for slug in SHOWN:
        assert visitor.panel(slug).locator(".marks").is_visible()
        assert visitor.caption(slug)
        box = visitor.panel(slug).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= FOLD
    assert visitor.page.locator("h1.verdict").inner_text()
    assert visitor.tracebacks() == 0
    assert visitor.errors == []
    hosts = {urlsplit(url).hostname for url in visitor.requests if not url.startswith(("data:", "blob:"))}
    assert hosts == {"127.0.0.1"}


def test_amplitude_moves_the_gate_panels_only(visitor: Visitor) -> None:
    visitor.open()
    pictures = {slug: visitor.picture(slug) for slug in SHOWN}
    captions = {slug: visitor.caption(slug) for slug in SHOWN}
    visitor.type("Gate amplitude ϱ, typed", "0.45")
    for slug in OPEN_LOOP:
        assert visitor.picture(slug) == pictures[slug]
        assert visitor.caption(slug) == captions[slug]
    assert visitor.picture("dichotomy-spectrum") != pictures["dichotomy-spectrum"]
    assert visitor.picture("gate-map") != pictures["gate-map"]
    assert visitor.caption("gate-map") != captions["gate-map"]
    assert visitor.caption("dichotomy-spectrum") != captions["dichotomy-spectrum"]


def test_charts_stay_in_place(visitor: Visitor) -> None:
    visitor.open()
    for slug in SHOWN:
        visitor.panel(slug).evaluate("panel => { panel.querySelector('.marks').kept = true }")
    visitor.press("Gate amplitude", "ArrowRight")
    for slug in SHOWN:
        assert visitor.panel(slug).evaluate("panel => panel.querySelector('.marks').kept === true"), slug


def test_block_length_moves_the_token_panels(visitor: Visitor) -> None:
    visitor.open()
    visitor.unfold("Tokens")
    pictures = {slug: visitor.picture(slug) for slug in SHOWN}
    captions = {slug: visitor.caption(slug) for slug in SHOWN}
    visitor.press("Block length", "ArrowRight")
    for slug in OPEN_LOOP:
        assert visitor.picture(slug) != pictures[slug]
    for slug in set(SHOWN) - set(OPEN_LOOP):
        assert visitor.picture(slug) == pictures[slug]
        assert visitor.caption(slug) == captions[slug]


@pytest.mark.parametrize("gap", [0, 40, 150])
def test_fast_keys_end_in_the_last_value(visitor: Visitor, gap: int) -> None:
    visitor.open()
    slider = visitor.slider("Gate amplitude")
    step = float(slider.get_attribute("step") or 0)
    for _ in range(10):
        slider.press("ArrowRight")
        visitor.page.wait_for_timeout(gap)
    last = float(f"{0.1 + 10 * step:.12g}")
    visitor.settle(with_gate(amplitude=last))
    assert float(slider.input_value()) == pytest.approx(last)
    assert parse_qs(urlsplit(visitor.page.url).query)["gate.amplitude"] == [f"{last}"]
    assert slider.evaluate("input => input === document.activeElement")


def test_back_undoes(visitor: Visitor) -> None:
    visitor.open()
    before = visitor.caption("gate-map")
    visitor.type("Gate amplitude ϱ, typed", "0.45")
    after = visitor.caption("gate-map")
    visitor.choose("Preset", preset("tied-saddle").title)
    visitor.back()
    assert visitor.caption("gate-map") == after
    assert float(visitor.slider("Gate amplitude").input_value()) == 0.45
    visitor.back()
    assert visitor.caption("gate-map") == before
    assert float(visitor.slider("Gate amplitude").input_value()) == 0.1
    visitor.page.evaluate("history.forward()")
    visitor.settle()
    assert visitor.caption("gate-map") == after


def test_every_preset(visitor: Visitor) -> None:
    visitor.open()
    for name in preset_names()[1:]:
        visitor.choose("Preset", preset(name).title)
        assert visitor.tracebacks() == 0, name
        for slug in SHOWN:
            assert visitor.panel(slug).locator(".failure").count() == 0, (name, slug)
            assert visitor.panel(slug).locator(".marks").is_visible(), (name, slug)
    assert visitor.errors == []


def test_reset_and_modified_mark(visitor: Visitor) -> None:
    visitor.open()
    reset = visitor.page.get_by_role("button", name="Reset")
    assert visitor.page.locator(".modified").count() == 0
    visitor.press("Frame turn", "ArrowRight")
    assert visitor.page.locator(".modified").count() == 1
    reset.click()
    visitor.settle(preset("turning-saddle"))
    assert float(visitor.slider("Frame turn").input_value()) == 0.11
    assert visitor.page.locator(".modified").count() == 0


def test_page_switch_keeps_everything(visitor: Visitor) -> None:
    """N01."""
    visitor.open()
    visitor.type("Gate amplitude ϱ, typed", "0.3")
    visitor.press("Frame turn", "ArrowRight")
    visitor.press("Rate modulation", "ArrowLeft")
    link = urlsplit(visitor.page.url).query
    captions = {slug: visitor.caption(slug) for slug in SHOWN}
    visitor.go("About")
    assert urlsplit(visitor.page.url).query == link
    visitor.go("Explore")
    assert urlsplit(visitor.page.url).query == link
    assert float(visitor.slider("Gate amplitude").input_value()) == 0.3
    assert float(visitor.slider("Frame turn").input_value()) == pytest.approx(0.12)
    assert float(visitor.slider("Rate modulation").input_value()) == pytest.approx(0.06)
    assert {slug: visitor.caption(slug) for slug in SHOWN} == captions


def test_table_and_help(visitor: Visitor) -> None:
    visitor.open()
    panel = visitor.panel("saturation-depth")
    height = panel.bounding_box()
    panel.get_by_role("button", name="Show the table").first.click()
    visitor.settle()
    assert panel.get_by_test_id("stDataFrame").is_visible()
    assert panel.locator(".marks").count() == 0
    assert panel.bounding_box() == height
    table = panel.get_by_test_id("stDataFrame").bounding_box()
    assert table is not None
    assert height is not None
    assert table["y"] + table["height"] <= height["y"] + height["height"]
    panel.get_by_role("button", name="Show the chart").first.click()
    visitor.settle()
    assert panel.locator(".marks").is_visible()
    panel.locator(".reading summary").click()
    panel.locator(".reading .katex").first.wait_for()
    assert "How to read it" in panel.locator(".reading").inner_text()


def test_refused_value_keeps_the_old_one(visitor: Visitor) -> None:
    visitor.open()
    verdict = visitor.page.locator("h1.verdict").inner_text()
    visitor.type("Gate amplitude ϱ, typed", "a lot")
    said = visitor.page.locator(".refusal").inner_text()
    assert "gate.amplitude" in said
    assert "a lot" in said
    assert "0.1" in said
    assert visitor.page.locator("h1.verdict").inner_text() == verdict
    assert visitor.page.get_by_label("Gate amplitude ϱ, typed").input_value() == ""
    visitor.press("Gate amplitude", "ArrowRight")
    assert visitor.page.locator(".refusal").count() == 0


def test_phone(visit: Callable[..., Visitor], server: str) -> None:
    visitor = visit(server, viewport=PHONE)
    visitor.open()
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert visitor.page.get_by_test_id("stMain").evaluate("main => main.scrollWidth") <= PHONE["width"]
    boxes = [visitor.panel(slug).bounding_box() for slug in SHOWN]
    for above, below in itertools.pairwise(boxes):
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"]
    assert visitor.errors == []


def test_dark(visit: Callable[..., Visitor], server: str) -> None:
    visitor = visit(server, scheme="dark")
    visitor.open()
    ground = visitor.page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    assert ground == "rgb(20, 23, 28)"
    assert visitor.errors == []
