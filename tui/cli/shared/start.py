"""How a command starts the inspector, and how it ends: its exit code, and one line on stderr if
something is wrong. Nothing of Typer is needed here: `tui-eval` alone starts without it."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from engine.base.errors import ExitCode, InputError, Place
from engine.files.protection import protect_listed, protecting_inputs
from tui.cli.shared.memory_limit import advise_on_memory, tells_of_memory
from tui.cli.shared.own_files import list_own_files
from tui.cli.shared.terminal import has_terminal, is_dumb
from tui.opening.resume import (
    find_newest_label_session,
    find_session,
    find_session_dataset,
    format_resume_command,
)
from tui.opening.source import dump_source, open_from_options
from tui.opening.stores import open_store

if TYPE_CHECKING:
    from engine.base.choices import Mode, OnePerPolicy, RelevancePolicy
    from engine.dataset.dataset import Dataset
    from engine.keywords.question import AskedQuery
    from engine.keywords.run import RunRequest
    from engine.sessions import Session, SessionStore
    from tui.opening.compare_start import CompareStart
    from tui.opening.looks import Looks
    from tui.opening.moments_start import MomentsStart
    from tui.opening.starts import InspectorStart
    from tui.opening.system_pair import SystemPair
    from tui.shell.base_app import BaseApp


def run_to_exit_code(command: Callable[[], int]) -> int:
    """The command's exit code; an error becomes one line, never a traceback."""
    try:
        with protecting_inputs():
            protect_listed(list_own_files)
            return command()
    except InputError as error:
        return _fail(str(error))
    except Exception as error:
        if os.environ.get("TUI_EVAL_DEBUG"):
            raise
        if tells_of_memory(error):
            return _fail(f"there is not enough memory{advise_on_memory()}, and run it again")
        if isinstance(error, OSError) and error.filename is not None:  # in a closed folder, say
            reason = error.strerror or "input error"
            return _fail(str(InputError(f"cannot be used ({reason})", str(error.filename))))
        reason = f"{type(error).__name__}: {error}"
        return _fail(f"unexpected {reason}; TUI_EVAL_DEBUG=1 shows where, please report it")


def _fail(message: str) -> int:
    from tui.cli.shared.console import say

    say(f"error: {message}")
    return ExitCode.BAD_INPUT


class OpeningView(TypedDict, total=False):
    """What the inspector shows first, as in `InspectorStart`."""

    model: str | None
    groups: tuple[str, ...] | None
    left_out: tuple[str, ...]
    query: tuple[Mode, str] | AskedQuery | None
    keywords: tuple[str, ...] | None
    min_similarity: float | None
    relevance: RelevancePolicy | None
    one_per: OnePerPolicy | None
    against: str | None
    request: RunRequest | None
    comparison: SystemPair


IN_SCRIPTS = "in scripts, use tui-eval run, search, labels or summary"


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Hold the garbage collector until the app is ready: see BaseApp.on_ready.

    Looking through what stays anyway took a tenth of the way to the first paint.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:  # an app that never got ready leaves the process as it was
        if was_collecting:
            gc.enable()


@_collecting_later()
def open_inspector(
    looks: Looks,
    opened: Dataset | None = None,
    *,
    resume: bool = False,
    session: str | None = None,
    of_labels: bool = False,
    instead: str = IN_SCRIPTS,
    **first: Unpack[OpeningView],
) -> int:
    """Open the inspector on a dataset, or on that of a session; returns the exit code.

    of_labels  without a dataset, the newest session is that about label files
    instead    what can be done where there is no terminal
    """
    least = first.get("min_similarity")
    if least is not None and not math.isfinite(least):
        raise InputError(f"--min-similarity is {least}", hint="give a finite number")
    if (resume or session is not None) and first.get("query"):
        raise InputError("a session and a query were given", hint="resume, then ask")
    for name in ("relevance", "one_per"):
        if (resume or session is not None) and first.get(name):
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"a session and {option} were given",
                hint=f"a session goes on as it was: leave {option} out",
            )
    from engine.files.data_folder import find_cache_folder
    from engine.files.private import EVALUATIONS
    from tui.opening.starts import InspectorStart

    with open_store(looks.store, resumes=resume or session is not None) as saved:
        if of_labels and opened is None and session is None:
            found = find_newest_label_session(saved)
        else:
            found = find_session(saved, resume, session, opened)
        if opened is None and found.session is not None:
            opened = find_session_dataset(found.session)
        opened = opened or open_from_options(None)
        start = InspectorStart(
            dataset=opened,
            source=dump_source(opened),
            store=saved,
            session=found.session,
            notice=found.notice,
            images=looks.chosen_images,
            frames=looks.chosen_frames,
            cache=find_cache_folder() / EVALUATIONS,
            **looks.for_app(),
        )
        return run_inspector(replace(start, **first), instead)


