"""The saved sessions: everything asked and judged, written to an SQLite file as it happens.

`SessionStore` is the file, `Session` one person's work in it, and the rest are the plain values
that go in and come out. `engine.sessions.replay` asks a session's questions again.
"""

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
