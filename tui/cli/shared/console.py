"""Printing: data on stdout, progress on stderr, and nothing from a file as an escape sequence."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from engine.base.errors import InputError
from engine.base.messages import LONGEST_LINE, fit_message, list_names
from tui.cli.shared.gate import guard, is_terminal, make_console

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.base.progress import ProgressHook, Step
    from engine.dataset.dataset import Dataset
    from engine.keywords.workbench import Workbench

PIPE_WIDTH = 120
"""Columns of a table that is not written to a terminal, unless COLUMNS says otherwise."""


def say(text: str) -> None:
    """A line for the person at the terminal, kept out of the data, of readable length."""
    with contextlib.suppress(OSError, ValueError):  # nobody listens: stderr is closed
        sys.stderr.write(fit_message(text) + "\n")


def show(*parts: RenderableType, ascii: bool = False) -> None:
    """Print tables and texts to stdout."""
    if is_terminal(sys.stdout):
        console = make_console(sys.stdout, ascii=ascii)
        for part in parts:
            console.print(part)
    else:
        write_out(as_text(*parts, ascii=ascii))


def as_text(*parts: RenderableType, least: int = 0, ascii: bool = False) -> str:
    """Tables and texts as plain lines without trailing spaces, `least` columns wide or more."""
    out = io.StringIO()
    console = make_console(out, ascii=ascii, width=max(least, _plain_width()))
    for part in parts:
        console.print(part)
    lines = out.getvalue().removesuffix("\n").split("\n")  # rich ends a line in no other way
    return "\n".join(map(str.rstrip, lines)) + "\n"


def _plain_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return max(20, int(columns)) if columns.isdecimal() else PIPE_WIDTH


def measure_page_width() -> int:
    """Columns that a table on stdout will have."""
    return make_console(sys.stdout).width if is_terminal(sys.stdout) else _plain_width()


def write_out(text: str) -> None:
    """Write data to stdout; a reader that went away (`| head`) has what it wanted."""
    try:
        guard(sys.stdout).write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        raise refuse_stdout(error) from error


def refuse_stdout(error: OSError) -> InputError:
    """That what was to be printed is lost, as stdout takes nothing."""
    reason = "it is closed" if error.errno == errno.EBADF else error.strerror
    return InputError(f"cannot write to stdout ({reason})")


@contextlib.contextmanager
def make_progress_bars() -> Iterator[ProgressHook]:
    """Bars on stderr, one per part of the work, only if stderr is a terminal."""
    if not is_terminal(sys.stderr):
        yield lambda step: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    from tui.cli.shared.live import draw_live

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    tasks: dict[tuple[str, str], TaskID] = {}
    reached: dict[TaskID, int] = {}
    waiting: list[TaskID] = []

    def report(step: Step) -> None:
        part = step.mode, step.stage
        while waiting:
            bars.remove_task(waiting.pop())
        if part not in tasks:
            tasks[part] = bars.add_task(_name_part(step), total=step.total)
        task = tasks[part]
        if step.done < reached.get(task, 0):  # of another model: its time begins anew
            bars.reset(task)
        reached[task] = step.done
        bars.update(task, completed=step.done, total=step.total)

    with draw_live(*columns, TimeRemainingColumn()) as bars:
        waiting.append(bars.add_task("reading", total=None))
        yield report


def _name_part(step: Step) -> str:
    if step.stage == "models":
        return "models"
    if step.stage == "looks":
        return "looks of clips"
    if step.stage == "triage":
        return "analyses"
    return f"{step.mode} queries" + (" to keywords" if step.stage == "mapping" else "")


@contextlib.contextmanager
def show_spinner(what: str) -> Iterator[None]:
    """A spinner on stderr while something of unknown length runs, with the seconds it takes."""
    if not is_terminal(sys.stderr):
        yield
        return
    from tui.cli.shared.live import spin

    with spin(fit_message(what, LONGEST_LINE)):
        yield


def show_loading(encoder: str, *models: str) -> contextlib.AbstractContextManager[None]:
    """While an encoder loads, for these models: the one wait that a newcomer would wonder about."""
    from engine.text import shorten_encoder

    serves = f" for {list_names(models)}" if models else ""
    return show_spinner(f"loading the text encoder {shorten_encoder(encoder)}{serves}")


@contextlib.contextmanager
def open_workbench(dataset: Dataset) -> Iterator[Workbench]:
    """What answers questions about a dataset, with the encoder of texts that belongs to it."""
    from engine.keywords.workbench import Workbench
    from engine.text.opening import open_encoder

    models = dataset.models.values()

    def loading(name: str) -> contextlib.AbstractContextManager[None]:
        return show_loading(name, *(one.name for one in models if one.encoder == name))

    with (
        open_encoder() as encoder,
        Workbench(dataset, encoder, while_loading=loading) as bench,
    ):
        yield bench
