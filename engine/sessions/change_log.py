"""ChangeLog: everything that a person changed in a session, in order, to be undone and redone.

One log for judgements and questions: a mark, then a group, then a note are taken back as note,
group, mark. It is in the store, so undo goes on where it was after a restart, in any window.
"""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import datetime
from typing import Any, TypeAlias, get_args

from engine.base.choices import Mode
from engine.files.fields import Field
from engine.keywords.judgement import Judgement, Target
from engine.sessions.document import (
    dump_question_state,
    from_text,
    is_question_state,
    read_judgement,
    read_question_state,
    to_text,
)
from engine.sessions.records import Change, JudgementChange, QuestionChange
from engine.sessions.session_info import SessionInfo
from engine.sessions.troubles import explaining_damage

NO_JUDGEMENT = Judgement()

_MODES: tuple[Mode, ...] = get_args(Mode)

UndoneChanges: TypeAlias = tuple[tuple[Any, ...], ...]
"""Rows of the log that stood after `done`, each from its number on."""

_UNDONE = (
    "SELECT number, mode, query, clip, before, after FROM changes"
    " WHERE session = ? AND number > ? ORDER BY number"
)

# A judgement that was taken off left no time: it is not older than what it took off.
_NEWEST = (
    "SELECT max(coalesce(json_extract(after, '$.time'), json_extract(before, '$.time')))"
    " FROM changes WHERE session = ? AND number <= ?"
)


class ChangeLog(SessionInfo):
    """The log of one session. Changes up to `done` stand, those after it were undone."""

    def change_question(self, change: QuestionChange) -> UndoneChanges:
        """Log that something else is asked about the same query. What was undone is forgotten, and
        returned."""
        if change.before == change.after:
            return ()
        target = Target(change.after.mode, change.after.query, change.clip or "")
        before = to_text(dump_question_state(change.before))
        with self._writing() as (connection, now):
            undone = tuple(connection.execute(_UNDONE, (self.id, self._done())).fetchall())
            after = to_text(dump_question_state(change.after, now))
            self._mark_done(connection, self._append(connection, target, before, after))
        return undone

    def drop_last(self, undone: UndoneChanges = ()) -> None:
        """Forget the last change that stands, as if it had never been made; of a question alone.
        What was `undone` before it can be redone again."""
        with self._writing() as (connection, _):
            done = self._done()
            found = self._change(done)
            if found is not None and is_question_state(found[2]):
                key = (self.id, done)
                connection.execute("DELETE FROM changes WHERE session = ? AND number = ?", key)
                self._mark_done(connection, done - 1)
                insert = "INSERT OR IGNORE INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)"
                connection.executemany(insert, ((self.id, *row) for row in undone))

    def undo(self) -> Change | None:
        """Take back the last change that stands; None if there is none."""
        return self._step(back=True)

    def redo(self) -> Change | None:
        """Make the last change that was taken back again; None if there is none."""
        return self._step(back=False)

    @property
    def can_undo(self) -> bool:
        return self._change(self._done()) is not None

    @property
    def can_redo(self) -> bool:
        return self._change(self._done() + 1) is not None

    @property
    def changes(self) -> int:
        """How many changes stand, those of before it was opened included."""
        return self._done()

    @property
    def last_changed(self) -> datetime | None:
        """When the newest change that stands was made; None: none stands, or nobody knows."""
        with self._explaining_damage():
            ((time,),) = self._database.rows(_NEWEST, self.id, self._done())
            return None if time is None else Field(time, "a time", self._place).moment()

    def _step(self, *, back: bool) -> Change | None:
        """Go one change back or forth."""
        with self._writing() as (connection, _):
            done = self._done()
            found = self._change(done if back else done + 1)
            if found is None:
                return None
            target, *bodies = found
            old, new = reversed(bodies) if back else bodies
            change = self._describe(target, old, new)
            if isinstance(change, JudgementChange):
                self._judge(connection, target, new)
            self._mark_done(connection, done - 1 if back else done + 1)
        return change

    def _describe(self, target: Target, old: str | None, new: str | None) -> Change:
        if not is_question_state(new):
            return JudgementChange(target, self._judgement(old), self._judgement(new))
        with self._explaining_damage():
            before, after = (
                read_question_state(from_text(body or "", "a question", self._place))
                for body in (old, new)
            )
        return QuestionChange(before, after, target.clip or None)

    def _judge(self, connection: sqlite3.Connection, target: Target, body: str | None) -> None:
        """Set what is said about a result."""
        raise NotImplementedError

    # How it is kept

    def _append(
        self, connection: sqlite3.Connection, target: Target, before: str | None, after: str | None
    ) -> int:
        """Write a change behind those that stand; returns its number."""
        number = self._done() + 1
        key = (self.id, number)
        connection.execute("DELETE FROM changes WHERE session = ? AND number >= ?", key)
        values = (*key, target.mode, target.query, target.clip, before, after)
        connection.execute("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        return number

    def _mark_done(self, connection: sqlite3.Connection, number: int) -> None:
        connection.execute("UPDATE sessions SET done = ? WHERE id = ?", (number, self.id))

    def _done(self) -> int:
        with self._explaining_damage():
            return self._read("done").count()

    def _change(self, number: int) -> tuple[Target, str | None, str | None] | None:
        rows = self._database.rows(
            "SELECT mode, query, clip, before, after FROM changes WHERE session = ? AND number = ?",
            self.id,
            number,
        )
        with self._explaining_damage():
            return next(
                ((self._target(*about), before, after) for *about, before, after in rows), None
            )

    def _target(self, mode: Any, query: Any, clip: Any) -> Target:
        """Which result a row is about."""
        return Target(
            Field(mode, "a mode", self._place).choice(_MODES),
            Field(query, "a query", self._place).text(),
            Field(clip, "a clip", self._place).text(),
        )

    def _judgement(self, body: str | None) -> Judgement:
        if body is None:
            return NO_JUDGEMENT
        with self._explaining_damage():
            return read_judgement(from_text(body, "a judgement", self._place))[0]

    def _explaining_damage(self) -> contextlib.AbstractContextManager[None]:
        return explaining_damage(self._database.path)
