"""`python -m benchmarks`: measure what the budgets speak of, and print it as a table."""

import statistics

from benchmarks import page


def main() -> None:
    """Run every benchmark and print one table."""
    times = page.measure()
    rows = [
        ("key press on ϱ → all panels repainted", times.explorer),
        ("bare slider → text, same browser", times.bare),
    ]
    print(f"{'':40} {'median':>9} {'fastest':>9} {'slowest':>9}")
    for name, taken in rows:
        print(f"{name:40} {statistics.median(taken):6.0f} ms {min(taken):6.0f} ms {max(taken):6.0f} ms")
    print(f"{'ratio of medians':40} {times.ratio:6.2f} ×   (target: at most {page.TARGET:g} ×)")


if __name__ == "__main__":
    main()
