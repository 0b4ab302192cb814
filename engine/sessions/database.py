"""The SQLite file of the sessions, written in short transactions; while it cannot be, what is to be
kept is kept in memory, on request.

Whatever SQLite says becomes an `InputError` with the path and a remedy. What only a store in
trouble needs is imported then: the inspector opens a store before its first paint.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.base.errors import InputError
from engine.sessions.opening import BUSY_SECONDS, open_store_file, transaction
from engine.sessions.schema import is_sound
from engine.sessions.store_files import StoreFiles, StoreLoss, close_as_it_is
from engine.sessions.troubles import LockedError, UnwritableError, explain_code, explaining_errors

TRY_AGAIN = 15.0
"""Seconds between two attempts to get from memory back to the file."""


class Database:
    """One connection to the file. It may be used from several threads.

    If the file is deleted, replaced or cut off meanwhile, it is made again before the next write,
    with all that was saved in it; `notice` is called with what happened. Until that succeeds, what
    was saved can be read, and nothing can be written; if not even a copy of it could be taken,
    because it is in the hands of another program, reading fails too.

    `keep_in_memory` lets work go on without a file that can be written, until there is one again.

    renumbered  for each time that sessions came into another store: ids that changed, old → new
    unsaved     why what is written now is in memory only; None: it is in the file
    """

    def __init__(
        self,
        path: Path,
        patience: float = BUSY_SECONDS,
        *,
        unsaved: UnwritableError | None = None,
        make: bool = True,
    ) -> None:
        """`unsaved`: begin in memory, with what can be read of the file; `make`: whether one is
        made where there is none."""
        self.path = path
        self.notice: Callable[[str], None] = lambda _: None
        self.renumbered: list[dict[int, int]] = []
        self._patience = patience
        self._lock = threading.RLock()
        self.unsaved = unsaved
        if unsaved:
            from engine.sessions.memory import load_to_memory

            self._connection = load_to_memory(path)
        else:
            self._connection = open_store_file(path, patience, make=make)
        self._files = StoreFiles.at(path)
        self._has_written = False
        self._is_closed = False
        self._next_try = 0.0
        self._adrift: StoreLoss | None = StoreLoss.UNWRITABLE if unsaved else None
        """What befell the file, while `_connection` is a copy of it in memory."""
        self._has_copy = True
        """False: that copy is worth nothing, and looks like an empty store."""
        self._unread = ""
        """What of the file is not in that copy, in words, and where the rest of the file is."""

    def close(self) -> None:
        """Close it; what was written to a file that is gone is saved before, somewhere.

        Whoever closes it a second time waits until that is done, also in another thread.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._patience = BUSY_SECONDS  # no key waits any more
            try:
                if self._has_written:
                    with explaining_errors(self.path):
                        self._mend()
            except InputError as error:
                if not self._has_copy:
                    raise
                from engine.sessions.memory import save_elsewhere

                raise save_elsewhere(self._connection, self.path, error) from error
            finally:
                self._connection.close()

    def look_after(self) -> None:
        """See that the file is still there; to be called now and then.

        If it is lost, and cannot be made again, work goes on in memory.
        """
        with self._lock:
            if self.unsaved is not None:
                self._try_the_file()
            elif self._has_written and self._adrift is None:
                try:
                    with explaining_errors(self.path):
                        self._mend()
                except UnwritableError as error:
                    if not self.keep_in_memory(error):
                        raise

    def keep_in_memory(self, why: UnwritableError) -> bool:
        """Go on without the file, after an error; False: what it held is out of reach."""
        with self._lock:
            if self._adrift is None:
                with explaining_errors(self.path):
                    self._leave(StoreLoss.UNWRITABLE)
            if self._has_copy:
                self.unsaved = why
                self._next_try = time.monotonic() + TRY_AGAIN
            return self._has_copy

    def _try_the_file(self) -> None:
        """Save what is in memory, if the file can be written by now."""
        if time.monotonic() >= self._next_try:
            self._next_try = time.monotonic() + TRY_AGAIN
            with contextlib.suppress(InputError), explaining_errors(self.path):
                self._mend()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds."""
        with self._lock, explaining_errors(self.path):
            if not self._has_copy:
                self._mend()
            return self._connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is saved when the block ends, or nothing."""
        with self._lock, explaining_errors(self.path):
            if self.unsaved is None:
                self._mend()
            with transaction(self._connection):
                self._has_written = True
                yield self._connection

    def _mend(self) -> None:
        """Get back to a store at the path, if the files there are not those that are open."""
        now = StoreFiles.at(self.path)
        loss = self._adrift or self._find_loss(now)
        if loss is StoreLoss.NOTHING:
            self._files = now
            return
        from engine.sessions.copy_sessions import copy_sessions

        if self._adrift is None:
            self._leave(loss)
        was_there = now.main is not None
        try:
            fresh = open_store_file(self.path, self._patience, self._patience)
        except InputError as error:
            befallen = _befallen(loss, was_there)
            message = f"{befallen}: {error.message}" if befallen else error.message
            kind = LockedError if isinstance(error, LockedError) else UnwritableError
            raise kind(message, error.place, hint=error.hint) from error
        try:
            with transaction(fresh):
                numbers = {} if loss is StoreLoss.TAKEN else copy_sessions(self._connection, fresh)
        except BaseException:
            fresh.close()
            raise
        self._connection.close()
        self._connection, self._files, self._adrift = fresh, StoreFiles.at(self.path), None
        self._has_copy, self.unsaved = True, None
        self.renumbered.append(numbers)
        self.notice(_describe_mending(self.path, loss, was_there) + self._unread)
        self._unread = ""

    def _find_loss(self, now: StoreFiles) -> StoreLoss:
        loss = self._files.loss(now)
        if loss is StoreLoss.NOTHING and now.size < self._files.size:
            try:  # it may have been packed by another program, which leaves as much as is needed
                (pages,), (size,) = (
                    self._connection.execute(f"PRAGMA {what}").fetchone()
                    for what in ("page_count", "page_size")
                )
            except sqlite3.DatabaseError:
                return StoreLoss.CUT
            return StoreLoss.CUT if now.size < pages * size else loss
        return loss

    def _leave(self, loss: StoreLoss) -> None:
        """Take everything out of files that are lost, and let them go."""
        from engine.sessions.memory import make_empty
        from engine.sessions.rescue import Rescue, rescue_rows

        if loss is StoreLoss.LOG:  # programs that share the index cannot read what is in no file
            found = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if found[0]:  # what is in the log could not be put into the main file
                raise explain_code(self.path, sqlite3.SQLITE_BUSY)
        copy, rescue = make_empty(), None
        try:
            self._connection.backup(copy)
            if loss in (StoreLoss.STORE, StoreLoss.CUT):  # others may have put aside what was cut
                rescue = rescue_rows(copy)
            elif loss is not StoreLoss.TAKEN or is_sound(copy):
                rescue = Rescue(copy, "")
        except sqlite3.DatabaseError:
            # Then what we see may be no database any more.
            if loss not in (StoreLoss.TAKEN, StoreLoss.CUT):
                raise
        close_as_it_is(self._connection, self.path)
        self._files.drop_leftovers(self.path)
        self._connection, self._adrift = rescue.store if rescue else make_empty(), loss
        self._has_copy = rescue is not None
        if rescue is None and loss is not StoreLoss.TAKEN:
            self._unread = " Nothing of it could be read any more."
        elif rescue is not None:
            self._unread = f" Lost: {rescue.lost}." if rescue.lost else ""
        if rescue is not None and loss is StoreLoss.CUT:
            self._unread += self._set_aside()

    def _set_aside(self) -> str:
        """Make room for a new store; where the old one is, in words."""
        from engine.sessions.exchange import set_aside

        try:
            aside = set_aside(self.path, f"{datetime.now(UTC).astimezone():%Y%m%d-%H%M%S}")
        except OSError:  # whoever makes the store again will find the reason
            return ""
        return f" The rest of the old file is {aside}."


def _befallen(loss: StoreLoss, was_there: bool) -> str:
    """What happened to a store that is still lost; nothing, if it only cannot be written."""
    if loss is StoreLoss.UNWRITABLE:
        return ""
    if loss is StoreLoss.CUT:
        return "was cut off, and cannot be made again"
    if loss is not StoreLoss.STORE:
        return "was deleted in part, and cannot be opened again"
    return f"was {'replaced' if was_there else 'deleted'}, and cannot be made again"


def _describe_mending(path: Path, loss: StoreLoss, was_there: bool) -> str:
    """What happened, for the user."""
    if loss is StoreLoss.UNWRITABLE:
        return f"{path} can be written again: all that was kept in memory is saved in it."
    if loss is StoreLoss.CUT:
        return f"{path} was cut off: it is made again, with all of it that could be read."
    if loss is not StoreLoss.STORE:
        return f"A part of {path} was deleted: it is mended, nothing is lost."
    if was_there:
        return f"{path} was replaced: all that was saved here is carried over to it."
    return f"{path} was deleted: it is made again, with all that was saved in it."
