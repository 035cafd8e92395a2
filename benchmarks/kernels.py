"""The kernel table: the engine against plain NumPy and SciPy, and how the token flow grows."""

from benchmarks import gate_kernels, token_growth, token_kernels
from benchmarks.ratio import Row


def main() -> None:
    """Measure every kernel and print one table, a row as soon as it is known."""
    print(f"{'':38} {'engine':>9} {'plain':>9} {'ratio':>7}  {'target':6}")
    for rows in (token_kernels.rows(), gate_kernels.rows()):
        for row in rows:
            print(_line(row), flush=True)
    growth = token_growth.measure()
    print(f"\n{'token flow, T tokens':38} {'seconds':>9} {'MB':>9}")
    for tokens, seconds, megabytes in zip(*growth, strict=True):
        print(f"{tokens:38,} {seconds:9.3f} {megabytes:9.0f}")
    time, memory = (growth.exponent(values) for values in (growth.seconds, growth.megabytes))
    print(f"{'fitted exponent of T (target: 1)':38} {time:9.2f} {memory:9.2f}")


def _line(row: Row) -> str:
    target = "" if row.target is None else f"≥ {row.target:g}"
    return f"{row.name:38} {row.ours:6.2f} ms {row.plain:6.0f} ms {row.ratio:6.1f}×  {target:6}  {row.size}"
