"""Starting the inspector. Nothing of Typer is needed here: `tui-eval` alone starts without it."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError, Place
from tui.opening.going_on import dataset_of, find_session
from tui.opening.opening import open_from_options, source_of

if TYPE_CHECKING:
    from engine.base.mode import Mode
    from engine.sessions import SessionStore
    from tui.keys.keymap import Keymap
    from tui.opening.moments import MomentsStart
    from tui.opening.start import ImageMode, Start
    from tui.shell.base_app import BaseApp

PATIENCE = 2.0
"""Seconds that a signal to end waits for the terminal."""


PATIENCE_WITH_WRITERS = 0.25
"""Seconds that a key may wait for another program that writes to the store."""


def resume_or_start(
    dataset: str | None = None,
    resume: bool = False,
    session: str | None = None,
    images: ImageMode = "auto",
    theme: str | None = None,
    keys: str | None = None,
    ascii: bool = False,
    store: Path | None = None,
) -> int:
    """`tui-eval` without a command: a session brings its dataset along."""
    gc.disable()  # a tenth of the way to the first paint, for nothing: see InspectorApp.on_ready
    from tui.opening.start import Start

    with open_store(store) as saved:
        opened = None if dataset is None else open_from_options(dataset)
        going_on = find_session(saved, resume, session, opened)
        if opened is None and going_on.session is not None:
            opened = dataset_of(going_on.session)
        opened = opened or open_from_options(None)
        return run_inspector(
            Start(
                dataset=opened,
                source=source_of(opened),
                store=saved,
                session=going_on.session,
                notice=going_on.notice,
                images=images,
                ascii=ascii,
                theme=chosen_theme(theme),
                keymap=chosen_keymap(keys),
            )
        )


def run_inspector(start: Start) -> int:
    """Run the app in this terminal until it is left; returns the exit code."""
    if not has_terminal():
        labels = start.dataset.has_labels
        usual = "use tui-eval run, search or summary in scripts; they print, also as JSON"
        raise InputError(
            "the inspector needs a terminal",
            hint="use tui-eval labels in scripts; it prints, also as JSON" if labels else usual,
        )
    gc.disable()
    _check_files(start)
    from tui.app.inspector import InspectorApp
    from tui.frames.images import prepare_images

    app = InspectorApp(start)
    prepare_images(app.images.drawing)
    return _run(app)


def run_moments(start: MomentsStart) -> int:
    """Run the moment inspector in this terminal until it is left; returns the exit code."""
    if not has_terminal():
        raise InputError(
            "the inspector needs a terminal",
            hint="use tui-eval moments in scripts; it prints, also as JSON",
        )
    for file in (start.request.predictions, start.request.truth):
        if not file.is_file():
            raise InputError("is a folder" if file.is_dir() else "no such file", Place(file))
    gc.disable()
    from tui.app.moments import MomentsApp

    return _run(MomentsApp(start))


def _run(app: BaseApp) -> int:
    import asyncio  # here and below: no other command should wait for it

    from tui.look.driver import PatientDriver

    app.driver_class = PatientDriver
    asyncio.run(_until_left(app))
    return app.return_code or 0


def _check_files(start: Start) -> None:
    """Before the screen changes: a wrong name is one line."""
    model = start.dataset.model(start.model)
    for file in (start.dataset.annotations_file, *model.files.values()):
        if not file.exists():
            raise InputError("no such file", Place(file))


async def _until_left(app: BaseApp) -> None:
    """Run the app; a signal to end leaves it as q does, so that the terminal is given back."""
    import asyncio

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, _leave, app, number)
    await app.run_async()


def _leave(app: BaseApp, number: int) -> None:
    code = 128 + number
    # A terminal that is gone cannot be given back, and Textual would wait for it for ever.
    anyway = threading.Timer(PATIENCE, os._exit, (code,))
    anyway.daemon = True
    anyway.start()
    app.end_services()
    app.exit(return_code=code)


def has_terminal() -> bool:
    """Whether there is a terminal that can show screens and a keyboard."""
    # Textual draws on stderr.
    streams = (sys.stdin, sys.stdout, sys.stderr)
    ready = all(stream is not None and stream.isatty() for stream in streams)
    return ready and os.environ.get("TERM", "") != "dumb"


def open_store(file: Path | None) -> SessionStore:
    from engine.sessions import SessionStore, default_path

    return SessionStore(file or default_path(), patience=PATIENCE_WITH_WRITERS)


def chosen_theme(name: str | None) -> str:
    from tui.look.themes import THEMES

    names = [theme.name for theme in THEMES]
    wanted = name or os.environ.get("TUI_EVAL_THEME") or names[0]
    if wanted not in names:
        raise InputError(f"no theme {wanted!r}", hint=f"choose one of {', '.join(names)}")
    return wanted


def chosen_keymap(keys: str | None) -> Keymap:
    from tui.keys.keymap import load_keymap, user_key_file

    return load_keymap(keys, user_key_file())


def first_query(query: str | None, video: str | None) -> tuple[Mode, str] | None:
    from engine.dataset.queries import check_text

    if query is not None:
        check_text(query)
        return ("text", query)
    return None if video is None else ("video", video)
