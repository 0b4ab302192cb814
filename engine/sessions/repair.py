"""Saving what is left of a damaged store: into a new one, which takes its place only when it is
whole and checked. The damaged file is kept."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.private import make_private_temporary
from engine.files.reading import follow_links
from engine.sessions.image import MAGIC, StoreImage, read_image
from engine.sessions.opening import transaction
from engine.sessions.raw_pages import guess_page_files
from engine.sessions.raw_tables import RawTables, read_tables
from engine.sessions.salvage import Salvage, SavedCount, salvage_rows
from engine.sessions.schema import APPLICATION_ID, OUR_FORMAT, check_ours, check_whole, make_tables
from engine.sessions.store import now
from engine.sessions.store_files import keeping_others_out, list_files
from engine.sessions.troubles import LockedError, UnwritableError, explaining_errors

_OURS = {"sessions", "answers", "judgements", "changes"}


@dataclass(frozen=True, slots=True)
class StoreRepair:
    """What came of it.

    kept       where the damaged file is now; None: it is where it was
    made       the new store; None: the store was sound, and nothing was changed
    counts     by kind ("session", "answer", "judgement", "change")
    bad_pages  what stood only there is lost, and nobody can count it
    """

    path: Path
    kept: Path | None
    made: Path | None
    counts: dict[str, SavedCount]
    bad_pages: int

    @property
    def is_sound(self) -> bool:
        return self.made is None


def repair_store(
    path: Path, out: Path | None = None, clock: Callable[[], datetime] = now
) -> StoreRepair:
    """Save what can be read of a store; `out`: to this new file, and leave the store where it is.

    Refused while a program has the store open.
    """
    path = follow_links(path)
    if out is not None and os.path.lexists(out):
        raise InputError("is there already", Place(out), hint="name a new file with --out")
    with _alone_with(path):
        image = read_image(path)
        raw, kept = _read_rows(image, path)
        if image.is_whole and not raw.bad_pages and not kept.refused and _is_sound(image, path):
            return StoreRepair(path, None, None, kept.counts, 0)
        if kept.is_empty:
            hint = "it is left as it is; restore it from a backup"
            raise InputError("holds nothing that can be saved", Place(path), hint=hint)
        aside = None
        fresh = _write_new(kept, (path if out is None else out).parent)
        try:
            if out is None:
                aside = _exchange(path, fresh, f"{clock():%Y%m%d-%H%M%S}")
            else:
                _rename_to_new(fresh, out)
        except OSError as error:
            reason = error.strerror or "input error"
            raise UnwritableError(f"cannot be put in place ({reason})", Place(path)) from error
        finally:
            fresh.unlink(missing_ok=True)
    return StoreRepair(path, aside, out or path, kept.counts, raw.bad_pages)


@contextlib.contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise InputError(what, Place(path), hint="check --store")
    try:
        with keeping_others_out(path) as alone:
            if not alone:
                hint = "leave every inspector that uses it, then try again"
                raise LockedError("is open in another program", Place(path), hint=hint)
            yield
    except OSError as error:
        reason = error.strerror or "input error"
        raise InputError(f"cannot be read ({reason})", Place(path)) from error


def _read_rows(image: StoreImage, path: Path) -> tuple[RawTables, Salvage]:
    """The rows of a file that is a store of this version, or what is left of one."""
    tables = [read_tables(file) for file in guess_page_files(image.data)]
    raw = max(tables, key=lambda one: one.count)
    if image.data.startswith(MAGIC):
        owner = int.from_bytes(image.data[68:72])
        version = int.from_bytes(image.data[60:64])
        if owner != APPLICATION_ID and not raw.names & _OURS:
            raise InputError("is not a session store", Place(path), hint="it is left as it is")
        if owner == APPLICATION_ID and OUR_FORMAT.version < version < 1000:  # more is damage
            raise InputError(
                f"was written by a newer tui-eval (format {version})",
                Place(path),
                hint="update tui-eval, and repair it with that",
            )
    return raw, salvage_rows(raw)


def _is_sound(image: StoreImage, path: Path) -> bool:
    """Whether SQLite finds nothing wrong either."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.deserialize(image.data)
            check_ours(connection, path)
            check_whole(connection, path)
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()
            orphans = connection.execute("PRAGMA foreign_key_check").fetchone()
        except (sqlite3.Error, InputError):
            return False
    return found == ("ok",) and orphans is None


def _write_new(kept: Salvage, folder: Path) -> Path:
    """A whole new store, under a name of its own."""
    try:
        fresh = make_private_temporary(folder, suffix=".db")
    except OSError as error:
        raise UnwritableError(
            f"nothing can be written there ({error.strerror})",
            Place(folder),
            hint="name a file elsewhere with --out",
        ) from error
    try:
        with (
            explaining_errors(fresh),
            contextlib.closing(sqlite3.connect(fresh, isolation_level=None)) as store,
        ):
            store.execute("PRAGMA foreign_keys=ON")
            store.execute("PRAGMA synchronous=FULL")
            with transaction(store):
                make_tables(store)
                kept.write(store)
            check_whole(store, fresh)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return fresh


def _exchange(path: Path, fresh: Path, time: str) -> Path:
    """Put the new store in the place of the old one, which gets another name, log and all.

    At every moment there is a store at the path; and never the old log beside the new store, for
    SQLite would mix it in.
    """
    for number in count(1):
        name = f"{path.name}.damaged-{time}{'' if number == 1 else f'-{number}'}"
        aside = path.with_name(name)
        if not any(map(os.path.lexists, list_files(aside))):
            break
    for file, kept in zip(list_files(path), list_files(aside), strict=True):
        if file.exists():
            try:
                os.link(file, kept)
            except OSError:  # a disk without links
                file.rename(kept)
    for file in list_files(path)[1:]:
        file.unlink(missing_ok=True)
    fresh.replace(path)
    return aside


def _rename_to_new(fresh: Path, out: Path) -> None:
    """Give the file its name, unless somebody has taken that meanwhile."""
    try:
        os.link(fresh, out)
    except FileExistsError:
        raise
    except OSError:
        fresh.rename(out)
