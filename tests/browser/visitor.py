"""One visitor's page: opening links, moving controls, and reading what is shown."""

from urllib.parse import urlencode, urlsplit

from playwright.sync_api import ConsoleMessage, Locator, Page

from presets.schema import Scenario
from ui.settled import fingerprint

PATIENCE = 60_000
"""Milliseconds until a run that has not settled counts as broken; the first one compiles."""

_SETTLED = """([after, scenario]) => {
  const mark = document.querySelector('.settled');
  const app = document.querySelector('[data-testid=stApp]');
  if (!mark || app.dataset.testScriptState !== 'notRunning') return null;
  if (app.querySelector('[data-testid=stSkeleton]')) return null;
  const [run, shown] = mark.title.split(' ');
  return Number(run) > after && (!scenario || shown === scenario) ? Number(run) : null;
}"""

_PICTURE = """panel => {
  const marks = panel.querySelector('.marks');
  return marks.tagName === 'CANVAS' ? marks.toDataURL() : marks.outerHTML;
}"""

_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Visitor:
    """A browser page on one server, with everything it said on the console and every address it asked for."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address, self.run = page, address, 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: str = "/", **parameters: str) -> None:
        """Open a page by its link in this window."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        self.page.goto(f"{self.address}{path}{query}")
        self.run = 0
        self.settle()

    def settle(self, scenario: Scenario | None = None) -> None:
        """Wait for a run newer than the last one seen, showing this scenario if given, to be painted."""
        wanted = None if scenario is None else fingerprint(scenario)
        found = self.page.wait_for_function(_SETTLED, arg=[self.run, wanted], timeout=PATIENCE)
        self.run = int(found.json_value())
        self.page.evaluate(_FRAMES)

    def slider(self, label: str) -> Locator:
        """Return the range input of a slider by the beginning of its label."""
        return self.page.locator(f"input[type=range][aria-label^='{label}']")

    def press(self, label: str, key: str, scenario: Scenario | None = None) -> None:
        """Press one key on a slider and wait for the page to follow."""
        self.slider(label).press(key)
        self.settle(scenario)

    def unfold(self, group: str) -> None:
        """Open a group of the sidebar."""
        self.page.locator("[data-testid=stSidebar] summary", has_text=group).first.click()
        self.settle()

    def choose(self, label: str, option: str) -> None:
        """Choose an entry of a menu in the sidebar."""
        self.page.get_by_test_id("stSidebar").get_by_role("combobox", name=label).click()
        self.page.get_by_role("option", name=option, exact=True).click()
        self.settle()

    def type(self, label: str, text: str) -> None:
        """Type into a box of the sidebar."""
        box = self.page.get_by_test_id("stSidebar").get_by_label(label, exact=True)
        box.fill(text)
        box.press("Enter")
        self.settle()

    def go(self, page: str) -> None:
        """Switch to another page by the navigation."""
        self.page.get_by_test_id("stTopNavLink").filter(has_text=page).click()
        self.settle()

    def back(self) -> None:
        """Use the browser's back button."""
        self.page.evaluate("history.back()")
        self.settle()

    def panel(self, slug: str) -> Locator:
        """Return a figure's panel."""
        return self.page.locator(f".st-key-panel-{slug}").first

    def caption(self, slug: str) -> str:
        """Return a figure's computed caption."""
        return self.panel(slug).locator(".caption").inner_text()

    def picture(self, slug: str) -> str:
        """Return what a figure's chart has drawn."""
        return self.panel(slug).evaluate(_PICTURE)

    def troubles(self) -> list[str]:
        """Return console errors, without Streamlit's two probes of a deep link's base path."""
        probes = ("/_stcore/health", "/_stcore/host-config")
        return [error for error in self.errors if not urlsplit(error).path.endswith(probes)]

    def tracebacks(self) -> int:
        """Count exceptions shown on the page."""
        return self.page.get_by_test_id("stException").count()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            at = message.location.get("url", "")
            missing = message.text.startswith("Failed to load resource") and "404" in message.text
            self.errors.append(at if missing else f"{message.text} ({at})")
