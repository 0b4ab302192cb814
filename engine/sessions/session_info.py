"""SessionInfo: which session of the store it is, and the one way to write to it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from engine.base.errors import InputError, Place
from engine.files.fields import Field
from engine.sessions.database import Database
from engine.sessions.document import format_time


class SessionInfo:
    """A session as the store knows it: number, name, dataset and times."""

    def __init__(self, database: Database, session_id: int, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._first_id = session_id
        self._renumberings = len(database.renumbered)
        self.dataset_name = str(self._column("dataset_name"))
        self.dataset_source = str(self._column("dataset_source"))

    @property
    def id(self) -> int:
        """Its number; another one since it was carried over to a store where that was taken."""
        number = self._first_id
        for changed in self._database.renumbered[self._renumberings :]:
            number = changed.get(number, number)
        return number

    @property
    def name(self) -> str:
        return str(self._column("name"))

    @property
    def created(self) -> datetime:
        return Field(self._column("created"), "created", self._place).moment()

    @property
    def updated(self) -> datetime:
        return Field(self._column("updated"), "updated", self._place).moment()

    @property
    def _place(self) -> Place:
        return Place(self._database.path, setting=f"session {self.id}")

    def _column(self, name: str) -> Any:
        found = self._database.rows(f"SELECT {name} FROM sessions WHERE id = ?", self.id)
        if not found:
            raise self._deleted()
        return found[0][0]

    def _deleted(self) -> InputError:
        return InputError(
            f"session {self.id} was deleted", Place(self._database.path), hint="start a new one"
        )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._database.writing() as connection:
            now = format_time(self._clock())
            touch = "UPDATE sessions SET updated = ? WHERE id = ?"
            if connection.execute(touch, (now, self.id)).rowcount != 1:
                raise self._deleted()
            yield connection
