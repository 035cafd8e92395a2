"""A figure's table as CSV: one row per observation, names with units in the first line."""

import pandas as pd


def csv(table: pd.DataFrame) -> str:
    """Write a table in full precision; what does not exist stays empty, infinities are `inf`."""
    return table.to_csv(index=False, lineterminator="\n")
