"""Write what commands print into `docs/triage.md`: `python -m tests.write_triage_page`.

Each console block of the page is run on the sample. A line `…` in it stands for lines that were
left out; the others are replaced by the printed lines that are most like them. Read what came of
it: a table that changed its shape wants a new choice of lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from difflib import SequenceMatcher
from tempfile import TemporaryDirectory

from tests.test_layers import ROOT

PAGE = ROOT / "docs" / "triage.md"
LEFT_OUT = "…"
CONSOLE = re.compile(r"^```console\n\$ tui-eval ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_ALIKE = 0.6
_NEAR = 0.011
"""Numbers may differ by so much, or by as large a part: another processor adds up in another
order."""

_NUMBER = re.compile(r"[+−]?\d[\d,]*(?:\.\d+)?")


def with_output(page: str) -> str:
    """The page with what its commands print now."""
    with in_own_folder():
        return CONSOLE.sub(lambda found: _renew(found[1], found[2]), page)


@contextlib.contextmanager
def in_own_folder() -> Iterator[None]:
    """An empty folder, and lines of the length that the page has."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "120"
    try:
        with TemporaryDirectory() as folder, contextlib.chdir(folder):
            yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def print_output(command: str) -> list[str]:
    """What a command of the program prints, line by line."""
    from tui.cli.app import run_command_line

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run_command_line(shlex.split(command))
    assert code == 0, command
    return [line.rstrip() for line in out.getvalue().splitlines()]


def _renew(command: str, quoted: str) -> str:
    text = "\n".join(_choose(print_output(command), quoted.splitlines()))
    return f"```console\n$ tui-eval {command}\n{text}\n```"


def _choose(printed: list[str], quoted: list[str]) -> list[str]:
    """For each quoted line the printed one, with whatever stands between two of them now."""
    chosen: list[str] = []
    at, may_skip = 0, False
    for line in quoted:
        if line == LEFT_OUT:
            chosen.append(line)
            may_skip = True
        elif line.strip():
            found = _find_most_alike(printed, line, at, len(printed) if may_skip else at + 4)
            if found is None:
                continue
            chosen += printed[found if may_skip else at : found + 1]
            at, may_skip = found + 1, False
    return chosen


def _find_most_alike(printed: list[str], line: str, first: int, end: int) -> int | None:
    ratios = {
        place: SequenceMatcher(None, printed[place].split(), line.split()).ratio()
        for place in range(first, min(end, len(printed)))
    }
    best = max(ratios, key=lambda place: ratios[place], default=None)
    return best if best is not None and ratios[best] >= _ALIKE else None


def find_stale_lines(printed: list[str], quoted: list[str]) -> list[str]:
    """The quoted lines that were not printed in this order, without others in between but where
    some were left out; numbers may differ a little."""
    lines = [line for line in printed if line.strip()]
    stale = []
    at, may_skip = 0, False
    for line in filter(str.strip, quoted):
        if line == LEFT_OUT:
            may_skip = True
            continue
        rest = range(at, len(lines) if may_skip else min(at + 1, len(lines)))
        found = next((place for place in rest if _says_the_same(lines[place], line)), None)
        if found is None:
            stale.append(line)
        else:
            at = found + 1
        may_skip = False
    return stale


def _says_the_same(printed: str, quoted: str) -> bool:
    """Words are equal, numbers nearly."""
    words = [" ".join(_NUMBER.sub("#", line).split()) for line in (printed, quoted)]
    numbers = [[_read_number(n) for n in _NUMBER.findall(line)] for line in (printed, quoted)]
    return words[0] == words[1] and all(
        abs(one - other) <= _NEAR * max(1.0, abs(other))
        for one, other in zip(*numbers, strict=True)
    )


def _read_number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def main() -> None:
    PAGE.write_text(with_output(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
