"""From a key press on ϱ to the last repainted panel, against a bare slider-to-text app."""

import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.serving import chromium, served

TARGET = 4.0
"""The page may take this many times as long as the bare app."""

BARE = """import streamlit as st

value = st.slider("Gate amplitude", -1.0, 1.0, 0.1, 0.005, format="%.3f")
st.text(f"{value:.3f}")
st.html(f'<span class="settled" title="{value}"></span>')
"""

_WATCH = """() => {
  const seen = window.seen = {pressed: 0, last: 0};
  addEventListener('keydown', () => { seen.pressed = seen.last = performance.now() }, true);
  new MutationObserver(() => { seen.last = performance.now() }).observe(
    document.querySelector('[data-testid=stMain]'),
    {subtree: true, childList: true, attributes: true, characterData: true});
}"""

_QUIET = """([before, quiet]) => {
  const mark = document.querySelector('.settled');
  const app = document.querySelector('[data-testid=stApp]');
  const done = mark && mark.title !== before && app.dataset.testScriptState === 'notRunning';
  return done && performance.now() - window.seen.last > quiet;
}"""

QUIET_MS = 250
"""Without a change for this long, the page has been repainted."""


class Times(NamedTuple):
    """Milliseconds from key press to the last change of the page, one entry a press."""

    explorer: list[float]
    bare: list[float]

    @property
    def ratio(self) -> float:
        """Median of the explorer over median of the bare app."""
        return statistics.median(self.explorer) / statistics.median(self.bare)


def measure(presses: int = 20, warm: int = 5) -> Times:
    """Press a key on both pages in turn, after warming both up."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder) / "bare.py"
        script.write_text(BARE, encoding="utf-8")
        with served() as explorer, served(script) as bare:
            browser = chromium(playwright)
            pages = [_opened(browser, address) for address in (explorer, bare)]
            taken = [[_press(page) for page in pages] for _ in range(warm + presses)]
            browser.close()
    return Times(*(list(column) for column in zip(*taken[warm:], strict=True)))


def _opened(browser: Browser, address: str) -> Page:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(180_000)
    page.goto(address)
    page.locator(".settled").wait_for(state="attached")
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
    page.evaluate(_WATCH)
    return page


def _press(page: Page) -> float:
    """Press an arrow key on ϱ, to a value not seen before, and return the milliseconds until all is still."""
    page.bring_to_front()
    before = page.locator(".settled").get_attribute("title")
    page.locator("input[type=range][aria-label^='Gate amplitude']").press("ArrowRight")
    page.wait_for_function(_QUIET, arg=[before, QUIET_MS])
    return page.evaluate("window.seen.last - window.seen.pressed")
