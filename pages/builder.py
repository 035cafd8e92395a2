"""Builder: panels of any page in a grid with their letters, as one file for a paper."""

from ui.navigation import guard

guard()

from ui import board_files, board_panels  # noqa: E402

board_panels.headline()
board_panels.draw()
board_files.draw()
