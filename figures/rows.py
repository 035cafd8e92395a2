"""Rows of a chart's dataset, held as columns: cheap to make and to send on every step of a slider."""

from typing import Any

import numpy as np
import pandas as pd


class Rows:
    """Named columns of equal length; never changed once made.

    **Arguments:** columns by name, one-dimensional; a single value stands in every row.
    """

    def __init__(self, **columns: Any) -> None:
        arrays = {name: _array(values) for name, values in columns.items()}
        length = next((len(array) for array in arrays.values() if array.ndim), 1)
        self.columns = {
            name: array if array.ndim else np.repeat(array[None], length) for name, array in arrays.items()
        }

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def having(self, **columns: Any) -> "Rows":
        """Return the rows with further or replaced columns."""
        return Rows(**(self.columns | columns))

    def where(self, shown: bool) -> "Rows":
        """Return all rows, or the same columns without any."""
        return self if shown else Rows(**{name: column[:0] for name, column in self.columns.items()})

    @property
    def frame(self) -> pd.DataFrame:
        """The same rows as a table."""
        return pd.DataFrame(self.columns)


def _array(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    array = np.asarray(values)
    return array.astype(float) if array.dtype.kind in "iuf" else array
