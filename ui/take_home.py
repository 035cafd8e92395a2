"""What a visitor takes home of a figure: files for print, the data, the link, and lines that repeat it."""

import logging
from functools import partial
from html import escape
from types import ModuleType
from urllib.parse import urlencode

import streamlit as st

from figures import MAP
from presets.map_axis import ANGLE
from presets.schema import Scenario
from ui.session import session

WIDTHS = {"single": "Single column, 3.3 in", "double": "Double column, 6.9 in"}


def button(slug: str, figure: ModuleType) -> None:
    """Draw the button that opens a figure's dialog; nothing behind it exists until it is pressed."""
    pressed = st.button("Take it home", key=f"take-{slug}", icon=":material/download:", type="tertiary")
    if pressed:
        st.dialog(figure.QUESTION, width="medium")(_content)(slug, session().scenario, _over(slug), _link())


def _link() -> str:
    """Return the address of what the page shows."""
    address = (st.context.url or "").rstrip("/")
    return f"{address}/?{urlencode(st.query_params.to_dict(), safe=',')}"


def _over(slug: str) -> str:
    """Return the second parameter of the gate map; the angle for every other figure."""
    return session().view.map if slug == MAP else ANGLE


def _content(slug: str, scenario: Scenario, over: str, link: str) -> None:
    """Offer the files of one figure, drawn when they are asked for, and what is best copied."""
    from figures.export import exported  # what draws is loaded only to draw

    place = st.container()
    width = place.segmented_control(
        "Drawn for print, on white", WIDTHS, default="single", required=True, format_func=WIDTHS.__getitem__
    )
    try:
        texts = {kind: exported(slug, scenario, kind, width, over=over).decode() for kind in ("py", "tex")}
    except Exception:
        logging.getLogger(__name__).exception("figure %s has nothing to take home", slug)
        said = "This figure could not be computed for these settings, so there is nothing to take home."
        place.html(f'<p role="status">{said}</p>')
        return
    _files(slug, scenario, width, over)
    _copy("Link", link)
    _copy("Repeat it in Python", texts["py"], "python")
    _copy("Figure and caption for LaTeX", texts["tex"], "latex")


def _files(slug: str, scenario: Scenario, width: str, over: str) -> None:
    from figures.export import MEDIA, RESOLUTIONS, exported, file_name

    files = [("PDF", "pdf", 300), ("SVG", "svg", 300)]
    files += [(f"PNG, {dots} dpi", "png", dots) for dots in RESOLUTIONS]
    files += [("Data (CSV)", "csv", 300), ("Settings (JSON)", "json", 300)]
    with st.container(horizontal=True, gap="small"):
        for label, kind, dots in files:
            st.download_button(
                label,
                partial(exported, slug, scenario, kind, width, dots, over=over),
                file_name(slug, kind, width, dots, over=over),
                MEDIA[kind],
                key=f"download-{label}",
                on_click="ignore",
            )


def _copy(label: str, text: str, language: str | None = None) -> None:
    """Show a text with a button that copies it."""
    st.html(f'<p class="copy">{escape(label)}</p>')
    st.code(text, language=language, wrap_lines=True)
