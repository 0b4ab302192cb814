"""What the inspector writes, done by its own functions: a terminal is needed only to ask for it.

The inspector writes in a thread of its own; here its work is done at once, so that a fault can be
tried at every point of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from types import SimpleNamespace
from typing import Any, TypeAlias, cast

import numpy as np

from engine.base.errors import InputError
from engine.files.points import FaultHook, set_fault_hook
from tests.faults.world import World

QUERY = "bicyclist"


Writer: TypeAlias = Callable[[World], Callable[[], None]]
"""Prepares, and gives back what writes: faults are tried from there on."""


def list_writers() -> dict[str, Writer]:
    """Everything that can be written from a screen, by what it is called here."""
    return {
        "inspector: write an answer": _write_answer,
        "inspector: write a session": _write_session,
        "inspector: write a table": _write_table,
        "inspector: write an error": _write_error,
        "inspector: learn a phrase": _learn_phrase,
        "inspector: take a phrase back": _take_phrase_back,
    }


def run_writer(writer: Writer, world: World, hook: FaultHook) -> int:
    """As in the inspector, where an error is one line too; the exit code."""
    from tui.cli.shared.start import run_to_exit_code

    def command() -> int:
        write = writer(world)
        set_fault_hook(hook)
        write()
        return 0

    return run_to_exit_code(command)


class _Lanes:
    """In place of the threads: work is done where it is asked for, and its error is raised."""

    writing = cached_property(lambda self: self)

    def lane(self, _: str) -> _Lanes:
        return self

    def add(self, work: Any, done: Any, failed: Any) -> None:
        done(work(None))


def _say(path: object) -> None:
    print(f"Wrote {path}")  # noqa: T201


def _fail(error: Exception) -> None:
    raise error


def _open_bench(world: World) -> Any:
    from engine.dataset.settings_file import open_dataset
    from tui.work.bench import Bench

    return Bench(open_dataset(world / "dataset"), None, cast(Any, _Lanes()))


def _write_answer(world: World) -> Callable[[], None]:
    from engine.keywords.question import Question
    from engine.metrics import parse_measures
    from tui.work.documents import Documents

    bench = _open_bench(world)
    question = Question("text", QUERY, "table", ("object_type",))
    found = bench.work.ask(question, parse_measures(["P@5"], bench.language), k=5)
    documents = Documents(bench, cast(Any, _Lanes()))
    return lambda: documents.write_search(found, None, _say, _fail)


def _write_session(world: World) -> Callable[[], None]:
    from engine.sessions import SessionStore
    from tui.work.documents import Documents

    store = SessionStore(world / "data/sessions.db")
    documents = Documents(cast(Any, None), cast(Any, _Lanes()))
    return lambda: documents.write_session(store, store.summaries()[0], _say, _fail)


def _write_table(world: World) -> Callable[[], None]:
    from tui.shell.writing import write_table

    class Table:
        def __len__(self) -> int:
            return 2

        def as_cells(self, rows: Any) -> Iterator[list[str]]:
            yield from ([QUERY, str(row)] for row in rows)

    app = SimpleNamespace(lanes=_Lanes(), show_error=_fail)
    screen = SimpleNamespace(app=app, notify=lambda text, **_: _say(text))
    return lambda: write_table(cast(Any, screen), "queries", Table(), np.arange(2))


def _write_error(world: World) -> Callable[[], None]:
    from tui.dialogs.basic_dialogs import ErrorDialog

    class Dialog(ErrorDialog):
        def notify(self, message: str, *, severity: str = "", **_: Any) -> None:
            if severity == "error":
                raise InputError(message)
            _say(message)

    return Dialog("A problem", "what happened").action_write


def _learn_phrase(world: World) -> Callable[[], None]:
    bench = _open_bench(world)

    def write() -> None:
        _learn(bench)

    return write


def _take_phrase_back(world: World) -> Callable[[], None]:
    from tui.work.phrase_memory import PhraseMemory

    bench = _open_bench(world)
    kept = _learn(bench)
    memory = PhraseMemory(bench, cast(Any, _Lanes()))
    return lambda: memory.forget(kept, lambda _: None, _fail)


def _learn(bench: Any) -> Any:
    from engine.base.keyword import Keyword
    from tui.work.phrase_memory import PhraseMemory

    kept: list[Any] = []
    memory = PhraseMemory(bench, cast(Any, _Lanes()))
    word = Keyword("object_type", "bicyclist")
    memory.remember(word, "a zorb", never=False, done=kept.append, failed=_fail)
    return kept[0]
