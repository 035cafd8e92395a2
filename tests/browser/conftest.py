from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.serving import chromium, served
from tests.browser.visitor import PATIENCE, Visitor

LAPTOP = {"width": 1440, "height": 900}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        window = chromium(playwright)
        yield window
        window.close()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    contexts = []

    def visit(address: str, viewport: dict[str, int] = LAPTOP, scheme: str = "light") -> Visitor:
        context = browser.new_context(viewport=viewport, color_scheme=scheme)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return Visitor(context.new_page(), address)

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def visitor(visit: Callable[..., Visitor], server: str) -> Visitor:
    return visit(server)
