"""The saved sessions: everything asked and judged, written to an SQLite file as it happens.

`SessionStore` is the file, `Session` one person's work in it, and the rest are the plain values
that go in and come out. `engine.sessions.replay` asks a session's questions again.

Each is imported when it is first asked for: the inspector opens a store before its first paint, and
needs the rest of them only after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.base.lazy_names import load_name

if TYPE_CHECKING:
    from engine.sessions.change_log import UndoneChanges
    from engine.sessions.records import (
        Answer,
        Change,
        DatedAnswer,
        JudgementChange,
        MetricValue,
        NoteDraft,
        QueryDraft,
        QuestionChange,
        SessionSummary,
        SessionView,
        TableRow,
        TableScreenName,
        TableSort,
        TableView,
    )
    from engine.sessions.session import Session
    from engine.sessions.store import SessionStore
    from engine.sessions.store_files import find_default_path
    from engine.sessions.troubles import DeletedError, LockedError, UnwritableError

_HOMES = {
    **dict.fromkeys(
        (
            *("Answer", "Change", "DatedAnswer", "JudgementChange", "MetricValue", "NoteDraft"),
            *("QueryDraft", "QuestionChange", "SessionSummary", "SessionView"),
            *("TableRow", "TableScreenName", "TableSort", "TableView"),
        ),
        "records",
    ),
    "UndoneChanges": "change_log",
    "Session": "session",
    "SessionStore": "store",
    "find_default_path": "store_files",
    "DeletedError": "troubles",
    "LockedError": "troubles",
    "UnwritableError": "troubles",
}
"""In which file each is."""


def __getattr__(name: str) -> object:
    return load_name(__name__, _HOMES, name)


__all__ = [
    "Answer",
    "Change",
    "DatedAnswer",
    "DeletedError",
    "JudgementChange",
    "LockedError",
    "MetricValue",
    "NoteDraft",
    "QueryDraft",
    "QuestionChange",
    "Session",
    "SessionStore",
    "SessionSummary",
    "SessionView",
    "TableRow",
    "TableScreenName",
    "TableSort",
    "TableView",
    "UndoneChanges",
    "UnwritableError",
    "find_default_path",
]
