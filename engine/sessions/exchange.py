"""Putting a new store in the place of a damaged one, which is kept under another name."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from itertools import count
from pathlib import Path

from engine.files.atomic import make_whole
from engine.files.points import reach
from engine.files.private import make_private_file, tighten_file
from engine.sessions.store_files import StoreFiles, list_files


def exchange_store(path: Path, content: bytes, time: str) -> Path:
    """Put the new store in the place of the old one; returns where that is now, log and all.

    At every moment there is a main file at the path, the old one or the new one. The old log is
    removed before, for SQLite would mix it into the new store, and only when the new store is
    written: a process that is killed between the two leaves the old main file alone at the path,
    and beside it the new store and all of the old one. If anything fails, all is put back.
    """
    aside, fresh = _find_free_names(path, time)
    old = StoreFiles.at(path).main
    files = zip(list_files(path), list_files(aside), strict=True)
    moves = [(file, kept) for file, kept in files if file.exists()]
    try:
        for file, kept in moves:
            tighten_file(file)
            _keep(file, kept)
        if not make_whole(content, fresh, private=True):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(fresh))
        for file, _ in moves[1:]:
            reach("remove", file)
            file.unlink()
        reach("replace", path)
        fresh.replace(path)
    except BaseException:
        if StoreFiles.at(path).main in (
            old,
            None,
        ):  # else it is done, and the old log belongs elsewhere
            _put_back(moves)
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    return aside


def _find_free_names(path: Path, time: str) -> tuple[Path, Path]:
    """What the old store will be called, and the new one until it is in its place."""
    for number in count(1):
        tail = f"{time}{'' if number == 1 else f'-{number}'}"
        aside = path.with_name(f"{path.name}.damaged-{tail}")
        fresh = path.with_name(f"{path.name}.repaired-{tail}")
        if not any(map(os.path.lexists, (*list_files(aside), fresh))):
            return aside, fresh
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
