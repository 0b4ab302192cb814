"""Runs benchmarks one after another: each claim is printed and kept as soon as it is measured.

A benchmark is a module `benchmarks.bench_NAME` whose `run()` yields claims. One that raises becomes
a row that says so, and the next one has its turn.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.claim import Claim
from benchmarks.machine import installed_versions, this_machine
from benchmarks.results import Result, write_result

_HEAD = ("claim", "measured", "goal", "", "detail")


def benchmark_names() -> list[str]:
    files = Path(__file__).parent.glob("bench_*.py")
    return sorted(path.stem.removeprefix("bench_") for path in files)


def load_benchmark(name: str) -> Any:
    """The module, with its `run` and its docstring."""
    return importlib.import_module(f"benchmarks.bench_{name}")


def run_benchmarks(
    names: Iterable[str],
    folder: Path,
    console: Console,
    load: Callable[[str], Any] = load_benchmark,
) -> bool:
    """Run them all; whether each came to its end and no goal was missed."""
    folder.mkdir(parents=True, exist_ok=True)  # now rather than after minutes, if it cannot be
    _print_row(console, _HEAD, "bold")
    good = []
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        good.append(_run_benchmark(name, folder, console, load).is_good)
    return all(good)


def _run_benchmark(name: str, folder: Path, console: Console, load: Callable[[str], Any]) -> Result:
    date, waiting = datetime.now(UTC).isoformat(timespec="seconds"), round(os.getloadavg()[0], 1)
    result = Result(name, "", date, waiting, this_machine(), installed_versions())
    try:
        module = load(name)
        result = replace(result, about=inspect.cleandoc(module.__doc__ or ""))
        for claim in module.run():
            result = replace(result, claims=(*result.claims, claim))
            _print_row(console, _cells(claim))
            write_result(result, folder)
        result = replace(result, finished=True)
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        result = replace(result, failure=_reason(error))
        failed = f"{name}: ended early"
        _print_row(console, (failed, "", "", "FAILED", result.failure))
    write_result(result, folder)
    return result


def _reason(error: BaseException) -> str:
    """One line: of a long message its first and its last, which has the cause in a traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = " … ".join(dict.fromkeys((*lines[:1], *lines[-1:])))
    return ": ".join(part for part in (type(error).__name__, text) if part)


def _cells(claim: Claim) -> Sequence[str]:
    return claim.name, claim.measured, claim.wanted, claim.verdict, claim.detail


def _print_row(console: Console, cells: Sequence[str], style: str = "") -> None:
    """One row of a table whose columns have the same widths in every row."""
    row = Table.grid(padding=(0, 2, 0, 0), expand=True)
    row.add_column(ratio=2)
    for width in (10, 14, 6):
        row.add_column(width=width)
    row.add_column(ratio=3)
    row.add_row(*map(Text, cells), style=style)
    console.print(row)
