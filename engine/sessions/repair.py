"""Saving what is left of a damaged store: into a new one, which takes its place only when it is
whole and checked. The damaged file is kept."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.atomic import make_whole
from engine.files.reading import follow_links
from engine.sessions.exchange import exchange_store
from engine.sessions.image import MAGIC, StoreImage, read_image
from engine.sessions.opening import transaction
from engine.sessions.raw_pages import PageFile, list_layouts
from engine.sessions.raw_tables import RawTables, read_tables
from engine.sessions.salvage import Salvage, SavedCount, salvage_rows
from engine.sessions.schema import APPLICATION_ID, OUR_FORMAT, check_ours, check_whole, make_tables
from engine.sessions.store import now
from engine.sessions.store_files import StoreUse, keeping_others_out
from engine.sessions.troubles import LockedError, UnwritableError

_MEMORY_PER_BYTE = 32
"""What is found in a file that consists of the shortest rows takes 25 bytes for each of its own, as
measured; in one that was a store, three."""

_OURS = {"sessions", "answers", "judgements", "changes"}


@dataclass(frozen=True, slots=True)
class StoreRepair:
    """What came of it.

    kept       where the damaged file is now; None: it is where it was
    made       the new store; None: the store was sound, and nothing was changed
    counts     by kind ("session", "answer", "judgement", "change")
    bad_pages  of the store and of its log: what stood only there is lost, and nobody can count it
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
        raise _taken_error(out)
    with _alone_with(path, out is None):
        image = read_image(path, _MEMORY_PER_BYTE)
        raw, kept = _read_rows(image, path)
        if image.is_whole and not raw.bad_pages and not kept.refused and _is_sound(image, path):
            return StoreRepair(path, None, None, kept.counts, 0)
        if kept.is_empty:
            hint = "it is left as it is; restore it from a backup"
            raise InputError("holds nothing that can be saved", Place(path), hint=hint)
        content, aside = _make_new(kept), None
        try:
            if out is None:
                aside = exchange_store(path, content, f"{clock():%Y%m%d-%H%M%S}")
            else:
                if not make_whole(content, out, private=True):
                    raise _taken_error(out)
        except (OSError, InputError) as error:
            reason = error.message if isinstance(error, InputError) else error.strerror
            raise UnwritableError(
                f"the new store cannot be put in its place: {reason or 'input error'}",
                Place(out or path),
                hint="nothing was changed; name a file elsewhere with --out",
            ) from error
    bad_pages = raw.bad_pages + image.lost_pages
    return StoreRepair(path, aside, out or path, kept.counts, bad_pages)


@contextlib.contextmanager
def _alone_with(path: Path, in_place: bool) -> Iterator[None]:
    if not path.is_file():
        other = "is not a regular file" if path.exists() else "no such file"
        what = "is a folder" if path.is_dir() else other
        raise InputError(what, Place(path), hint="check --store")
    try:
        with keeping_others_out(path) as use:
            if use is StoreUse.OPEN:
                hint = "close every inspector that uses it, then try again"
                raise LockedError("is open in another program", Place(path), hint=hint)
            if use is StoreUse.UNKNOWN and in_place:
                raise UnwritableError(
                    "cannot be locked: another program may be using it",
                    Place(path),
                    hint="write what can be saved to a new file with --out",
                )
            yield
    except OSError as error:
        reason = error.strerror or "input error"
        hint = "check the permissions of the file and its folder"
        raise InputError(f"cannot be read ({reason})", Place(path), hint=hint) from error


def _read_rows(image: StoreImage, path: Path) -> tuple[RawTables, Salvage]:
    """The rows of a file that is a store of this version, or what is left of one."""
    raw = _read_best(image.data)
    kept = salvage_rows(raw, is_stale=image.lost_pages > 0)
    if image.data.startswith(MAGIC):
        owner = int.from_bytes(image.data[68:72])
        version = int.from_bytes(image.data[60:64])
        if owner != APPLICATION_ID and not raw.names & _OURS and kept.is_empty:
            raise InputError("is not a session store", Place(path), hint="it is left as it is")
        if owner == APPLICATION_ID and OUR_FORMAT.version < version < 1000:  # more is damage
            raise InputError(
                f"was written by a newer tui-eval (format {version})",
                Place(path),
                hint="update tui-eval, and repair it with that",
            )
    return raw, kept


def _read_best(data: bytes) -> RawTables:
    """The rows by the size of page that the file says; if not all of it can be read so, by the one
    that most rows are found with.

    They are counted and let go: the rows of one size alone are in memory at a time.
    """
    said, *others = list_layouts(data)
    raw = read_tables(PageFile(data, *said))
    if raw.count and not raw.bad_pages:
        return raw
    most, best = raw.count, said
    for layout in others:
        del raw
        raw = read_tables(PageFile(data, *layout))
        if raw.count > most:
            most, best = raw.count, layout
    return read_tables(PageFile(data, *best))


def _is_sound(image: StoreImage, path: Path) -> bool:
    """Whether SQLite finds nothing wrong either."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.deserialize(image.data)
            check_ours(connection, path)
            check_whole(connection, path)
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()
            orphans = connection.execute("PRAGMA foreign_key_check").fetchone()
        except (sqlite3.Error, InputError, UnicodeDecodeError):  # SQLite quotes a damaged text
            return False
    return found == ("ok",) and orphans is None


def _taken_error(out: Path) -> InputError:
    return InputError("already exists", Place(out), hint="name a new file with --out")


def _make_new(kept: Salvage) -> bytes:
    """A whole new store, checked, in memory: on the disk it is there at once, or not at all."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as store:
        store.execute("PRAGMA foreign_keys=ON")
        with transaction(store):
            make_tables(store)
            kept.write(store)
        check_whole(store, Path(":memory:"))
        return store.serialize()
