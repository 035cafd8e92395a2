"""`python -m tests.browser.walk [phone]`: every page with every preset and menu choice, in Chromium.

On a laptop the special values and the axes of the map as well; on a dark phone the presets alone. Prints what
is wrong, and ends with 1 if anything is. There are hundreds of places; the suite walks a part.
"""

import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from presets import map_axis
from presets.compression import COMPRESSIONS
from presets.family import FAMILIES
from presets.link import with_value, write
from presets.load import DEFAULT, dump, preset, preset_names, validate
from presets.schema import KERNELS, Scenario
from tests.browser.serving import chromium, served
from tests.browser.visitor import PATIENCE, Visitor
from tests.figures.scenarios import EDGES
from ui.navigation import ADDRESSES

TIED = "tied-saddle"
"""Preset the menus are tried on: every direction of ψ is open to a tied stack."""

CHOICES: dict[str, Iterable[Any]] = {
    "family.kind": FAMILIES,
    "compression": [
        {"kind": kind, **({"scores": [0, 1] * 4} if kind == "scored" else {})} for kind in COMPRESSIONS
    ],
    "kernel.kind": KERNELS,
    "gate.injection.alignment": ("identity", "aligned", "angle", "random", "worst"),
    "gate.injection.kind": ("linear", "tanh"),
    "gate.topology": ("self", "ring", "cascade"),
    "gate.refresh_period": (2, 8, 32, None),
}
"""Every menu of the sidebar, with what it offers."""

LAPTOP: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}

_BLANK = """() => [...document.querySelectorAll('canvas.marks')].filter(canvas => {
  const points = new Uint32Array(
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const drawn = points.filter(point => point !== points[0]).length;
  return canvas.width < 100 || canvas.height < 100 || drawn < 100;
}).map(canvas => canvas.closest('[class*=st-key-panel-]').className)"""

_SIDEWAYS = "() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"


class Stop(NamedTuple):
    """One place of the walk: what is looked at, on which page, and the link's parameters."""

    name: str
    page: str
    parameters: dict[str, str]


def stops(scenarios: dict[str, tuple[str, Scenario]], pages: Iterable[str] = ADDRESSES) -> list[Stop]:
    """List every page with every scenario, each given with the preset its link starts from."""
    return [
        Stop(name, page, write(scenario, base))
        for name, (base, scenario) in scenarios.items()
        for page in pages
    ]


def everything() -> list[Stop]:
    """List the whole walk: presets and menus on all pages, special values and map axes on Explore."""
    scenarios = _presets()
    for path, options in CHOICES.items():
        for option in options:
            scenarios[f"{path} {option}"] = (TIED, validate(with_value(dump(preset(TIED)), path, option)))
    edges = {name: (DEFAULT, scenario) for name, scenario in EDGES.items()}
    maps = [
        Stop(f"map {axis}", "/", write(preset(name), name) | {"map": axis})
        for name in (DEFAULT, TIED, "looped-loop")
        for axis in map_axis.axes(preset(name))
    ]
    return stops(scenarios) + stops(edges, ["/"]) + maps


def _presets() -> dict[str, tuple[str, Scenario]]:
    return {name: (name, preset(name)) for name in preset_names()}


def faults(visitor: Visitor, stop: Stop) -> list[str]:
    """Open a place and say what is wrong there."""
    before = len(visitor.troubles())
    visitor.open(stop.page, **stop.parameters)
    page = visitor.page
    found = [f"blank: {name}" for name in page.evaluate(_BLANK)]
    found += [f"failed: {text}" for text in page.locator(".failure").all_inner_texts()]
    found += [f"refused: {text}" for text in page.locator(".refusal").all_inner_texts()]
    found += ["traceback"] * visitor.tracebacks()
    found += [f"{page.evaluate(_SIDEWAYS)} px too wide"] if page.evaluate(_SIDEWAYS) > 0 else []
    return found + [f"console: {error}" for error in visitor.troubles()[before:]]


def main(*, on_a_phone: bool) -> int:
    """Walk everything, or the presets on a phone, and print what is wrong."""
    wrong = 0
    with sync_playwright() as tools, served() as address:
        context = chromium(tools).new_context(**(PHONE if on_a_phone else LAPTOP))
        context.set_default_timeout(PATIENCE)
        visitor = Visitor(context.new_page(), address)
        places = stops(_presets()) if on_a_phone else everything()
        for stop in places:
            found = faults(visitor, stop)
            wrong += bool(found)
            print(f"{'✗' if found else '✓'} {stop.page} {stop.name} {' · '.join(found)}", flush=True)
    print(f"{len(places)} places, {wrong} with something wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(on_a_phone="phone" in sys.argv))
