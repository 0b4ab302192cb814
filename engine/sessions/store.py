"""SessionStore: the file that holds all sessions."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from engine.base.errors import InputError, Place
from engine.base.messages import list_names, suggest
from engine.files.fields import Field
from engine.files.reading import is_regular_file
from engine.sessions.database import Database
from engine.sessions.opening import BUSY_SECONDS
from engine.sessions.troubles import UnwritableError, explaining_damage

if TYPE_CHECKING:
    from engine.sessions.records import SessionSummary
    from engine.sessions.session import Session

LATEST = "latest"
LONGEST_NAME = 200
_LONGEST_DATASET = 150  # of its name in that of a session
_SHOWN = 5


def now() -> datetime:
    """The time, in the user's own zone."""
    return datetime.now(UTC).astimezone()


class SessionStore:
    """All sessions of one file. Opening it makes the file and its folder."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], datetime] = now,
        patience: float = BUSY_SECONDS,
        *,
        unsaved: UnwritableError | None = None,
        make: bool = True,
    ) -> None:
        """`patience`: seconds to wait for another program that writes; `unsaved`: why the store is
        in memory, with what can be read of the file; `make`: whether there may be none yet."""
        self.path = path
        self._clock = clock
        self._database = Database(path, patience, unsaved=unsaved, make=make)

    @classmethod
    def open_anyway(cls, path: Path, patience: float = BUSY_SECONDS) -> SessionStore:
        """The store; in memory, if nothing can be written at the path: see `unsaved`."""
        try:
            return cls(path, patience=patience)
        except UnwritableError as error:
            return cls(path, patience=patience, unsaved=error)

    @classmethod
    def open_to_read(cls, path: Path) -> SessionStore:
        """The store for those who only look, which is not made for them: of a file that cannot be
        written, what it holds; of an empty one, nothing."""
        if not (is_regular_file(path) and os.access(path, os.R_OK)):
            return cls(path, make=False)
        # Asked before: SQLite would make files beside one that is only itself protected.
        if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            return cls(path, unsaved=UnwritableError("cannot be written", path))
        try:
            return cls(path, make=False)
        except UnwritableError as error:
            return cls(path, unsaved=error)

    @property
    def unsaved(self) -> UnwritableError | None:
        """Why what is done now is kept in memory only; None: it is saved."""
        return self._database.unsaved

    def keep_in_memory(self, why: UnwritableError) -> bool:
        """Go on in memory, with all that was saved; False: that cannot be read any more."""
        return self._database.keep_in_memory(why)

    def __enter__(self) -> SessionStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except InputError:
            if error is None:  # else that is what ended it
                raise

    def close(self) -> None:
        """Close it; raises if what was saved is in no file any more, and cannot be put into one."""
        self._database.close()

    def look_after(self, notice: Callable[[str], None]) -> None:
        """See that the file is still there, and make it again if not; `notice` is called, also if
        that happens when something is saved."""
        self._database.notice = notice
        self._database.look_after()

    def create(self, dataset_name: str, dataset_source: str, name: str | None = None) -> Session:
        """A new session; without a name it is called by its dataset and the time."""
        from engine.sessions.document import format_time
        from engine.sessions.stamps import find_next_moment

        called = name or f"{dataset_name[:_LONGEST_DATASET]} {self._clock():%Y-%m-%d %H:%M}"
        with self._database.writing() as connection:
            time = format_time(find_next_moment(connection, self._clock))
            values = (_checked_name(called), dataset_name, dataset_source, time, time)
            made = connection.execute(_CREATE, values).lastrowid
        return self._session(made)

    def open(self, session_id: int) -> Session:
        """The session with this id."""
        known = [number for number, _ in self._names()]
        if session_id not in known:
            near = sorted(sorted(known, key=lambda number: abs(number - session_id))[:_SHOWN])
            hint = f"there are: {list_names(map(str, near))}" if near else "none is saved yet"
            raise InputError(f"no session {session_id}", Place(self.path), hint=hint)
        return self._session(session_id)

    @property
    def version(self) -> int:
        """Another number each time that another program has written to the file."""
        return int(self._database.rows("PRAGMA data_version")[0][0])

    def exists(self, session_id: int) -> bool:
        """Whether the session is still there; another program may have deleted it."""
        return bool(self._database.rows("SELECT 1 FROM sessions WHERE id = ?", session_id))

    def latest(self, dataset_source: str | None = None) -> Session | None:
        """The session that was last used, of all or of one dataset."""
        rows = self._database.rows(
            "SELECT id FROM sessions WHERE ?1 IS NULL OR dataset_source = ?1"
            " ORDER BY updated DESC, id DESC LIMIT 1",
            dataset_source,
        )
        return self._session(rows[0][0]) if rows else None

    def summaries(self) -> list[SessionSummary]:
        """All sessions, the last used first."""
        return [self._summary(row) for row in self._database.rows(_SUMMARIES)]

    def _summary(self, row: tuple[Any, ...]) -> SessionSummary:
        """A row of `_SUMMARIES`, which has the columns in this order."""
        from engine.sessions.records import SessionSummary

        number, name, dataset, source, created, updated, asked, judged, bias, notes, last = row
        place = Place(self.path, setting=f"session {number}")
        with explaining_damage(self.path):
            return SessionSummary(
                number,
                Field(name, "name", place).text(),
                Field(dataset, "dataset_name", place).text(),
                Field(source, "dataset_source", place).text(),
                Field(created, "created", place).moment(),
                Field(updated, "updated", place).moment(),
                asked,
                judged,
                bias,
                notes,
                None if last is None else Field(last, "a query", place).text(),
            )

    def rename(self, session_id: int, name: str) -> None:
        session = self.open(session_id)
        with self._database.writing() as connection:
            values = (_checked_name(name), session.id)
            connection.execute("UPDATE sessions SET name = ? WHERE id = ?", values)

    def move_dataset(self, name: str, before: str, now: str) -> int:
        """Note that a dataset is at another place now; returns how many sessions are about it."""
        with self._database.writing() as connection:
            return connection.execute(
                "UPDATE sessions SET dataset_source = ?"
                " WHERE dataset_name = ? AND dataset_source = ?",
                (now, name, before),
            ).rowcount

    def set_dataset(self, session_id: int, name: str, source: str) -> None:
        """Note which dataset a session is about, after that was lost."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE sessions SET dataset_name = ?, dataset_source = ? WHERE id = ?",
                (name, source, session_id),
            )

    def delete(self, session_id: int) -> None:
        """Remove a session with all that was asked and judged in it; refused in memory, where it
        would only seem to be gone: the file has it still."""
        session = self.open(session_id)
        if self.unsaved is not None:
            raise InputError(
                f"session {session_id} cannot be deleted while nothing can be saved",
                Place(self.path),
                hint="delete it when saving works again",
            )
        with self._database.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE id = ?", (session.id,))

    def find(self, text: str) -> Session:
        """The session meant by a number, "latest", a name or the beginning of one."""
        names = self._names()
        if text == LATEST and names:
            return self._session(names[0][0])
        if text.isdecimal() and any(str(number) == text for number, _ in names):
            return self._session(int(text))
        same = [number for number, name in names if name == text]
        alike = [number for number, name in names if text and name.startswith(text)]
        found = same or alike
        if len(found) == 1:
            return self._session(found[0])
        if found:
            have = "are called" if same else "have names that begin with"
            numbers = list_names(map(str, sorted(found)), _SHOWN)
            message, hint = f'{len(found)} sessions {have} "{text}"', "name one by its number"
            raise InputError(message, Place(self.path), hint=f"{hint}: {numbers}")
        raise self._none(text, names)

    def _none(self, text: str, names: list[tuple[int, str]]) -> InputError:
        shown = [f'{number} "{name}"' for number, name in names]
        near = suggest(text, [name for _, name in names])
        hint = f"{near} sessions: {list_names(shown, _SHOWN)}" if names else "none is saved yet"
        return InputError(f'no session "{text}"', Place(self.path), hint=hint.strip())

    def import_document(self, document: Any, place: Place) -> Session:
        """Make a new session of an exported one; all of it is checked before any is saved."""
        from engine.sessions.content_rows import list_answer_rows, list_judgement_rows
        from engine.sessions.document import dump_value, format_time, read_document, to_text
        from engine.sessions.stamps import find_next_moment

        saved = read_document(document, place)
        with self._database.writing() as connection:
            values = (
                _checked_name(saved.name),
                saved.dataset_name,
                saved.dataset_source,
                format_time(saved.created),
                format_time(find_next_moment(connection, self._clock)),
            )
            made = connection.execute(_CREATE, values).lastrowid
            if saved.view is not None:
                view = (to_text(dump_value(saved.view)), made)
                connection.execute("UPDATE sessions SET view = ? WHERE id = ?", view)
            connection.executemany(_ANSWER, ((made, *row) for row in list_answer_rows(saved)))
            connection.executemany(_JUDGEMENT, ((made, *row) for row in list_judgement_rows(saved)))
        return self._session(made)

    def _names(self) -> list[tuple[int, str]]:
        rows = self._database.rows("SELECT id, name FROM sessions ORDER BY updated DESC, id DESC")
        with explaining_damage(self.path):
            return [(number, Field(name, "name", Place(self.path)).text()) for number, name in rows]

    def _session(self, session_id: int | None) -> Session:
        assert session_id is not None
        from engine.sessions.session import Session

        return Session(self._database, session_id, self._clock)


def _checked_name(name: str) -> str:
    if not name.strip():
        raise InputError("the name of a session is empty", hint="give it a name")
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"the name of a session has {len(name):,} characters", hint=f"at most {LONGEST_NAME}"
        )
    return name


_CREATE = """
INSERT INTO sessions (name, dataset_name, dataset_source, created, updated)
VALUES (?, ?, ?, ?, ?)
"""
_ANSWER = "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_JUDGEMENT = "INSERT INTO judgements VALUES (?, ?, ?, ?, ?)"
_SUMMARIES = """
SELECT id, name, dataset_name, dataset_source, created, updated,
    (SELECT count(*) FROM answers WHERE session = id),
    (SELECT count(*) FROM judgements WHERE session = id),
    (SELECT count(*) FROM judgements
        WHERE session = id AND json_extract(body, '$.mark') = 'bias'),
    (SELECT count(*) FROM judgements
        WHERE session = id AND json_extract(body, '$.note') <> ''),
    (SELECT query FROM answers WHERE session = id ORDER BY used DESC LIMIT 1)
FROM sessions ORDER BY updated DESC, id DESC
"""
