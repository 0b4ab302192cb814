"""Writing what a screen shows to a new file in the current folder, and saying which it became."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.screen import Screen

from tui.look.safe import escape
from tui.work.documents import find_current_folder, make_file_name, write_new

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from tui.shell.base_app import BaseApp


class Writable(Protocol):
    """A table whose rows can be written."""

    def __len__(self) -> int: ...
    def as_cells(self, rows: Any) -> Iterator[list[str]]: ...


def write_table(
    screen: Screen[Any], name: str, table: Writable, rows: Ints, what: str = "queries"
) -> None:
    """Write rows as CSV."""

    def build() -> str:
        cells = io.StringIO()
        csv.writer(cells).writerows(table.as_cells(rows))
        return cells.getvalue()

    def say(path: Path) -> str:
        return f"{len(rows):,} of {len(table):,} {what} written to {path.name}"

    write_text(screen, name, ".csv", build, say)


def write_text(
    screen: Screen[Any],
    name: str,
    suffix: str,
    build: Callable[[], str],
    say: Callable[[Path], str] = "Wrote {}".format,
) -> None:
    """Write a text in the background, and say what came of it."""
    app, file = cast("BaseApp", screen.app), f"{make_file_name(name)}{suffix}"
    app.lanes.writing.add(
        lambda _: write_new(find_current_folder() / file, build()),
        lambda path: screen.notify(escape(say(path)), markup=False),
        app.show_error,
    )
