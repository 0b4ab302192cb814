"""Write the tables of `docs/reliability.md` from results: `python -m tests.write_reliability`.

What `make faults` and `make fuzz` have left in `build/reliability` is taken over into
`tests/faults/results`, and the tables are written from there. Each section needs its result, and
that of a whole campaign: what was tried of one command, or a few times, is not published.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from tests.faults.recipes import list_recipes
from tests.faults.result_files import KEPT, MEASURED, ROOT, read_result
from tests.faults.world import World

PAGE = ROOT / "docs" / "reliability.md"
BEGIN = "<!-- made by `python -m tests.write_reliability` from tests/faults/results -->\n"
END = "<!-- end of the results -->\n"

Result: TypeAlias = Mapping[str, Any]
_ABOUT = ("version", "date")
"""What every result says of itself."""


def with_results(page: str, results: Path = KEPT) -> str:
    """The page with all results between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, "the marks of the results are gone"
    sections = (_describe(name, read_result(name, results)) for name in SECTIONS)
    return f"{before}{BEGIN}{''.join(sections)}\n{END}{after}"


def _describe(name: str, result: Result) -> str:
    title, describe = SECTIONS[name]
    measured = f"Measured on {result['date']} with {result['version']}."
    lines = [f"## {title}", *describe(result), "", measured]
    return "\n" + "\n".join(lines) + "\n"


def _describe_faults(result: Result) -> Iterator[str]:
    rows = result["rows"]
    yield (
        "*coped*: the command went on to its end without that file, with its usual result or "
        "with a line that says what is missing; of a file that was cut short, the rest may be "
        "sound by itself. *lost*: an input that changed, an output that is gone, a mark that was "
        "acknowledged. *unclear*: not one line that names the file and the reason, or another exit "
        "code than it calls for. *late*: more than a second after Ctrl+C.\n"
    )
    names = {"half": "half files", "stray": "stray files", "traceback": "tracebacks"}
    heads = "fault times coped lost half stray traceback unclear late".split()
    yield from _table([names.get(head, head) for head in heads], _pick(rows, heads))
    total, lost = (sum(row[name] for row in rows) for name in ("times", "lost"))
    lines = result["command_lines"]
    yield f"\n{total:,} faults in {lines:,} command lines and in databases, {lost:,} lost."


def _describe_kills(result: Result) -> Iterator[str]:
    yield "In a real terminal; what the screen has shown as saved is looked for one by one.\n"
    heads = ("fault", "times", "acknowledged", "lost")
    yield from _table(heads, _pick(result["rows"], heads))


def _describe_interrupts(result: Result) -> Iterator[str]:
    yield (
        "Ctrl+C, SIGTERM or SIGHUP at random moments. *lasts*: seconds that the command takes when "
        "it is left alone; *longest*: seconds from the signal to its end, at worst; *wrong*: "
        "another exit code or message, or files and processes that are left.\n"
    )
    rows = [{**row, "wrong": len(row["wrong"])} for row in result["rows"]]
    heads = ("command", "lasts", "times", "longest", "wrong")
    yield from _table(heads, _pick(rows, heads))


def _describe_soak(result: Result) -> Iterator[str]:
    yield (
        "One inspector, whose every key and query is counted. *growth*: of its memory, from the "
        "first round after the warm-up to the last; *slower*: a key of the last round, as a "
        "multiple of one of the first (below 1: faster).\n"
    )
    growth = f"{result['growth']:+.1%}"
    heads = ("keys", "queries", "growth", "slower")
    yield from _table(heads, _pick([{**result, "growth": growth}], heads))


def _describe_fields(about: str) -> Callable[[Result], Iterator[str]]:
    """A section about whatever numbers a result holds."""

    def describe(result: Result) -> Iterator[str]:
        yield f"{about}\n"
        numbers = {name: value for name, value in result.items() if name not in _ABOUT}
        rows = [[name.replace("_", " "), value] for name, value in numbers.items()]
        yield from _table(("what", "found"), rows)

    return describe


SECTIONS: dict[str, tuple[str, Callable[[Result], Iterator[str]]]] = {
    "faults": ("Faults wherever a file is touched", _describe_faults),
    "kills": ("Kills of the inspector", _describe_kills),
    "writers": (
        "Many writers on one store",
        _describe_fields(
            "Processes that write marks at once, as fast as they can. *acknowledged*: marks that "
            "were said to be saved, each of which is looked for afterwards; *refused*: tries that "
            "were told that the store is locked."
        ),
    ),
    "interrupts": ("Signals in long commands", _describe_interrupts),
    "soak": ("A long session", _describe_soak),
    "fuzz": (
        "Mutated files and command lines",
        _describe_fields(
            "Every reader and every command. *values*: inputs that could be read all the same; "
            "*refused*: with one line that names the file; *unforeseen*: so too, but the line "
            "quotes a library that failed as its reader does not expect; *unexpected*: an error "
            "of the program itself; *changed or left*: a file other than the output; *bad "
            "messages*: more than one line, or too long, or with what a terminal would obey."
        ),
    ),
}
"""Every result, by the name of its file: its title, and what is said of it."""


def _pick(rows: Sequence[Result], heads: Sequence[str]) -> list[list[Any]]:
    return [[row[head] for head in heads] for row in rows]


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(_show, row))} |"


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)


def find_size(name: str, result: Result) -> int:
    """How much was tried in a campaign; of what was tried in several ways, the least.

    >>> find_size("interrupts", {"rows": [{"times": 20}, {"times": 3}]})
    3
    """
    if name == "kills":
        return sum(row["times"] for row in result["rows"])
    if name == "interrupts":
        return min(row["times"] for row in result["rows"])
    field = {"faults": "command_lines", "writers": "writers", "soak": "keys", "fuzz": "inputs"}
    return int(result[field[name]])


def find_wanted_size(name: str) -> int:
    """How much is tried in a whole campaign."""
    if name == "faults":
        return len(list_recipes(World(Path("/world"))))
    return {"kills": 200, "writers": 50, "interrupts": 20, "soak": 20_000, "fuzz": 100_000}[name]


def take_over(measured: Path = MEASURED, kept: Path = KEPT) -> None:
    """Keep what was measured last, as it was written."""
    for name in SECTIONS:
        file = measured / f"{name}.json"
        if not file.exists():
            continue
        size, wanted = find_size(name, read_result(name, measured)), find_wanted_size(name)
        if size < wanted:
            raise SystemExit(f"{file} is of {size:,}, not of {wanted:,}: run its whole campaign")
        shutil.copyfile(file, kept / file.name)


if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m tests.write_reliability", description=__doc__
    ).parse_args()
    take_over()
    PAGE.write_text(with_results(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
