"""The dialog of a figure: files are drawn when asked for, and the page stays as it is."""

from collections.abc import Callable
from pathlib import Path

from figures.export import exported
from presets.link import read
from tests.browser.visitor import Visitor

LINK = {"preset": "tied-saddle", "gate.amplitude": "0.2"}
SCENARIO = read(LINK).scenario


def download(visitor: Visitor, label: str) -> tuple[str, bytes]:
    with visitor.page.expect_download() as waiting:
        visitor.page.get_by_role("dialog").get_by_role("button", name=label, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def open_dialog(visitor: Visitor, slug: str) -> None:
    visitor.panel(slug).get_by_role("button", name="Take it home").first.click()
    visitor.page.get_by_role("dialog").locator("pre").nth(2).wait_for()


def test_files_come_without_a_rerun(visit: Callable[..., Visitor], server: str) -> None:
    visitor = visit(server, scheme="dark")
    visitor.open(**LINK)
    caption = visitor.caption("gate-map")
    open_dialog(visitor, "gate-map")
    visitor.settle()
    dialog = visitor.page.get_by_role("dialog")
    run = visitor.page.locator(".settled").get_attribute("title")
    place = dialog.bounding_box()
    for label, kind in (("SVG", "svg"), ("PDF", "pdf"), ("Data (CSV)", "csv"), ("Settings (JSON)", "json")):
        name, content = download(visitor, label)
        assert name == f"gate-map.{kind}"
        assert content == exported("gate-map", SCENARIO, kind)
    assert dialog.bounding_box() == place
    dialog.get_by_text("Double column").click()
    dialog.locator("pre", has_text="figure*").wait_for()
    name, content = download(visitor, "PNG, 300 dpi")
    assert name == "gate-map-double-300dpi.png"
    assert content == exported("gate-map", SCENARIO, "png", "double")
    assert visitor.page.locator(".settled").get_attribute("title") == run
    texts = dialog.locator("pre").all_inner_texts()
    assert texts[0].strip() == f"{visitor.address}/?preset=tied-saddle&gate.amplitude=0.2"
    assert texts[1].strip() == exported("gate-map", SCENARIO, "py", "double").decode().strip()
    assert r"\caption{How far can the gate open?" in texts[2]
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="detached")
    assert visitor.caption("gate-map") == caption
    assert visitor.errors == []


def test_a_map_is_taken_home_over_what_it_is_drawn(visit: Callable[..., Visitor], server: str) -> None:
    visitor = visit(server)
    visitor.open(**LINK, map="gain")
    open_dialog(visitor, "gate-map")
    for label, kind in (("SVG", "svg"), ("Data (CSV)", "csv")):
        name, content = download(visitor, label)
        assert name == f"gate-map-by-gain.{kind}"
        assert content == exported("gate-map", SCENARIO, kind, over="gain")
    assert content != exported("gate-map", SCENARIO, "csv")
    assert visitor.errors == []
