"""Writing what a screen shows to a new file in the current folder, and saying which it became."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from textual.screen import Screen

from engine.base.errors import InputError
from tui.look.safe import escape
from tui.work.documents import make_file_name, write_cells, write_new

if TYPE_CHECKING:
    from engine.base.arrays import Ints


class Writable(Protocol):
    """A table whose rows can be written."""

    def __len__(self) -> int: ...
    def as_cells(self, rows: Any) -> Iterator[list[str]]: ...


def write_table(
    screen: Screen[Any], name: str, table: Writable, rows: Ints, what: str = "queries"
) -> None:
    """Write rows as CSV, in the background: there may be many."""
    wanted = Path.cwd() / f"{make_file_name(name)}.csv"

    def write() -> None:
        try:
            path = write_cells(wanted, table.as_cells(rows))
        except InputError as error:
            said, severity = str(error), "error"
        else:
            said = f"{len(rows):,} of {len(table):,} {what} written to {path.name}"
            severity = "information"
        screen.app.call_from_thread(screen.notify, escape(said), severity=severity, markup=False)

    screen.run_worker(write, thread=True, group="write")


def write_text(screen: Screen[Any], name: str, text: str, suffix: str) -> None:
    """Write a text at once; `InputError`: it cannot be written."""
    path = write_new(Path.cwd() / f"{make_file_name(name)}{suffix}", text)
    screen.notify(escape(f"Wrote {path}"), markup=False)
