"""Compare and Builder in a real browser: a link shows both scenarios, and the board's files come down."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from figures.board import exported
from presets.board import Board, read_layout
from presets.load import preset
from tests.browser.visitor import Visitor

LINK = {"preset": "tied-saddle", "with": "looped-loop", "figures": "saturation-depth"}
ARRANGED = "double,2,saturation-depth,saturation-depth.1"
PHONE = {"width": 390, "height": 844}
BOARD = Board(**read_layout(ARRANGED).model_dump(), scenarios=(preset("tied-saddle"), preset("looped-loop")))


def download(visitor: Visitor, label: str) -> tuple[str, bytes]:
    with visitor.page.expect_download() as waiting:
        visitor.page.get_by_role("button", name=label, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_a_comparison_is_opened_and_its_figure_is_taken_home(
    visit: Callable[..., Visitor], server: str
) -> None:
    visitor = visit(server)
    visitor.open("/compare", **LINK)
    assert visitor.page.locator("h1.verdict").inner_text() == "A and B differ in nine settings."
    heads = visitor.page.locator(".st-key-settings-differ thead th").all_inner_texts()
    assert [head.split()[0] for head in heads] == ["A", "B"]
    assert visitor.page.locator("[class*='st-key-cell-'] .marks").count() == 2
    visitor.page.get_by_role("button", name="Draw them together").click()
    visitor.page.locator(".outline").wait_for()
    visitor.settle()
    assert visitor.page.locator(".outline > div").count() == 2
    for label, kind in (("PDF", "pdf"), ("Board (JSON)", "json")):
        name, content = download(visitor, label)
        assert name == ("board.json" if kind == "json" else f"board-double.{kind}")
        assert content == exported(BOARD, kind)
    visitor.page.get_by_role("button", name="Draw it").click()
    image = visitor.page.locator("img.sheet")
    image.wait_for()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert visitor.tracebacks() == 0
    assert visitor.troubles() == []


def test_no_page_asks_another_machine(visitor: Visitor) -> None:
    for page in ("", "saturation", "compare", "builder", "about"):
        visitor.open(f"/{page}", **LINK)
        assert visitor.tracebacks() == 0, page
    asked = [url for url in visitor.requests if not url.startswith(("data:", "blob:"))]
    assert {urlsplit(url).hostname for url in asked} == {"127.0.0.1"}
    assert visitor.troubles() == []


def test_phone(visit: Callable[..., Visitor], server: str) -> None:
    visitor = visit(server, viewport=PHONE, scheme="dark")
    for page in ("/compare", "/builder"):
        visitor.open(page, **LINK)
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert visitor.page.get_by_test_id("stMain").evaluate("main => main.scrollWidth") <= PHONE["width"]
        assert visitor.troubles() == []


def test_a_board_s_file_is_opened_where_nothing_of_it_is(visit: Callable[..., Visitor], server: str) -> None:
    own = preset("looped-loop").model_copy(update={"depth": 40})
    layout = {"columns": 2, "panels": [{"figure": "gate-map"}, {"figure": "gate-map", "scenario": 1}]}
    board = Board(**layout, map="gain", scenarios=(own, preset("tied-saddle")))
    visitor = visit(server)
    visitor.open("/builder")
    visitor.page.locator("input[type=file]").set_input_files(
        {"name": "board.json", "mimeType": "application/json", "buffer": exported(board, "json")}
    )
    visitor.page.locator(".outline > div").nth(1).wait_for()
    visitor.page.wait_for_url("**with=tied-saddle**")
    visitor.settle()
    asked = dict(parse_qsl(urlsplit(visitor.page.url).query))
    assert asked == {
        "preset": "looped-loop",
        "depth": "40",
        "map": "gain",
        "with": "tied-saddle",
        "board": "double,2,gate-map,gate-map.1",
    }
    assert download(visitor, "Board (JSON)")[1] == exported(board, "json")
    assert visitor.troubles() == []
