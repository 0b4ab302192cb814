"""Carrying sessions over from one store to another, so that nothing of either is lost."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, TypeAlias

Row: TypeAlias = tuple[Any, ...]

_PARTS = ("answers", "judgements", "changes")


@dataclass(frozen=True, slots=True)
class _Content:
    """What was asked and judged in a session, and the log of it."""

    updated: str
    questions: frozenset[Row]
    judgements: frozenset[Row]
    changes: frozenset[Row]

    @classmethod
    def of(cls, store: sqlite3.Connection, session: int) -> _Content:
        def rows(sql: str) -> frozenset[Row]:
            return frozenset(store.execute(f"{sql} WHERE session = ?", (session,)))

        ((updated,),) = store.execute("SELECT updated FROM sessions WHERE id = ?", (session,))
        return cls(
            updated,
            rows("SELECT question FROM answers"),
            rows("SELECT mode, query, clip, body FROM judgements"),
            rows("SELECT number, mode, query, clip, before, after FROM changes"),
        )

    def continues(self, other: _Content) -> bool:
        """Whether this is the same session, gone on with: it knows all that the other holds."""
        logged = {(*row[1:4], body) for row in self.changes for body in row[4:]}
        return (
            other.questions <= self.questions
            and other.changes <= self.changes
            and other.judgements <= self.judgements | logged
        )


def carry(source: sqlite3.Connection, store: sqlite3.Connection) -> dict[int, int]:
    """Copy every session that the store lacks; returns the ids that had to change.

    A session that is in both is there once, as the one that went on; if each went on by itself,
    both are kept.
    """
    numbers = {}
    sessions = source.execute("SELECT id, created FROM sessions ORDER BY id").fetchall()
    for session, created in sessions:
        numbers[session] = _carry_one(source, store, session, created)
    return {before: now for before, now in numbers.items() if before != now}


def _carry_one(
    source: sqlite3.Connection, store: sqlite3.Connection, session: int, created: str
) -> int:
    ours = _Content.of(source, session)
    same = "SELECT id FROM sessions WHERE created = ? ORDER BY id <> ?, id"
    for (twin,) in store.execute(same, (created, session)).fetchall():
        theirs = _Content.of(store, twin)
        went_on = theirs.continues(ours)
        if ours.continues(theirs) and (not went_on or ours.updated > theirs.updated):
            store.execute("DELETE FROM sessions WHERE id = ?", (twin,))
            return _copy(source, store, session, twin)
        if went_on:
            return int(twin)
    taken = store.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone()
    return _copy(source, store, session, None if taken else session)


def _copy(
    source: sqlite3.Connection, store: sqlite3.Connection, session: int, number: int | None
) -> int:
    """Copy a session, all of it; without a number it gets the next one."""
    ((_, *rest),) = source.execute("SELECT * FROM sessions WHERE id = ?", (session,))
    made = store.execute(_inserting("sessions", len(rest) + 1), (number, *rest)).lastrowid
    assert made is not None
    for part in _PARTS:
        rows = source.execute(f"SELECT * FROM {part} WHERE session = ?", (session,))
        into = _inserting(part, len(rows.description))
        store.executemany(into, ((made, *row[1:]) for row in rows))
    return made


def _inserting(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"
