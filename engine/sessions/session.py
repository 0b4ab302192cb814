"""Session: one person's questions, judgements and place, written down as they happen.

Nothing is kept in memory: a second window on the same session sees every write, and a process
that is killed loses only the write it had not finished.
"""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from typing import Any, get_args

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.files.fields import Field
from engine.keywords.judgement import Judgement, Target
from engine.sessions.document import (
    LONGEST_SAVED_NOTE,
    dump_judgement,
    dump_value,
    format_time,
    from_text,
    read_answer,
    read_judgement,
    read_view,
    to_text,
)
from engine.sessions.records import (
    Answer,
    DatedAnswer,
    JudgementChange,
    SavedJudgement,
    SessionView,
)
from engine.sessions.session_info import SessionInfo
from engine.sessions.troubles import explaining_damage

NO_JUDGEMENT = Judgement()

_MODES: tuple[Mode, ...] = get_args(Mode)
_ONE_RESULT = "session = ? AND mode = ? AND query = ? AND clip = ?"


class Session(SessionInfo):
    """One session of a store. Each call reads or writes the file at once."""

    # Where the user is

    @property
    def view(self) -> SessionView | None:
        """Where the user was; None if that is not known, or cannot be shown by this version."""
        text = self._column("view")
        if text is None:
            return None
        # A place that cannot be read must not keep anyone from their judgements.
        with contextlib.suppress(InputError):
            return read_view(from_text(text, "view", self._place))
        return None

    def remember(self, view: SessionView) -> None:
        """Save where the user is."""
        with self._writing() as (connection, _):
            values = (to_text(dump_value(view)), self.id)
            connection.execute("UPDATE sessions SET view = ? WHERE id = ?", values)

    # Questions and answers

    def record(self, answer: Answer) -> None:
        """Save an answer in place of an earlier one to the same question."""
        question = answer.question
        with self._writing() as (connection, now):
            values = {
                "session": self.id,
                "question": to_text(dump_value(question)),
                "mode": question.mode,
                "query": question.query,
                "body": to_text(dump_value(answer)),
                "asked": format_time(now),
            }
            connection.execute(_RECORD, values)

    def answers(self) -> tuple[Answer, ...]:
        """What was answered, in the order first asked."""
        return tuple(item.answer for item in self.asked())

    def asked(self) -> tuple[DatedAnswer, ...]:
        """The answers with their times; `used` counts the last uses from 1, the oldest first."""
        rows = self._database.rows(
            "SELECT body, asked, rank() OVER (ORDER BY used) FROM answers"
            " WHERE session = ? ORDER BY position",
            self.id,
        )
        with self._explaining_damage():
            return tuple(
                DatedAnswer(
                    read_answer(from_text(body, "an answer", self._place)),
                    Field(asked, "the time of an answer", self._place).moment(),
                    used,
                )
                for body, asked, used in rows
            )

    def history(self, mode: Mode) -> tuple[str, ...]:
        """The queries that were asked, each once, the latest last."""
        rows = self._database.rows(
            "SELECT query FROM answers WHERE session = ? AND mode = ?"
            " GROUP BY query ORDER BY max(used)",
            self.id,
            mode,
        )
        with self._explaining_damage():
            return tuple(Field(query, "a query", self._place).text() for (query,) in rows)

    # Judgements

    def judge(self, target: Target, judgement: Judgement) -> None:
        """Save a judgement; an empty one removes what was there. What was undone is forgotten."""
        if judgement.reason is not None and judgement.mark != "bias":
            raise ValueError(f"a reason belongs to a bias case, not to {judgement.mark!r}")
        if len(judgement.note) > LONGEST_SAVED_NOTE:
            length = f"{len(judgement.note):,} characters"
            raise InputError(f"the note has {length}", hint=f"at most {LONGEST_SAVED_NOTE:,}")
        with self._writing() as (connection, now):
            before = self._body(target)
            if self._judgement(before) == (NO_JUDGEMENT if judgement.empty else judgement):
                return
            after = None if judgement.empty else to_text(dump_judgement(judgement, now))
            done = self._done() + 1
            key = (self.id, done)
            connection.execute("DELETE FROM changes WHERE session = ? AND number >= ?", key)
            values = (*key, target.mode, target.query, target.clip, before, after)
            connection.execute("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            self._set(connection, target, after, done)

    def judgement(self, target: Target) -> Judgement:
        """What was said about a result; an empty judgement if nothing was."""
        return self._judgement(self._body(target))

    def judgements(self, mode: Mode, query: str) -> dict[str, Judgement]:
        """What was said about the results of one query, by clip."""
        rows = self._database.rows(
            "SELECT clip, body FROM judgements WHERE session = ? AND mode = ? AND query = ?",
            self.id,
            mode,
            query,
        )
        with self._explaining_damage():
            return {
                Field(clip, "a clip", self._place).text(): self._judgement(body)
                for clip, body in rows
            }

    def all_judgements(self) -> tuple[SavedJudgement, ...]:
        """Everything that was said, oldest first."""
        rows = self._database.rows(
            "SELECT mode, query, clip, body FROM judgements WHERE session = ?"
            " ORDER BY json_extract(body, '$.time'), mode, query, clip",
            self.id,
        )
        with self._explaining_damage():
            return tuple(
                SavedJudgement(
                    self._target(*about),
                    *read_judgement(from_text(body, "a judgement", self._place)),
                )
                for *about, body in rows
            )

    def clips(self) -> tuple[str, ...]:
        """The clips that were found or judged, each once."""
        judged = (judged.target.clip for judged in self.all_judgements())
        found = (clip for answer in self.answers() for clip in answer.clips)
        return tuple(dict.fromkeys((*judged, *found)))

    def undo(self) -> JudgementChange | None:
        """Take back the last judgement that stands; None if there is none."""
        return self._step(back=True)

    def redo(self) -> JudgementChange | None:
        """Set the last judgement that was taken back again; None if there is none."""
        return self._step(back=False)

    def _step(self, *, back: bool) -> JudgementChange | None:
        """Go one change back or forth in the log of them."""
        with self._writing() as (connection, _):
            done = self._done()
            found = self._change(done if back else done + 1)
            if found is None:
                return None
            target, *bodies = found
            old, new = reversed(bodies) if back else bodies
            change = JudgementChange(target, self._judgement(old), self._judgement(new))
            self._set(connection, target, new, done - 1 if back else done + 1)
        return change

    @property
    def can_undo(self) -> bool:
        return self._change(self._done()) is not None

    @property
    def can_redo(self) -> bool:
        return self._change(self._done() + 1) is not None

    @property
    def changes(self) -> int:
        """How many changes of judgements stand, those of before it was opened included."""
        return self._done()

    # How they are kept

    def _done(self) -> int:
        with self._explaining_damage():
            return self._read("done").count()

    def _explaining_damage(self) -> contextlib.AbstractContextManager[None]:
        return explaining_damage(self._database.path)

    def _target(self, mode: Any, query: Any, clip: Any) -> Target:
        """Which result a row is about."""
        return Target(
            Field(mode, "a mode", self._place).choice(_MODES),
            Field(query, "a query", self._place).text(),
            Field(clip, "a clip", self._place).text(),
        )

    def _body(self, target: Target) -> str | None:
        key = (self.id, target.mode, target.query, target.clip)
        rows = self._database.rows(f"SELECT body FROM judgements WHERE {_ONE_RESULT}", *key)
        return rows[0][0] if rows else None

    def _judgement(self, body: str | None) -> Judgement:
        if body is None:
            return NO_JUDGEMENT
        with self._explaining_damage():
            return read_judgement(from_text(body, "a judgement", self._place))[0]

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

    def _set(
        self, connection: sqlite3.Connection, target: Target, body: str | None, done: int
    ) -> None:
        key = (self.id, target.mode, target.query, target.clip)
        before = self.judgement(target)
        if body is None:
            connection.execute(f"DELETE FROM judgements WHERE {_ONE_RESULT}", key)
        else:
            insert = "INSERT OR REPLACE INTO judgements VALUES (?, ?, ?, ?, ?)"
            connection.execute(insert, (*key, body))
        connection.execute("UPDATE sessions SET done = ? WHERE id = ?", (done, self.id))
        if before.decides or self._judgement(body).decides:
            self._forget_adjudicated(connection, target.mode, target.query)

    def _forget_adjudicated(self, connection: sqlite3.Connection, mode: Mode, query: str) -> None:
        """Numbers that were adjudicated by other marks are worse than none.

        Without marks that decide what is relevant they are as published; else whoever can
        compute them records the answer again.
        """
        decided = any(said.decides for said in self.judgements(mode, query).values())
        key = (self.id, mode, query)
        rows = connection.execute(
            "SELECT question, body FROM answers WHERE session = ? AND mode = ? AND query = ?", key
        ).fetchall()
        for question, body in rows:
            with self._explaining_damage():
                answer = read_answer(from_text(body, "an answer", self._place))
            metrics = tuple(
                replace(metric, adjudicated=None if decided else metric.published)
                for metric in answer.metrics
            )
            if metrics != answer.metrics:
                connection.execute(
                    "UPDATE answers SET body = ? WHERE session = ? AND question = ?",
                    (to_text(dump_value(replace(answer, metrics=metrics))), self.id, question),
                )


_RECORD = """
INSERT INTO answers VALUES (
    :session,
    (SELECT coalesce(max(position), 0) + 1 FROM answers WHERE session = :session),
    (SELECT coalesce(max(used), 0) + 1 FROM answers WHERE session = :session),
    :asked, :mode, :query, :question, :body
)
ON CONFLICT (session, question) DO UPDATE
SET body = excluded.body, asked = excluded.asked, used = excluded.used
"""
