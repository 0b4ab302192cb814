"""Carrying sessions over from one store to another, so that nothing of either is lost."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from engine.sessions.sql_rows import SqlRow, insert_rows

_PARTS = ("answers", "judgements", "changes")


@dataclass(frozen=True, slots=True)
class _Content:
    """What was asked and judged in a session, and the log of it."""

    updated: str
    questions: frozenset[SqlRow]
    judgements: frozenset[SqlRow]
    changes: frozenset[SqlRow]

    @classmethod
    def of(cls, store: sqlite3.Connection, session: int) -> _Content:
        def rows(sql: str) -> frozenset[SqlRow]:
            return frozenset(store.execute(f"{sql} WHERE session = ?", (session,)))

        ((updated,),) = store.execute("SELECT updated FROM sessions WHERE id = ?", (session,))
        return cls(
            updated,
            rows("SELECT question FROM answers"),
            rows("SELECT mode, query, clip, body FROM judgements"),
            rows("SELECT number, mode, query, clip, before, after FROM changes"),
        )

    def continues(self, other: _Content) -> bool:
        """Whether this is the same session, resumed: it knows all that the other holds."""
        logged = {(*row[1:4], body) for row in self.changes for body in row[4:]}
        return (
            other.questions <= self.questions
            and other.changes <= self.changes
            and other.judgements <= self.judgements | logged
        )


def copy_sessions(source: sqlite3.Connection, store: sqlite3.Connection) -> dict[int, int]:
    """Copy every session that the store lacks; returns the ids that had to change.

    A session that is in both is there once, as the one that went on; if each went on by itself,
    both are kept. Sessions of one and the same store are never taken for each other, however
    alike they are, and no id is given again that either had given.
    """
    twins = _twins(source, store)
    given = _last_id(store)
    last = max(given, _last_id(source))
    store.execute("DELETE FROM sqlite_sequence WHERE name = 'sessions'")
    store.execute("INSERT INTO sqlite_sequence VALUES ('sessions', ?)", (last,))
    numbers = {}
    for (session,) in source.execute("SELECT id FROM sessions ORDER BY id").fetchall():
        twin = twins.get(session)
        if twin is None:
            own = session if session > given else None
            numbers[session] = _copy(source, store, session, own)
        else:
            _bring_up_to_date(source, store, session, twin)
            numbers[session] = twin
    return {before: now for before, now in numbers.items() if before != now}


def _twins(source: sqlite3.Connection, store: sqlite3.Connection) -> dict[int, int]:
    """The sessions that are in both, and which they are in the store.

    The time of creation alone does not tell: an import has that of the session it was exported
    from. So pairs of equal content come first, then those of the same id.
    """
    created = "SELECT created, id FROM sessions"
    theirs: dict[str, list[int]] = {}
    for time, twin in store.execute(created).fetchall():
        theirs.setdefault(time, []).append(twin)
    pairs = []
    for time, session in source.execute(created).fetchall():
        for twin in theirs.get(time, ()):
            here, there = _Content.of(source, session), _Content.of(store, twin)
            if here.continues(there) or there.continues(here):
                pairs.append((here != there, session != twin, session, twin))
    found: dict[int, int] = {}
    taken = set()
    for _, _, session, twin in sorted(pairs):
        if session not in found and twin not in taken:
            found[session] = twin
            taken.add(twin)
    return found


def _bring_up_to_date(
    source: sqlite3.Connection, store: sqlite3.Connection, session: int, twin: int
) -> None:
    """Put the session in the place of its twin, if it is the one that went on; also if it was only
    given another name, which is no use of it."""
    ours, theirs = _Content.of(source, session), _Content.of(store, twin)
    renamed = _describe(source, session) != _describe(store, twin)
    newer = ours.updated > theirs.updated or (ours.updated == theirs.updated and renamed)
    if ours.continues(theirs) and (newer or not theirs.continues(ours)):
        store.execute("DELETE FROM sessions WHERE id = ?", (twin,))
        _copy(source, store, session, twin)


def _describe(store: sqlite3.Connection, session: int) -> SqlRow:
    """A session's own row, but for its id."""
    ((_, *rest),) = store.execute("SELECT * FROM sessions WHERE id = ?", (session,))
    return tuple(rest)


def _last_id(store: sqlite3.Connection) -> int:
    """The last id that was given, also if its session is deleted."""
    found = store.execute("SELECT seq FROM sqlite_sequence WHERE name = 'sessions'").fetchone()
    return int(found[0]) if found else 0


def _copy(
    source: sqlite3.Connection, store: sqlite3.Connection, session: int, number: int | None
) -> int:
    """Copy a session, all of it; without a number it gets the next one."""
    insert_rows(store, "sessions", [(number, *_describe(source, session))])
    made = int(store.execute("SELECT last_insert_rowid()").fetchone()[0])
    for part in _PARTS:
        rows = source.execute(f"SELECT * FROM {part} WHERE session = ?", (session,))
        insert_rows(store, part, ((made, *row[1:]) for row in rows))
    return made
