"""A store that was damaged while it was open: what the program still sees of it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from engine.sessions.losses import describe_loss
from engine.sessions.memory import make_empty
from engine.sessions.opening import transaction
from engine.sessions.raw_pages import PageFile
from engine.sessions.raw_tables import read_tables
from engine.sessions.salvage import salvage_rows
from engine.sessions.schema import is_sound


@dataclass(frozen=True, slots=True)
class Rescue:
    """A sound store in memory, and what of the damaged one is not in it, in words."""

    store: sqlite3.Connection
    lost: str


def rescue_rows(copy: sqlite3.Connection) -> Rescue | None:
    """The copy itself if it is sound, else every row of it that can be read; None if none can."""
    try:
        if is_sound(copy):
            return Rescue(copy, "")
    except sqlite3.DatabaseError:  # it has not even a schema
        pass
    raw = read_tables(PageFile(copy.serialize()))
    kept = salvage_rows(raw, is_stale=True)
    if kept.is_empty:
        return None
    store = make_empty()
    with transaction(store):
        kept.write(store)
    copy.close()
    return Rescue(store, describe_loss(kept.counts, raw.bad_pages) or "nothing that is known")
