"""What is known of a board before it is drawn: its figures exist, and its panels have letters."""

from figures import FIGURES
from figures.choice import check_choice
from presets.board import Layout

LETTERS = "abcdefgh"


def check(layout: Layout) -> None:
    """Raise `Refused` for a figure that does not exist."""
    for panel in layout.panels:
        check_choice("figure", panel.figure, FIGURES)


def letter(place: int) -> str:
    """Return the letter of a panel by its place, from 0."""
    return f"({LETTERS[place]})"
