"""The tables of a store, and whether a database is one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from engine.base.errors import InputError, Place

APPLICATION_ID = 0x74756965  # "tuie": which program an SQLite file belongs to
STORE_VERSION = 1

ANOTHER_STORE = "name another file with --store, or another folder in $TUI_EVAL_DATA"

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


def make_tables(connection: sqlite3.Connection) -> None:
    """Make an empty database a store."""
    for statement in filter(str.strip, _TABLES.split(";\n")):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={STORE_VERSION}")


def check_ours(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the file, 0 if it is new."""
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner == APPLICATION_ID and version > STORE_VERSION:
        raise InputError(
            f"was written by a newer tui-eval (format {version}, this one knows {STORE_VERSION})",
            Place(path),
            hint=f"update tui-eval, or {ANOTHER_STORE}",
        )
    if owner not in (0, APPLICATION_ID) or (owner == 0 and (tables or version)):
        raise InputError(
            "is a database of another program",
            Place(path),
            hint=f"it is left as it is; {ANOTHER_STORE}",
        )
    return int(version)
