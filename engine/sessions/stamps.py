"""Times that only go forward: a clock may be set back, the order of what was done stays."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta

from engine.sessions.document import format_time

_LEAST = timedelta(microseconds=1)


def find_next_moment(connection: sqlite3.Connection, clock: Callable[[], datetime]) -> datetime:
    """The time; if the store was changed "later" than that, a microsecond after its last change.

    To be called inside the transaction that writes it, so that no two get the same.
    """
    moment = clock()
    (newest,) = connection.execute("SELECT max(updated) FROM sessions").fetchone()
    if newest is None or format_time(moment) > str(newest):
        return moment
    try:
        return datetime.fromisoformat(newest).astimezone(moment.tzinfo) + _LEAST
    except (ValueError, TypeError, OverflowError):  # damaged, or the end of all time
        return moment
