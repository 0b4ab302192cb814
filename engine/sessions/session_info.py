"""SessionInfo: which session of the store it is, and the one way to write to it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.base.errors import Place
from engine.files.fields import Field
from engine.sessions.database import Database
from engine.sessions.document import format_time
from engine.sessions.stamps import find_next_moment
from engine.sessions.troubles import DeletedError, explaining_damage


class SessionInfo:
    """A session as the store knows it: number, name, dataset and times."""

    def __init__(self, database: Database, session_id: int, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._first_id = session_id
        self._renumberings = len(database.renumbered)
        with explaining_damage(database.path):
            self.dataset_name = self._read("dataset_name").text()
            self.dataset_source = self._read("dataset_source").text()

    @property
    def id(self) -> int:
        """Its number; another one since it was carried over to a store where that was taken."""
        number = self._first_id
        for changed in self._database.renumbered[self._renumberings :]:
            number = changed.get(number, number)
        return number

    @property
    def store_path(self) -> Path:
        """The file that it is saved in."""
        return self._database.path

    @property
    def name(self) -> str:
        with explaining_damage(self._database.path):
            return self._read("name").text()

    @property
    def created(self) -> datetime:
        with explaining_damage(self._database.path):
            return self._read("created").moment()

    @property
    def updated(self) -> datetime:
        with explaining_damage(self._database.path):
            return self._read("updated").moment()

    @property
    def _place(self) -> Place:
        return Place(self._database.path, setting=f"session {self.id}")

    def _read(self, name: str) -> Field:
        return Field(self._column(name), name, self._place)

    def _column(self, name: str) -> Any:
        found = self._database.rows(f"SELECT {name} FROM sessions WHERE id = ?", self.id)
        if not found:
            raise self._deleted()
        return found[0][0]

    def _deleted(self) -> DeletedError:
        return DeletedError(
            f"session {self.id} was deleted", Place(self._database.path), hint="start a new one"
        )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[sqlite3.Connection, datetime]]:
        """A transaction, and the moment of it."""
        with self._database.writing() as connection:
            moment = find_next_moment(connection, self._clock)
            touch = "UPDATE sessions SET updated = ? WHERE id = ?"
            if connection.execute(touch, (format_time(moment), self.id)).rowcount != 1:
                raise self._deleted()
            yield connection, moment
