"""The saved sessions: everything asked and judged, written to an SQLite file as it happens.

`SessionStore` is the file, `Session` one person's work in it, and the rest are the plain values
that go in and come out. `engine.sessions.replay` asks a session's questions again.
"""

from engine.sessions.database import LockedError
from engine.sessions.session import Session
from engine.sessions.store import SessionStore, default_path
from engine.sessions.values import Answer, Asked, Change, MetricValue, Summary, View

__all__ = [
    "Answer",
    "Asked",
    "Change",
    "LockedError",
    "MetricValue",
    "Session",
    "SessionStore",
    "Summary",
    "View",
    "default_path",
]
