"""A damaged store is one error with its path and the remedy; never half a store."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.sessions import SessionStore
from engine.sessions.schema import APPLICATION_ID
from tests.engine.sessions.damaged_store import make_store, zero_page

REMEDY = r"sessions\.db.*; tui-eval sessions repair --store .*sessions\.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    make_store(path, marks=12)
    return path


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=OFF")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def read_all(path: Path) -> None:
    with SessionStore(path) as store:
        for one in store.summaries():
            session = store.open(one.id)
            session.answers(), session.all_judgements(), session.history("text")
            session.judgements("text", "a cyclist")
            assert session.can_undo and session.can_redo and session.changes
            assert session.undo() and session.redo()


def test_this_store_is_sound(path: Path) -> None:
    read_all(path)


@pytest.mark.parametrize("word", [b"NOT NULL", b"CREATE TABLE", b"PRIMARY KEY", b"judgements"])
@pytest.mark.parametrize("noise", [b"\xff\xfe\x80", b"???", b"\0\0\0", b"((("])
def test_a_damaged_schema(path: Path, word: bytes, noise: bytes) -> None:
    data = path.read_bytes()
    at = data.index(word)
    path.write_bytes(data[:at] + noise + data[at + 3 :])

    with pytest.raises(InputError, match=REMEDY):
        SessionStore(path)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE changes",
        "DROP INDEX history",
        "ALTER TABLE answers DROP COLUMN asked",
        "ALTER TABLE sessions RENAME COLUMN done TO undone",
        "ALTER TABLE judgements RENAME TO opinions",
        "PRAGMA application_id=7",
        "PRAGMA user_version=0",
    ],
)
def test_missing_tables_columns_and_marks(path: Path, statement: str) -> None:
    change(path, statement)

    with pytest.raises(InputError, match=REMEDY):
        SessionStore(path)


@pytest.mark.parametrize("page", [1, 3, 4, 8])
def test_a_damaged_page_is_found_when_the_store_is_opened(path: Path, page: int) -> None:
    path.write_bytes(zero_page(path.read_bytes(), page))

    with pytest.raises(InputError, match=REMEDY):
        SessionStore(path)


@pytest.mark.parametrize(
    "setting",
    [
        "judgements SET body = '{]'",
        "judgements SET body = '[]'",
        "judgements SET body = x'00ff'",
        """judgements SET body = '{"mark": 7}'""",
        "judgements SET body = '" + "[" * 100_000 + "'",
        "judgements SET mode = 'smell'",
        "judgements SET clip = x'80'",
        "answers SET body = 'null'",
        "answers SET query = x'80'",
        "answers SET asked = 'yesterday'",
        "answers SET body = CAST(x'22fffe22' AS TEXT)",
        "changes SET after = '{}', before = '{}'",
        "changes SET mode = ''",
        "sessions SET name = x'41'",
        "sessions SET name = CAST(x'ff' AS TEXT)",
        "sessions SET dataset_source = x'41'",
        "sessions SET updated = 'now'",
        "sessions SET created = 7",
        "sessions SET done = 'many'",
        "sessions SET done = -1",
    ],
)
def test_values_of_the_wrong_kind(path: Path, setting: str) -> None:
    change(path, f"UPDATE OR IGNORE {setting}")

    with pytest.raises(InputError) as caught:
        read_all(path)

    assert re.search(REMEDY, str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_log_beside_an_empty_file_is_not_thrown_away(path: Path) -> None:
    path.write_bytes(b"")
    log = path.with_name("sessions.db-wal")
    log.write_bytes(b"committed")

    with pytest.raises(InputError, match=REMEDY):
        SessionStore(path)

    assert log.read_bytes() == b"committed"


def test_a_header_that_seems_to_forbid_writing(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:18] + b"\x07\x07" + data[20:])

    with pytest.raises(InputError, match=REMEDY):
        SessionStore(path)


def test_comments_in_the_schema_mean_nothing(path: Path) -> None:
    """Stores that were made with other comments are as good."""
    data = path.read_bytes()
    assert APPLICATION_ID.to_bytes(4) in data[:100]
    path.write_bytes(data.replace(b"-- when first asked", b"-- when asked first"))

    SessionStore(path).close()
