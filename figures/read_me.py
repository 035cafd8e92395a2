"""What stands behind a figure's question mark."""

from typing import NamedTuple


class ReadMe(NamedTuple):
    """Formula, statement and reading of one figure.

    **Fields:**

    - `formula`: what is drawn, for KaTeX.
    - `statement`: where it comes from, and what is approximate.
    - `reading`: how to read the picture.
    """

    formula: str
    statement: str
    reading: str
