"""`python -m benchmarks [page|kernels]`: measure what the budgets speak of, and print it as a table."""

import argparse
import statistics


def main() -> None:
    """Run the benchmarks asked for: the page's answer to a key press unless the kernels are named."""
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("page", "kernels"), default="page")
    if parser.parse_args().what == "kernels":
        from benchmarks import kernels  # needs no browser, and the page no engine

        kernels.main()
    else:
        _page()


def _page() -> None:
    from benchmarks import page

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
