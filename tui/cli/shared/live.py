"""What moves on stderr: bars and spinners. What begins inside another is drawn below it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.text import Text

from tui.cli.shared.gate import make_console
from tui.shell.progress_text import format_duration

if TYPE_CHECKING:
    from rich.console import Console

_PICTURES_A_SECOND = 5
"""Each is sent, and the line may be slow."""

_drawn_on: list[Console] = []
"""The console of what moves now: two of them would write over each other."""


class ElapsedColumn(ProgressColumn):
    """The seconds that it has taken so far."""

    def render(self, task: Task) -> Text:
        return Text(format_duration(task.elapsed or 0.0), style="progress.elapsed")


@contextlib.contextmanager
def draw_live(*columns: ProgressColumn) -> Iterator[Progress]:
    """Tasks on stderr, gone when they are done."""
    console = _drawn_on[-1] if _drawn_on else make_console(sys.stderr)
    live = Progress(
        *columns, console=console, transient=True, refresh_per_second=_PICTURES_A_SECOND
    )
    _drawn_on.append(console)
    try:
        with live:
            yield live
    finally:
        _drawn_on.pop()


@contextlib.contextmanager
def spin(what: str) -> Iterator[None]:
    """A spinner, what is done, and for how long."""
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), ElapsedColumn()
    with draw_live(*columns) as spinner:
        spinner.add_task(what, total=None)
        yield
