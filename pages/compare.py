"""Compare: up to four scenarios side by side; first the settings that differ, then numbers and figures."""

from ui.navigation import guard

guard()

from ui import compare_choice, compare_figures, compare_tables  # noqa: E402

compare_tables.headline()
compare_choice.draw()
compare_tables.draw()
compare_figures.draw()
