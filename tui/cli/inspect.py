"""`tui-eval` on a terminal: the inspector."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InputError
from tui.cli import options as o
from tui.cli.dataset_options import SAMPLE, DatasetArgument, open_from_options, takes_a_dataset
from tui.cli.inspect_options import (
    AsciiOption,
    ImagesOption,
    KeysOption,
    ResumeOption,
    SessionOption,
    StoreOption,
    ThemeOption,
)

if TYPE_CHECKING:
    from pathlib import Path

    from engine.dataset import Dataset
    from engine.question import Mode
    from engine.sessions import Session, SessionStore
    from tui.app import Start
    from tui.images import ImageMode
    from tui.keymap import Keymap


@takes_a_dataset
def inspect(
    opened: Dataset,
    dataset: DatasetArgument = None,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Ask this text at once.", show_default=False),
    ] = None,
    video: Annotated[
        str | None,
        typer.Option("--video", "-v", help="Ask with this clip at once.", show_default=False),
    ] = None,
    model: o.ModelOption = None,
    groups: o.GroupsOption = None,
    resume: ResumeOption = False,
    session: SessionOption = None,
    images: ImagesOption = "auto",
    theme: ThemeOption = None,
    keys: KeysOption = None,
    ascii: AsciiOption = False,
    store: StoreOption = None,
) -> None:
    """Open the inspector: ask queries, step through results, judge them; all of it is saved.

    [bold]Examples[/bold]

    tui-eval inspect

    tui-eval inspect DATASET --query "cyclist entering ego lane" --groups object_type

    tui-eval inspect --annotations clips.csv --embeddings model.parquet --video clip_0001

    tui-eval inspect --resume
    """
    if query is not None and video is not None:
        raise InputError("--query and --video were given", hint="ask with one of the two")
    from tui.app import Start

    with open_store(store) as saved:
        going_on = find_session(saved, resume, session, source_of(opened))
        if going_on is not None and (query or video):
            raise InputError("a session and a query were given", hint="resume, then ask")
        run_inspector(
            Start(
                dataset=opened,
                source=source_of(opened),
                store=saved,
                session=going_on,
                model=model,
                groups=o.resolve_groups(groups, opened),
                query=_asked(query, video),
                images=images,
                ascii=ascii,
                theme=chosen_theme(theme),
                keymap=_keymap(keys),
            )
        )


def resume_or_start(
    dataset: str | None,
    resume: bool,
    session: str | None,
    images: ImageMode,
    theme: str | None,
    keys: str | None,
    ascii: bool,
    store: Path | None,
) -> None:
    """`tui-eval` without a command: a session brings its dataset along."""
    from tui.app import Start

    with open_store(store) as saved:
        asked = source_of(open_from_options(dataset)) if dataset is not None else None
        going_on = find_session(saved, resume, session, asked)
        if going_on is not None and dataset is None and going_on.dataset_source != SAMPLE:
            dataset = going_on.dataset_source
        opened = open_from_options(dataset)
        run_inspector(
            Start(
                dataset=opened,
                source=source_of(opened),
                store=saved,
                session=going_on,
                images=images,
                ascii=ascii,
                theme=chosen_theme(theme),
                keymap=_keymap(keys),
            )
        )


def run_inspector(start: Start) -> None:
    """Run the app in this terminal until it is left."""
    if not has_terminal():
        raise InputError(
            "the inspector needs a terminal",
            hint="use tui-eval run, search or summary in scripts; they print, also as JSON",
        )
    start.dataset.model(start.model)  # before the screen changes: a wrong name is one line
    from tui.app import InspectorApp
    from tui.images import prepare_images

    app = InspectorApp(start)
    prepare_images(app.images.drawing)
    app.run()
    if app.return_code:
        raise typer.Exit(app.return_code)


def has_terminal() -> bool:
    """Whether there is a terminal that can show screens and a keyboard."""
    streams = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    return streams and os.environ.get("TERM", "") != "dumb"


def open_store(file: Path | None) -> SessionStore:
    from engine.sessions import SessionStore, default_path

    return SessionStore(file or default_path())


def find_session(
    store: SessionStore, resume: bool, name: str | None, source: str | None
) -> Session | None:
    """The session to go on with; None: a new one."""
    if name is not None:
        return store.find(name)
    if not resume:
        return None
    found = store.latest(source)
    if found is None:
        about = "" if source is None else f" about {source}"
        raise InputError(f"no session{about} is saved yet", hint="start without --resume")
    return found


def source_of(dataset: Dataset) -> str:
    """The dataset as sessions name it: the sample by its name, others by their absolute path."""
    from sample_data import folder

    place = dataset.source.resolve()
    return SAMPLE if place == folder().resolve() else str(place)


def chosen_theme(name: str | None) -> str:
    from tui.themes import THEMES

    names = [theme.name for theme in THEMES]
    wanted = name or os.environ.get("TUI_EVAL_THEME") or names[0]
    if wanted not in names:
        raise InputError(f"no theme {wanted!r}", hint=f"choose one of {', '.join(names)}")
    return wanted


def _keymap(keys: str | None) -> Keymap:
    from tui.keymap import load_keymap, user_key_file

    return load_keymap(keys, user_key_file())


def _asked(query: str | None, video: str | None) -> tuple[Mode, str] | None:
    from engine.queries import check_text

    if query is not None:
        check_text(query)
        return ("text", query)
    return None if video is None else ("video", video)
