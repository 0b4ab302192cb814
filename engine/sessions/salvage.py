"""What can be saved of a damaged store: every row that still makes sense, in a new one.

A judgement that is lost is taken from the log of judgements, if it stands there; a session whose
own row is lost comes back without its name and dataset, for the sake of what was judged in it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias, get_args

from engine.base.choices import Mode
from engine.base.errors import InputError, Place
from engine.files.fields import Field
from engine.sessions.document import (
    format_time,
    from_text,
    is_question_state,
    read_answer,
    read_judgement,
    read_question_state,
    read_view,
)
from engine.sessions.raw_pages import RawRecord
from engine.sessions.raw_tables import RawTables
from engine.sessions.sql_rows import SqlRow, insert_rows

ResultKey: TypeAlias = tuple[int, str, str, str]
"""Session, mode, query and clip."""

_NOWHERE = Place("")
_LARGEST = 1 << 53
_UNKNOWN_TIME = format_time(datetime(1970, 1, 1, tzinfo=UTC))
"""Of a session of which nothing is left that has a time; it is the same whenever it is repaired."""


@dataclass(frozen=True, slots=True)
class SavedCount:
    """Of one kind: how many are saved, how many of these had to be pieced together, and how many
    are known to be lost; `is_guess`: nobody knows, and `lost` is what the undo history lacks."""

    saved: int
    rebuilt: int
    lost: int
    is_guess: bool = False


@dataclass(slots=True)
class Salvage:
    """The rows of a new store."""

    sessions: dict[int, SqlRow] = field(default_factory=dict)
    answers: dict[tuple[int, str], SqlRow] = field(default_factory=dict)
    judgements: dict[ResultKey, str] = field(default_factory=dict)
    changes: dict[tuple[int, int], SqlRow] = field(default_factory=dict)
    last_id: int = 0
    counts: dict[str, SavedCount] = field(default_factory=dict)
    refused: int = 0
    """Rows that were read and make no sense."""

    @property
    def is_empty(self) -> bool:
        return not (self.sessions or self.answers or self.judgements or self.changes)

    def write(self, store: sqlite3.Connection) -> None:
        """Put all of it into an empty store."""
        last = max(self.last_id, *self.sessions, 0)
        store.execute("INSERT INTO sqlite_sequence VALUES ('sessions', ?)", (last,))
        insert_rows(store, "sessions", ((key, *row) for key, row in self.sessions.items()))
        insert_rows(store, "answers", self.answers.values())
        insert_rows(store, "judgements", ((*key, body) for key, body in self.judgements.items()))
        insert_rows(store, "changes", ((*key, *row) for key, row in self.changes.items()))


def salvage_rows(raw: RawTables, is_stale: bool = False) -> Salvage:
    """Keep what makes sense, and piece together what can be; `is_stale`: some of the pages are not
    in their newest state."""
    kept = Salvage()
    refused = {
        table: raw.misfits[table] + sum(not keep(kept, record) for record in records)
        for table, keep, records in (
            ("sessions", _keep_session, raw.sessions),
            ("answers", _keep_answer, raw.answers),
            ("judgements", _keep_judgement, raw.judgements),
            ("changes", _keep_change, raw.changes),
        )
    }
    for record in raw.sequence:
        if record.values[0] == "sessions" and _is_id(record.values[1]):
            kept.last_id = record.values[1]
    _piece_together(kept, raw, refused, is_stale)
    return kept


def _keep_session(kept: Salvage, record: RawRecord) -> bool:
    _, name, *datasets, created, updated, view, done = record.values
    if record.rowid is None or not _is_id(record.rowid):
        return False
    if not _passes(_check_session, name, created, updated, done):
        return False
    view = view if view is None or _passes(_check_view, view) else None
    kept.sessions[record.rowid] = (name, *datasets, created, updated, view, done)
    return True


def _keep_answer(kept: Salvage, record: RawRecord) -> bool:
    session, _, _, asked, mode, _, question, body = record.values
    if not _is_id(session) or not _passes(_check_answer, asked, mode, body):
        return False
    kept.answers[session, question] = record.values
    return True


def _keep_judgement(kept: Salvage, record: RawRecord) -> bool:
    session, mode, query, clip, body = record.values
    if not _is_id(session) or not _passes(_check_judgement, mode, body):
        return False
    key = (session, mode, query, clip)
    before = kept.judgements.get(key)
    # Of two judgements of one result, one was left behind: the earlier one.
    if before is None or _check_judgement(mode, before) <= _check_judgement(mode, body):
        kept.judgements[key] = body
    return True


def _keep_change(kept: Salvage, record: RawRecord) -> bool:
    session, number, *what = record.values
    mode, _, _, *bodies = what
    if not (_is_id(session) and _is_id(number) and _passes(_check_change, mode, *bodies)):
        return False
    kept.changes[session, number] = tuple(what)
    return True


def _piece_together(
    kept: Salvage, raw: RawTables, refused: dict[str, int], is_stale: bool = False
) -> None:
    lost_changes = _count_gaps(kept)
    parts: tuple[Iterable[tuple[Any, ...]], ...] = (kept.answers, kept.judgements, kept.changes)
    orphans = sorted({key[0] for part in parts for key in part} - kept.sessions.keys())
    _rebuild_sessions(kept, orphans)
    rebuilt = _rebuild_judgements(kept)
    asked = {(record.values[0], record.values[1]) for record in raw.asked}
    lost_answers = max(refused["answers"], len(asked - kept.answers.keys()))
    lost_judgements = max(0, refused["judgements"] - rebuilt)
    lacking = _count_lacking_marks(kept) if is_stale or "judgements" in raw.broken else 0
    kept.refused = sum(refused.values())
    kept.counts = {
        "session": SavedCount(
            len(kept.sessions), len(orphans), max(0, refused["sessions"] - len(orphans))
        ),
        "answer": SavedCount(len(kept.answers), 0, lost_answers),
        "judgement": SavedCount(
            len(kept.judgements),
            rebuilt,
            max(lost_judgements, lacking),
            is_guess=lacking > lost_judgements,
        ),
        "change": SavedCount(len(kept.changes), 0, max(refused["changes"], lost_changes)),
    }


def _rebuild_sessions(kept: Salvage, sessions: Collection[int]) -> None:
    """Sessions by what was asked and judged in them; whose dataset it was, nobody knows."""
    times: dict[int, list[str]] = {session: [] for session in sessions}
    changes: dict[int, list[int]] = {session: [] for session in sessions}
    for (session, _), row in kept.answers.items():
        if session in times:
            times[session].append(row[3])
    for (session, *_), body in kept.judgements.items():
        if session in times:
            times[session].append(format_time(_check_judgement("text", body)))
    for (session, number), row in kept.changes.items():
        if session in times:
            changes[session].append(number)
            if row[4] and not is_question_state(row[4]):
                times[session].append(format_time(_check_judgement("text", row[4])))
    for session in sessions:
        kept.sessions[session] = (
            f"recovered session {session}",
            "",
            "",
            min(times[session], default=_UNKNOWN_TIME),
            max(times[session], default=_UNKNOWN_TIME),
            None,
            _find_done(kept, session, changes[session]),
        )


def _find_done(kept: Salvage, session: int, numbers: list[int]) -> int:
    """How many changes stand: up to the last whose outcome is what is judged now."""
    for number in sorted(numbers, reverse=True):
        *target, _, after = kept.changes[session, number]
        if is_question_state(after):
            continue  # nothing tells whether it was undone
        if kept.judgements.get((session, *target)) == after:
            return number
    return max(numbers, default=0)


def _rebuild_judgements(kept: Salvage) -> int:
    """Judgements that the log says stand, and that are in no page any more."""
    missing = {
        key: body
        for key, body in _find_standing(kept).items()
        if body is not None and key not in kept.judgements
    }
    kept.judgements.update(missing)
    return len(missing)


def _find_standing(kept: Salvage) -> dict[ResultKey, str | None]:
    """What each result is judged by the log, as far as it is there; None: not any more."""
    standing: dict[ResultKey, str | None] = {}
    for (session, number), (*target, _, after) in sorted(kept.changes.items()):
        if number <= kept.sessions[session][-1] and not is_question_state(after):
            standing[session, *target] = after
    return standing


def _count_lacking_marks(kept: Salvage) -> int:
    """Changes that are gone, and whose outcome stands in no judgement that is left.

    As many judgements made here may be lost, or fewer: some replaced others. More are lost if they
    came with an import, which no change tells of, or if the session's own row is gone or old.
    """
    standing = _find_standing(kept)
    gone: Counter[int] = Counter({session: row[-1] for session, row in kept.sessions.items()})
    gone.subtract(key[0] for key in kept.changes if key[1] <= kept.sessions[key[0]][-1])
    gone.subtract(key[0] for key, body in kept.judgements.items() if standing.get(key) != body)
    return sum(count for count in gone.values() if count > 0)


def _count_gaps(kept: Salvage) -> int:
    """Changes that must have been there: they are numbered from 1 without a gap."""
    last: dict[int, int] = {session: row[-1] for session, row in kept.sessions.items()}
    for session, number in kept.changes:
        last[session] = max(number, last.get(session, 0))
    return max(0, sum(last.values()) - len(kept.changes))


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and 0 < value < _LARGEST


def _passes(check: Callable[..., object], *values: Any) -> bool:
    try:
        check(*values)
    except (InputError, ValueError, TypeError, OverflowError):
        return False
    return True


def _check_session(name: str, created: str, updated: str, done: int) -> None:
    Field(name, "name", _NOWHERE).filled()
    for time in (created, updated):
        Field(time, "time", _NOWHERE).moment()
    Field(done, "done", _NOWHERE).count()


def _check_view(view: str) -> None:
    read_view(from_text(view, "view", _NOWHERE))


def _check_answer(asked: str, mode: str, body: str) -> None:
    Field(asked, "asked", _NOWHERE).moment()
    Field(mode, "mode", _NOWHERE).choice(get_args(Mode))
    read_answer(from_text(body, "an answer", _NOWHERE))


def _check_judgement(mode: str, body: str) -> datetime:
    Field(mode, "mode", _NOWHERE).choice(get_args(Mode))
    return read_judgement(from_text(body, "a judgement", _NOWHERE))[1]


def _check_change(mode: str, *bodies: str | None) -> None:
    Field(mode, "mode", _NOWHERE).choice(get_args(Mode))
    for body in bodies:
        if is_question_state(body):
            read_question_state(from_text(body or "", "a question", _NOWHERE))
        elif body is not None:
            _check_judgement(mode, body)
