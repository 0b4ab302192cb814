"""Putting a new store in the place of a damaged one, which is kept under another name."""

from __future__ import annotations

import contextlib
import os
import shutil
from itertools import count
from pathlib import Path

from engine.files.atomic import replace_whole
from engine.files.points import reach
from engine.files.private import make_private_file, tighten_file
from engine.sessions.store_files import StoreFiles, list_files


def exchange_store(path: Path, content: bytes, time: str) -> Path:
    """Put the new store in the place of the old one; returns where that is now, log and all.

    At every moment there is a main file at the path, the old one or the new one. The old log is
    removed before, for SQLite would mix it into the new store, and only when the new store is
    written: a process that is killed right between the two leaves the old main file alone at the
    path, and all of the old store under its other name. If anything fails, all is put back.
    """
    old = StoreFiles.at(path).main
    files = zip(list_files(path), list_files(_find_free_name(path, time)), strict=True)
    moves = [(file, kept) for file, kept in files if file.exists()]

    def remove_old_log() -> None:
        for file, _ in moves[1:]:
            reach("remove", file)
            file.unlink(missing_ok=True)

    try:
        for file, kept in moves:
            tighten_file(file)  # the new store gets its permissions
            _keep(file, kept)
        replace_whole(content, path, remove_old_log)
    except BaseException:
        if StoreFiles.at(path).main in (
            old,
            None,
        ):  # else it is done: the old log belongs elsewhere
            _put_back(moves)
        raise
    return moves[0][1]


def set_aside(path: Path, time: str) -> Path:
    """Give a damaged store, log and all, another name; returns it."""
    aside = _find_free_name(path, time)
    for file, kept in zip(list_files(path), list_files(aside), strict=True):
        with contextlib.suppress(FileNotFoundError):
            file.rename(kept)
    return aside


def _find_free_name(path: Path, time: str) -> Path:
    for number in count(1):
        name = f"{path.name}.damaged-{time}{'' if number == 1 else f'-{number}'}"
        aside = path.with_name(name)
        if not any(map(os.path.lexists, list_files(aside))):
            return aside
    raise AssertionError


def _keep(file: Path, kept: Path) -> None:
    """The same file under a second name; on a disk without links, a copy of it."""
    reach("make", kept)
    try:
        os.link(file, kept)
    except OSError:
        make_private_file(kept)
        reach("write", kept)
        shutil.copyfile(file, kept)


def _put_back(moves: list[tuple[Path, Path]]) -> None:
    for file, kept in moves:
        with contextlib.suppress(OSError):
            if file.exists():
                kept.unlink(missing_ok=True)
            else:
                kept.rename(file)
