"""Write `docs/reliability.md` from results: `python -m tests.write_reliability`.

What `make faults` and `make fuzz` have left in `build/reliability` is taken over into
`tests/faults/results`, without what is long, and the page is written from there.
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

HEAD = """# Reliability
<!-- written by `python -m tests.write_reliability` from tests/faults/results; changes made here are lost -->

What was done to tui-eval, how often, and what was lost. Every number is counted by the harness that
`make faults` and `make fuzz` run; both find by themselves what there is to try, so that a new
command or reader is tried as well.
"""

GUARANTEES = """
## What holds, and why
| guarantee | mechanism |
| --- | --- |
| A file that is written holds what it held, or all of the new | `engine/files/atomic.py`: the new bytes go to a file without a name (`O_TMPFILE`), which takes the name when it is whole; however the process ends, nothing is left of it |
| No output destroys an input, by any path, symlink or hard link | `engine/files/protection.py`: whoever opens a file protects it, whoever means to write one claims it; the second of the two is refused, before the work. Every path that a command is given is an input unless its option says that it is written |
| A mark or note that is shown as saved is saved | One transaction of SQLite each, in a write-ahead log, before the screen shows it |
| A store or folder that is deleted or replaced meanwhile loses nothing | `engine/sessions`: the open files are watched, and made again with all that was in them |
| A phrase that is learned overwrites nothing that somebody else has written | `engine/files/change.py`: a lock on the folder, and a comparison before the file is replaced |
| A cache that cannot be written costs time, never a result | `engine/text/vector_cache.py` goes on in memory |
| Every failure is one line that names the file and the reason, exit code 2 | `engine/files/reading.py` and `reader.py` turn what the system or a library says into an `InputError`; `tui/cli` prints it |
| Ctrl+C ends a command with exit code 130 | Nothing that is half done has a name |

## Memory
A file is refused before it is read if reading it would take more than three quarters of the memory
that is free (of the machine, of the container, of the process), or a thousand times its own size
where that is above a gigabyte. The message says how much it needs. `TUI_EVAL_MEMORY=40GB` sets the
limit instead, in either direction.

## How it is tried
`make faults` runs every command once, in every way in which it finds its files. Wherever the command
is about to touch a file (`engine/files/points.py`) it forks, and each fork suffers one fault there
and goes on to its end; then the files are compared, byte by byte. A test makes sure that no file is
opened without such a point. Databases, which SQLite writes in its own way, get real faults of the
system instead. A slice of it, each point of every command with a full disk and with kill -9, runs in
`make test`.

```console
$ make faults        # all tables of this page; half an hour
$ make fuzz          # 100,000 mutated files and command lines
$ python -m tests.faults               # the first table alone; some minutes
$ python -m tests.write_reliability    # this page, from what was found
```

## What is not covered
- The moment between the two system calls that replace a file which is there: a kill exactly then
  leaves the whole new file beside it, called `.NAME.` and eight characters. A file that is new has
  no such moment.
- File systems without `O_TMPFILE` (some network file systems): a kill may leave a file of that name.
- A loss of power: files are not forced to the disk, and the store may lose what was saved in the
  last moments before it, though it stays whole.
- A read that hangs inside the system, as on a network disk whose server is gone: Ctrl+C waits for
  the system.
- What runs in processes of its own (decoding of clips, text encoders other than the embedded one)
  has its own tests, not these points. Files of installed packages are not touched.
"""


def make_page(results: Path = RESULTS) -> str:
    """The page, from the results that are there."""
    sections = (_read(results, name, make) for name, make in _SECTIONS.items())
    return HEAD + "".join(filter(None, sections)) + GUARANTEES


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
    yield "A session in a real terminal; what the screen has shown as saved is looked for one by one.\n"
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
    PAGE.write_text(make_page(), encoding="utf-8")
