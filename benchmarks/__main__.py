"""Run the benchmarks and print each claim with its measured ratio and its goal."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def main(names: list[str]) -> int:
    known = sorted(
        path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")
    )
    chosen = names or known
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("claim", "measured", "goal", "", "detail"):
        table.add_column(column)
    missed = 0
    for name in chosen:
        print(f"{name} …", file=sys.stderr)
        for claim, ratio, goal, direction, detail in importlib.import_module(
            f"benchmarks.bench_{name}"
        ).run():
            if goal is None:  # told for information
                table.add_row(Text(claim), f"{ratio:.2f}×", "", "", Text(detail))
                continue
            met = ratio >= goal if direction == "at least" else ratio <= goal
            missed += not met
            table.add_row(
                Text(claim),
                f"{ratio:.2f}×",
                f"{direction} {goal:g}×",
                "met" if met else "MISSED",
                Text(detail),
            )
    Console(width=None if sys.stdout.isatty() else 160, highlight=False, markup=False).print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
