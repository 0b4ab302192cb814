"""A store of an earlier format is brought up to date, in one step, after a backup."""

from __future__ import annotations

import errno
import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.files.points import Point, set_fault_hook
from engine.sessions import QuestionChange, SessionStore, UnwritableError
from engine.sessions.opening import open_store_file
from engine.sessions.schema import OUR_FORMAT, StoreFormat
from tests.engine.sessions.sessions_by_hand import CYCLIST, HUB, target


def add_owner(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE owners (name TEXT)")
    connection.execute("INSERT INTO owners SELECT 'nobody' FROM sessions")


def fail(connection: sqlite3.Connection) -> None:
    add_owner(connection)
    raise sqlite3.OperationalError("something went wrong")


NEXT = StoreFormat(
    OUR_FORMAT.tables + "CREATE TABLE owners (name TEXT);\n", (*OUR_FORMAT.steps, add_owner)
)
FIRST = StoreFormat(OUR_FORMAT.tables)
NOW = OUR_FORMAT.version


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        store.create("sample", "sample").judge(target("a"), HUB)
    return path


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(found)


def test_the_store_before_is_kept_as_a_backup(path: Path) -> None:
    opened = open_store_file(path, 1.0, form=NEXT)
    owners = opened.execute("SELECT * FROM owners").fetchall()
    opened.close()

    backup = path.with_name(f"sessions.db.backup-v{NOW}")
    assert (version(path), owners) == (NOW + 1, [("nobody",)])
    with SessionStore(backup) as before:
        assert before.open(1).judgement(target("a")) == HUB
    assert backup.stat().st_mode & 0o777 == 0o600


def test_a_backup_that_is_there_is_never_overwritten(path: Path) -> None:
    path.with_name(f"sessions.db.backup-v{NOW}").write_text("mine")

    open_store_file(path, 1.0, form=NEXT).close()

    assert path.with_name(f"sessions.db.backup-v{NOW}").read_text() == "mine"
    assert version(path.with_name(f"sessions.db.backup-v{NOW}-2")) == NOW


@pytest.mark.parametrize(
    "form",
    [StoreFormat(NEXT.tables, (*OUR_FORMAT.steps, step)) for step in (fail, lambda _: None)],
    ids=["fails", "does not make the new tables"],
)
def test_a_migration_that_fails_changes_nothing(path: Path, form: StoreFormat) -> None:
    with pytest.raises(InputError, match=r"sessions\.db: cannot be brought up to date.*nothing"):
        open_store_file(path, 1.0, form=form)

    with SessionStore(path) as store:
        assert store.open(1).judgement(target("a")) == HUB
    assert version(path) == NOW
    assert list(path.parent.iterdir()) == [path]  # no backup of each attempt


def test_without_room_for_a_backup_nothing_is_changed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 1000

    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage)

    with pytest.raises(InputError, match=r"needs .* MB on its disk for a backup.*free some space"):
        open_store_file(path, 1.0, form=NEXT)

    assert version(path) == NOW and not list(path.parent.glob("*backup*"))


def test_where_no_backup_can_be_made_nothing_is_changed(path: Path) -> None:
    def fail_at_the_backup(_: Point, file: Path) -> None:
        if ".backup-" in file.name:
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    set_fault_hook(fail_at_the_backup)
    try:
        with pytest.raises(UnwritableError, match=r"no backup can be made.*quota exceeded"):
            open_store_file(path, 1.0, form=NEXT)
    finally:
        set_fault_hook(None)

    assert version(path) == NOW and list(path.parent.iterdir()) == [path]


def test_a_store_of_today_is_not_backed_up(path: Path) -> None:
    SessionStore(path).close()

    assert list(path.parent.iterdir()) == [path]


def test_a_store_from_before_questions_were_logged_gets_the_number_that_says_so(
    path: Path,
) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=1")
    connection.commit()
    connection.close()

    with SessionStore(path) as store:
        session = store.open(1)
        session.change_question(QuestionChange(CYCLIST, replace(CYCLIST, groups=()), None))
        assert session.judgement(target("a")) == HUB

    assert version(path) == 2 and version(path.with_name("sessions.db.backup-v1")) == 1
    with pytest.raises(InputError, match="written by a newer tui-eval"):
        open_store_file(path, 1.0, form=FIRST)