@_collecting_later()
def run_inspector(start: InspectorStart, instead: str = IN_SCRIPTS) -> int:
    """Run the app in this terminal until it is left; returns the exit code."""
    _require_terminal(instead)
    _check_files(start)
    from tui.app.inspector import InspectorApp
    from tui.frames.images import prepare_images
    from tui.frames.terminals import is_known_by_name

    if is_known_by_name(os.environ):  # ssh passes on $TERM alone, which tells Rich too little
        os.environ.setdefault("COLORTERM", "truecolor")
    app = InspectorApp(start)
    prepare_images(app.images.drawing)

    def save() -> None:
        app.save_unfinished()
        start.store.close()

    code = _run(app, save)
    if not code:
        _tell_how_to_resume(start.store, app.recorder.session)
    return code


def _tell_how_to_resume(store: SessionStore, session: Session | None) -> None:
    """The last line, for who wants to go on some day."""
    from tui.cli.shared.console import say

    with suppress(InputError):  # a store that cannot be read any more: the app has said so
        if command := format_resume_command(store, session):
            say(f"resume with: {command}")


@_collecting_later()
def run_moments(start: MomentsStart) -> int:
    """Run the moment inspector in this terminal until it is left; returns the exit code."""
    _require_terminal(suggest_printing("moments"))
    for file in (start.request.predictions, start.request.truth):
        if not file.is_file():
            raise InputError("is a folder" if file.is_dir() else "no such file", Place(file))
    from tui.app.moments import MomentsApp

    return _run(MomentsApp(start))


@_collecting_later()
def run_compare(start: CompareStart) -> int:
    """Run the Compare screen in this terminal until it is left; returns the exit code."""
    _require_terminal(suggest_printing("compare"))
    from tui.app.compare import CompareApp

    return _run(CompareApp(start))


def _run(app: BaseApp, save: Callable[[], None] = lambda: None) -> int:
    """`save`: what is done before the process ends, if a signal ends it."""
    import asyncio  # here: no other command should wait for it

    from tui.cli.shared.leaving import Departure
    from tui.look.driver import PatientDriver

    app.driver_class = PatientDriver
    departure = Departure(app, save)

    async def run_until_left() -> None:
        departure.listen(asyncio.get_running_loop())
        try:
            await app.run_async()
        finally:
            departure.left()

    asyncio.run(run_until_left())
    return app.return_code or 0


def _check_files(start: InspectorStart) -> None:
    """Before the screen changes: a wrong name is one line."""
    model = start.dataset.model(start.model)
    for file in (start.dataset.annotations_file, *model.files.values()):
        if not file.exists():
            raise InputError("no such file", Place(file))


def suggest_printing(command: str) -> str:
    """What to do in place of --inspect."""
    return f"leave --inspect out: tui-eval {command} prints, also as JSON"


def _require_terminal(instead: str) -> None:
    if is_dumb():
        raise InputError(
            'the inspector cannot be shown: TERM is "dumb", a terminal without screens',
            hint="set TERM=xterm-256color if yours has them",
        )
    if not has_terminal():
        raise InputError("the inspector needs a terminal", hint=instead)


def resolve_first_query(
    query: str | None, video: str | None, option: str = "--video"
) -> tuple[Mode, str] | None:
    """What is asked with; `option` names the clip."""
    from engine.dataset.query_files import check_text

    if query is not None and video is not None:
        raise InputError(f"--query and {option} were given", hint="ask with one of the two")
    if query is not None:
        check_text(query)
        return ("text", query)
    return None if video is None else ("video", video)
