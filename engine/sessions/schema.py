"""The tables of a store, whether a database is one, and whether it is whole."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from engine.base.errors import InputError, Place
from engine.sessions.troubles import ANOTHER_STORE, make_damaged

APPLICATION_ID = 0x74756965  # "tuie": which program an SQLite file belongs to

CHECKED_SIZE = 8 << 20
"""Bytes up to which each opening looks at every page: 2 ms per megabyte, so 16 ms at most. Damage
in a larger store is found when its page is read."""

Migration: TypeAlias = Callable[[sqlite3.Connection], None]
"""Changes the tables of one version to those of the next."""


class StoreFormat(NamedTuple):
    """How a store is laid out.

    tables  those of the newest version
    steps   how a store of version 1 becomes one of version 2, and so on
    """

    tables: str
    steps: tuple[Migration, ...] = ()

    @property
    def version(self) -> int:
        return 1 + len(self.steps)


_TABLES = """
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- a deleted session's id never means another one
    name TEXT NOT NULL,
    dataset_name TEXT NOT NULL,
    dataset_source TEXT NOT NULL,
    created TEXT NOT NULL,
    updated TEXT NOT NULL,
    view TEXT,
    done INTEGER NOT NULL DEFAULT 0        -- changes up to here are done, those after are undone
);
CREATE TABLE answers (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position INTEGER NOT NULL,             -- when first asked
    used INTEGER NOT NULL,                 -- when last asked
    asked TEXT NOT NULL,
    mode TEXT NOT NULL,
    query TEXT NOT NULL,
    question TEXT NOT NULL,
    body TEXT NOT NULL,                    -- long: what is read often stands before it
    UNIQUE (session, question)
);
CREATE INDEX first_asked ON answers (session, position);
CREATE INDEX last_used ON answers (session, used);
CREATE INDEX history ON answers (session, mode, query, used);
CREATE TABLE judgements (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    mode TEXT NOT NULL,
    query TEXT NOT NULL,
    clip TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, mode, query, clip)
) WITHOUT ROWID;
CREATE TABLE changes (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    mode TEXT NOT NULL,
    query TEXT NOT NULL,
    clip TEXT NOT NULL,
    before TEXT,
    after TEXT,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
"""


def _log_questions(_: sqlite3.Connection) -> None:
    """To version 2: the log of changes holds questions too. The tables are the same, but a program
    that knows version 1 would take these rows for damage."""


OUR_FORMAT = StoreFormat(_TABLES, (_log_questions,))


def make_tables(connection: sqlite3.Connection, form: StoreFormat = OUR_FORMAT) -> None:
    """Make an empty database a store."""
    for statement in filter(str.strip, form.tables.split(";\n")):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={form.version}")


def check_ours(connection: sqlite3.Connection, path: Path, form: StoreFormat = OUR_FORMAT) -> int:
    """The version of the file, 0 if it is new."""
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    found = _read_schema(connection)
    if owner == APPLICATION_ID and version > form.version:
        raise InputError(
            f"was written by a newer tui-eval (format {version}, this one knows {form.version})",
            Place(path),
            hint=f"update tui-eval, or {ANOTHER_STORE}",
        )
    if owner != APPLICATION_ID and _expected_schema(form).keys() <= found.keys():
        raise make_damaged(path)  # all our tables without our mark
    if owner not in (0, APPLICATION_ID) or (owner == 0 and (found or version)):
        raise InputError(
            "is a database of another program",
            Place(path),
            hint=f"it is left as it is; {ANOTHER_STORE}",
        )
    if owner == APPLICATION_ID and version < 1:
        raise make_damaged(path)
    return int(version)


def check_whole(connection: sqlite3.Connection, path: Path, form: StoreFormat = OUR_FORMAT) -> None:
    """Refuse a store that lacks a table or a column, or, unless it is large, has a bad page."""
    found = _read_schema(connection)
    if any(found.get(name) != text for name, text in _expected_schema(form).items()):
        raise make_damaged(path, "is damaged: its tables are not those of a session store")
    (pages,), (size,) = (
        connection.execute(f"PRAGMA {what}").fetchone() for what in ("page_count", "page_size")
    )
    if pages * size <= CHECKED_SIZE and not is_sound(connection):
        raise make_damaged(path)


def is_sound(connection: sqlite3.Connection) -> bool:
    """Whether every page is where it belongs."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()
    return found is not None and found[0] == "ok"


@cache
def _expected_schema(form: StoreFormat) -> dict[str, str]:
    connection = sqlite3.connect(":memory:")
    make_tables(connection, form)
    found = _read_schema(connection)
    connection.close()
    return found


def _read_schema(connection: sqlite3.Connection) -> dict[str, str]:
    """What is defined, by name; not as it was typed: comments and blanks mean nothing."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    return {
        str(name): " ".join((str(kind), str(table), *re.sub(r"--.*", "", str(sql)).split()))
        for kind, name, table, sql in rows
    }
