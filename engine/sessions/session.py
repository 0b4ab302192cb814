"""Session: one person's questions, judgements and place, written down as they happen.

Nothing is kept in memory: a second window on the same session sees every write, and a process
that is killed loses only the write it had not finished.
"""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.files.fields import Field
from engine.keywords.judgement import OF_QUERY, Judgement, Target
from engine.keywords.question import Question
from engine.sessions.change_log import NO_JUDGEMENT, ChangeLog
from engine.sessions.document import (
    LONGEST_SAVED_NOTE,
    dump_judgement,
    dump_value,
    format_time,
    from_text,
    read_answer,
    read_judgement,
    read_question,
    read_view,
    to_text,
)
from engine.sessions.records import (
    Answer,
    DatedAnswer,
    SavedJudgement,
    SessionView,
)

_ONE_RESULT = "session = ? AND mode = ? AND query = ? AND clip = ?"


class Session(ChangeLog):
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

    def last_question(self, mode: Mode, query: str) -> Question | None:
        """How a query was asked last; None if it never was."""
        rows = self._database.rows(
            "SELECT question FROM answers WHERE session = ? AND mode = ? AND query = ?"
            " ORDER BY used DESC LIMIT 1",
            self.id,
            mode,
            query,
        )
        with self._explaining_damage():
            found = (read_question(from_text(text, "a question", self._place)) for (text,) in rows)
            return next(found, None)

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
            self._judge(connection, target, after)
            self._mark_done(connection, self._append(connection, target, before, after))

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

    def query_judgements(self, mode: Mode) -> dict[str, Judgement]:
        """What was said about queries themselves, by query."""
        rows = self._database.rows(
            "SELECT query, body FROM judgements WHERE session = ? AND mode = ? AND clip = ?",
            self.id,
            mode,
            OF_QUERY,
        )
        with self._explaining_damage():
            return {
                Field(query, "a query", self._place).text(): self._judgement(body)
                for query, body in rows
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
        targets = (judged.target for judged in self.all_judgements())
        judged = (target.clip for target in targets if not target.is_query)
        found = (clip for answer in self.answers() for clip in answer.clips)
        return tuple(dict.fromkeys((*judged, *found)))

    # How they are kept

    def _body(self, target: Target) -> str | None:
        key = (self.id, target.mode, target.query, target.clip)
        rows = self._database.rows(f"SELECT body FROM judgements WHERE {_ONE_RESULT}", *key)
        return rows[0][0] if rows else None

    def _judge(self, connection: sqlite3.Connection, target: Target, body: str | None) -> None:
        key = (self.id, target.mode, target.query, target.clip)
        before = self.judgement(target)
        if body is None:
            connection.execute(f"DELETE FROM judgements WHERE {_ONE_RESULT}", key)
        else:
            insert = "INSERT OR REPLACE INTO judgements VALUES (?, ?, ?, ?, ?)"
            connection.execute(insert, (*key, body))
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
