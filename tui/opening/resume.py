"""Which session the inspector goes on with, also when its dataset has moved.

A session names its dataset by place. If nothing is at that place any more, a dataset that the user
names is taken for the same one when it has the same name and knows the session's clips; then all
sessions of the old place are written down as sessions of the new one. As long as the old place
holds a dataset, no session is ever taken from it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from engine.base.errors import InputError
from engine.base.messages import pluralise
from tui.opening.label_files import SAMPLE_LABELS
from tui.opening.label_source import is_label_source
from tui.opening.source import SAMPLE, collect_files, dump_source, name_place, open_source
from tui.opening.stores import format_store_option

if TYPE_CHECKING:
    from pathlib import Path

    from engine.dataset.dataset import Dataset
    from engine.sessions import Session, SessionStore

_FILES = (".csv", ".tsv", ".parquet")


class SessionChoice(NamedTuple):
    """The session to resume (None: a new one), and what the user should know about it."""

    session: Session | None = None
    notice: str = ""


def find_session(
    store: SessionStore, resume: bool, name: str | None, dataset: Dataset | None
) -> SessionChoice:
    """The session that the options mean; `dataset` is the one that was named, if one was."""
    if name is not None:
        named = store.find(name)
        if dataset is None or name_place(named.dataset_source) == name_place(dump_source(dataset)):
            return SessionChoice(named)
        return _moved(store, named, dataset)
    if not resume:
        return SessionChoice()
    from engine.sessions.memory import suggest_resuming

    place = None if dataset is None else name_place(dump_source(dataset))
    found = _newest(store, lambda source: place is None or name_place(source) == place)
    if found is None and dataset is not None:
        return _moved(store, _of_a_lost_place(store, dataset), dataset)
    elsewhere = _find_newer_elsewhere(store, found)
    if found is None:
        unsaved = f"what could not be saved is in {elsewhere}"
        hint = f"{unsaved}; continue with: {suggest_resuming(elsewhere)}" if elsewhere else ""
        raise InputError("no session is saved yet", hint=hint or "start without --resume")
    if elsewhere is None:
        return SessionChoice(found)
    unsaved = f"Newer work could not be saved here, and is in {elsewhere}"
    return SessionChoice(found, f"{unsaved}; continue with: {suggest_resuming(elsewhere)}")


def format_resume_command(store: SessionStore, session: Session | None) -> str:
    """The command that goes on with a session where it was left; empty: nothing of it is saved."""
    if session is None or store.unsaved or not store.exists(session.id):
        return ""
    newest = next(iter(store.summaries()), None)
    is_newest = newest is not None and newest.id == session.id
    which = "--resume" if is_newest else f"--session {session.id}"
    return f"tui-eval {format_store_option(store.path)}{which}"


def _find_newer_elsewhere(store: SessionStore, found: Session | None) -> Path | None:
    """Another file with work that is newer than a session, because nothing could be saved then."""
    from engine.sessions.memory import find_saved_elsewhere

    file = find_saved_elsewhere(store.path)
    if file is None:
        return None
    is_newer = found is None or file.stat().st_mtime > found.updated.timestamp()
    return file if is_newer else None


def find_newest_label_session(store: SessionStore) -> SessionChoice:
    """The session about label files that was used last, whichever they are."""
    found = _newest(store, is_label_source)
    if found is None:
        raise InputError("no session about label files is saved yet", hint="start without --resume")
    return SessionChoice(found)


def _newest(store: SessionStore, fits: Callable[[str], bool]) -> Session | None:
    """The session that was used last of those with a source that fits."""
    fitting = (one.id for one in store.summaries() if fits(one.dataset_source))
    return next(map(store.open, fitting), None)


def find_session_dataset(session: Session) -> Dataset:
    """The dataset that a session is about."""
    if is_gone(session.dataset_source):
        raise other_dataset_error(session)
    return open_source(session.dataset_source)


def is_gone(source: str) -> bool:
    """Whether there is no dataset any more at the place that a session names."""
    from engine.dataset.dataset import SETTINGS

    if _is_sample(source):
        return False
    source = name_place(source)
    # os.path, for it takes whatever an imported session holds, without an error.
    inside = os.path.join(source, SETTINGS) if os.path.isdir(source) else source  # noqa: PTH112, PTH118
    return not os.path.exists(inside)  # noqa: PTH110


def other_dataset_error(session: Session) -> InputError:
    """That a session is about another dataset than the one that is open, and how to open it."""
    source = name_place(session.dataset_source)
    which = f"{format_store_option(session.store_path)}--session {session.id}"
    if not is_gone(source):
        return InputError(
            f"session {session.id} is about another dataset, {source}",
            hint=f"tui-eval {which} opens the session with that dataset",
        )
    start = f"tui-eval {which} --dataset FOLDER"
    if not session.dataset_name:
        return InputError(
            f"which dataset session {session.id} is about was lost with a damaged store",
            hint=f"name it: {start}",
        )
    if is_label_source(session.dataset_source):
        start = f"tui-eval labels --inspect --sensor-embeddings FILE --labels FILE {which}"
    elif source.lower().endswith(_FILES):
        start = f"tui-eval inspect --annotations FILE --embeddings FILE {which}"
    return InputError(
        f'session {session.id} is about "{session.dataset_name}", which is gone from {source}',
        hint=f"if it moved, name its place now: {start}",
    )


def _of_a_lost_place(store: SessionStore, dataset: Dataset) -> Session:
    """The newest session of a dataset of this name, if it had one place and that is gone."""
    source = dump_source(dataset)
    none = f"no session about {name_place(source)} is saved yet"
    lost = [one for one in store.summaries() if is_gone(one.dataset_source)]
    same = [one for one in lost if one.dataset_name == dataset.name and not _is_sample(source)]
    if len({name_place(one.dataset_source) for one in same}) == 1:
        return store.open(same[0].id)
    hint = "start without --resume"
    if lost:  # the user knows whether one of them is meant
        newest = (same or lost)[0]
        command, options = _command_for(source)
        hint += (
            f"; if it moved here from {name_place(newest.dataset_source)}: "
            f"tui-eval {command}{format_store_option(store.path)}--session {newest.id} {options}"
        )
    raise InputError(none, hint=hint)


def _command_for(source: str) -> tuple[str, str]:
    """The command that opens a source, and the options that name it there."""
    if is_label_source(source):
        return "labels --inspect ", source
    if collect_files(source):
        return "inspect ", source
    return "", f"--dataset {shlex.quote(source)}"


def _is_sample(source: str) -> bool:
    return source == SAMPLE or name_place(source) == SAMPLE_LABELS


def _moved(store: SessionStore, session: Session, dataset: Dataset) -> SessionChoice:
    """Resume a session whose dataset was elsewhere, if that has become this one."""
    before, now = session.dataset_source, dump_source(dataset)
    is_lost = not session.dataset_name  # it was saved from a damaged store
    if not is_gone(before) or (_is_sample(now) and not is_lost):
        raise other_dataset_error(session)
    _check_same(session, dataset)
    if is_lost:
        store.set_dataset(session.id, dataset.name, now)
        notice = f"The dataset of this session was lost: it continues with {name_place(now)}."
        return SessionChoice(store.open(session.id), notice)
    count = store.move_dataset(session.dataset_name, before, now)
    others = f", and so will {pluralise(count - 1, 'other session')} about it" if count > 1 else ""
    return SessionChoice(
        store.open(session.id),
        f"The dataset of this session is gone from {name_place(before)}: it goes on with "
        f"{name_place(now)}{others}.",
    )


def _check_same(session: Session, dataset: Dataset) -> None:
    """Refuse a dataset that is another one by its name, or by its clips."""
    lost = f'session {session.id} is about "{session.dataset_name}", gone from '
    lost += name_place(session.dataset_source)
    if session.dataset_name and dataset.name != session.dataset_name:
        settings = f'write name = "{session.dataset_name}" into its dataset.toml'
        rename = settings if dataset.source.is_dir() else "give the file its old name"
        raise InputError(
            f'{lost}; the dataset here is "{dataset.name}"', hint=f"if it is the same one, {rename}"
        )
    clips = session.clips()
    if clips and max(dataset.truth.rows_of(clips)) < 0:
        raise InputError(
            f"{lost}; the dataset here has none of its clips",
            hint="name the dataset that the session is about, or start without a session",
        )
