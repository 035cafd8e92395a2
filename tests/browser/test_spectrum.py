"""What a visitor sees of the Spectrum page in a real browser."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from figures import PAGES
from tests.browser.serving import served
from tests.browser.visitor import Visitor

SHOWN = PAGES["spectrum"]
PHONE = {"width": 390, "height": 844}
LINK = {"preset": "tied-saddle", "depth": "40", "family.shear": "0.7", "window": "10"}


def test_cold_link(visit: Callable[..., Visitor]) -> None:
    with served() as address:
        visitor = visit(address)
        visitor.open("/spectrum", **LINK)
        shown = parse_qs(urlsplit(visitor.page.url).query)
        assert {key: values[0] for key, values in shown.items()} == LINK
        assert visitor.page.locator("h1.verdict").is_visible()
        assert float(visitor.slider("Shear").input_value()) == 0.7
        for slug in SHOWN:
            assert visitor.panel(slug).locator(".marks").is_visible()
            assert visitor.caption(slug)
        assert "H = 10" in visitor.caption("running-estimate")
        assert visitor.tracebacks() == 0
        assert visitor.troubles() == []


def test_the_gate_moves_nothing_here_and_the_stack_does(visitor: Visitor) -> None:
    visitor.open("/spectrum", preset="tied-saddle", depth="24")
    before = {slug: visitor.picture(slug) for slug in SHOWN}
    visitor.type("Gate amplitude ϱ, typed", "0.21")
    assert {slug: visitor.picture(slug) for slug in SHOWN} == before
    visitor.press("Shear", "ArrowRight")
    for slug in ("dichotomy-constants", "transient-growth", "sigma-test"):
        assert visitor.picture(slug) != before[slug], slug
    assert visitor.troubles() == []


def test_phone(visit: Callable[..., Visitor], server: str) -> None:
    visitor = visit(server, viewport=PHONE, scheme="dark")
    visitor.open("/spectrum")
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert visitor.page.get_by_test_id("stMain").evaluate("main => main.scrollWidth") <= PHONE["width"]
    for slug in SHOWN:
        question = visitor.panel(slug).locator(".question")
        icon = visitor.panel(slug).get_by_role("button", name="Take it home").first.bounding_box()
        box = question.evaluate(
            "node => { const range = document.createRange(); range.selectNodeContents(node);"
            " return range.getBoundingClientRect().right }"
        )
        assert icon is not None
        assert box <= icon["x"], slug
    assert visitor.troubles() == []
