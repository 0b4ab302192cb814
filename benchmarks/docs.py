"""Write docs/performance.md from the results that are kept: `python -m benchmarks.docs`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.claim import Claim
from benchmarks.results import RESULTS, Result, read_results
from benchmarks.runner import benchmark_names
from engine.files.atomic import write_whole
from engine.report.tables.report_table import escape_markdown, format_markdown_table

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"

_PREFACE = """\
# Performance
<!-- written by `make bench-docs` from the results of `make bench`; changes made here are lost -->

**Every number is a ratio in one run**: ours beside a peer, or beside itself with more to do, on
the same machine and within the same minutes. Where they can they take turns, so that a busy machine
is busy for both; where the machine was very busy all the same, the page says so. A ratio says more
about another machine than seconds do; the seconds and megabytes in the details only say what it is
made of. `unresolved` is what was too small to be measured.

`make bench` measures everything again, `python -m benchmarks NAME …` some of it; each claim is
printed and kept as soon as it is measured. `make bench-docs` writes this page from what was kept.
"""


def performance_page(results: Mapping[str, Result], names: Iterable[str]) -> str:
    """The page: where it was measured, then one section for each of the named benchmarks."""
    newest = max(results.values(), key=lambda result: result.date)
    sections = (_section(name, results.get(name), newest) for name in names)
    return "\n".join((_PREFACE, _setting(newest), *sections))


def _setting(result: Result) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in result.versions.items())
    machine = escape_markdown(str(result.machine))
    return f"Machine: {machine}.\n\nVersions: {escape_markdown(versions)}.\n"


def _section(name: str, result: Result | None, newest: Result) -> str:
    if result is None:
        return f"## {name}\nNot measured yet.\n"
    parts = [f"## {name}\n{result.about}\n", f"{_when(result)}\n"]
    if (result.machine, result.versions) != (newest.machine, newest.versions):
        parts.append(f"Measured elsewhere than the newest. {_setting(result)}")
    if result.claims:
        head = ("claim", "measured", "goal", "detail")
        parts.append(f"{format_markdown_table(head, map(_row, result.claims))}\n")
    return "\n".join(parts)


def _when(result: Result) -> str:
    date = f"Measured {result.date[:10]}"
    if result.was_busy:
        date += f" on a busy machine (load {result.load:g} on {result.machine.cores} cores)"
    if result.failure:
        return f"{date}. **Ended early**: {escape_markdown(result.failure)}"
    return f"{date}." if result.finished else f"{date}. **Interrupted**: the rest is missing."


def _row(claim: Claim) -> tuple[str, str, str, str]:
    goal = f"{claim.wanted}, {claim.verdict}" if claim.verdict else claim.wanted
    return claim.name, claim.measured, goal, claim.detail


def main(folder: Path = RESULTS, page: Path = PAGE) -> int:
    try:
        results = read_results(folder)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if not results:
        print(f"no results in {folder}; `make bench` measures them", file=sys.stderr)
        return 1
    write_whole(performance_page(results, benchmark_names()), page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
