"""Write the tables of `docs/reliability.md` from results: `python -m tests.write_reliability`.

What `make faults` and `make fuzz` have left in `build/reliability` is taken over into
`tests/faults/results`, without what is long, and the tables are written from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
MEASURED = ROOT / "build" / "reliability"
RESULTS = ROOT / "tests" / "faults" / "results"
_LONG = ("rounds", "unforeseen", "findings", "what")

BEGIN = "<!-- made by `python -m tests.write_reliability` from tests/faults/results -->\n"
END = "<!-- end of the results -->\n"


def with_results(page: str, results: Path = RESULTS) -> str:
    """The page with the results that are there between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, "the marks of the results are gone"
    sections = (_read(results, name, make) for name, make in _SECTIONS.items())
    return f"{before}{BEGIN}{''.join(sections)}\n{END}{after}"


def _read(results: Path, name: str, make: Callable[[Any], Iterator[str]]) -> str:
    file = results / f"{name}.json"
    if not file.exists():
        return ""
    return "\n" + "\n".join(make(json.loads(file.read_text(encoding="utf-8")))) + "\n"


def _describe_faults(rows: Any) -> Iterator[str]:
    yield "## Faults wherever a file is touched"
    yield (
        "*coped*: the command went on to its end without that file, and said so where it matters. "
        "*lost*: an input that changed, an output that is gone, a mark that was acknowledged. "
        "*unclear*: not one line that names the file and the reason; *late*: more than a second "
        "after Ctrl+C."
    )
    yield ""
    heads = "fault times coped lost half stray traceback unclear late".split()
    yield from _table(
        ["fault", "times", "coped", "lost", "half files", "stray files", "tracebacks", *heads[7:]],
        [[row[head] for head in heads] for row in rows],
    )
    total = sum(row["times"] for row in rows)
    yield f"\n{total:,} faults in all, {sum(row['lost'] for row in rows)} lost."


def _describe_kills(rows: Any) -> Iterator[str]:
    yield "## Kills of the inspector"
    yield "In a real terminal; what the screen has shown as saved is looked for one by one.\n"
    heads = ("fault", "times", "acknowledged", "lost")
    yield from _table(heads, [[row[head] for head in heads] for row in rows])


def _describe_fields(title: str, about: str) -> Callable[[Any], Iterator[str]]:
    """A section about whatever numbers a result holds."""

    def describe(found: Any) -> Iterator[str]:
        yield f"## {title}"
        yield f"{about}\n"
        if isinstance(found, list):
            heads = [name for name in found[0] if name not in _LONG]
            yield from _table(heads, [[row[head] for head in heads] for row in found])
        else:
            numbers = [[name.replace("_", " "), value] for name, value in found.items()]
            yield from _table(("what", "found"), [row for row in numbers if row[0] not in _LONG])

    return describe


_SECTIONS: dict[str, Callable[[Any], Iterator[str]]] = {
    "faults": _describe_faults,
    "kills": _describe_kills,
    "writers": _describe_fields("Many writers on one store", "Processes that write at once."),
    "interrupts": _describe_fields("Ctrl+C in long commands", "At random moments of each."),
    "soak": _describe_fields("A long session", "2,000 queries and 20,000 keys in one inspector."),
    "fuzz": _describe_fields("Mutated files and command lines", "Every reader and every command."),
}


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(_show, row))} |"


def _show(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value)) or "–"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def take_over() -> None:
    """Keep what was measured last, without what is long."""
    for name in _SECTIONS:
        file = MEASURED / f"{name}.json"
        if file.exists():
            found = json.loads(file.read_text(encoding="utf-8"))
            short = [*map(_shorten, found)] if isinstance(found, list) else _shorten(found)
            text = json.dumps(short, indent=1, ensure_ascii=False) + "\n"
            (RESULTS / file.name).write_text(text, encoding="utf-8")


def _shorten(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in _LONG}


if __name__ == "__main__":
    take_over()
    PAGE.write_text(with_results(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
