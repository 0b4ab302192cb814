"""Run the benchmarks and print each claim with its measured ratio and its goal."""

from __future__ import annotations

import sys

from rich.console import Console

from benchmarks.results import RESULTS
from benchmarks.runner import benchmark_names, run_benchmarks


def main(names: list[str]) -> int:
    known = benchmark_names()
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False, markup=False)
    good = run_benchmarks(names or known, RESULTS, console)
    print("kept in benchmarks/results; `make bench-docs` writes the page", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
