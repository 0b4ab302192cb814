"""A store whose main file is cut off while it is open: noticed, and made again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engine.keywords.judgement import Judgement
from engine.sessions import Session, SessionStore
from engine.sessions.repair import repair_store
from tests.engine.sessions.damaged_store import PAGE
from tests.engine.sessions.sessions_by_hand import HUB, target

MARKS = 60


@pytest.fixture
def session(store: SessionStore, path: Path) -> Session:
    session = store.create("sample", "sample")
    for number in range(MARKS):
        session.judge(target(f"clip {number}"), Judgement(note=f"{number} " + "." * 500))
    move_log(path)
    store.look_after(store._database.notice)
    assert path.stat().st_size > 10 * PAGE
    return session


def move_log(path: Path) -> None:
    """Have all that is in the log moved to the main file, as happens now and then."""
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA wal_checkpoint(PASSIVE)")
    other.close()


def cut(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)


def count_marks(path: Path) -> int:
    with SessionStore(path) as store:
        return sum(len(store.open(one.id).all_judgements()) for one in store.summaries())


@pytest.mark.parametrize("size", [0, 50, PAGE, 10 * PAGE])
def test_a_store_that_was_cut_off_is_made_again(
    size: int, path: Path, store: SessionStore, session: Session, reported: list[str]
) -> None:
    cut(path, size)

    store.look_after(reported.append)

    (message,) = reported
    assert message.startswith(f"{path} was cut off: it is made again") and "Lost" not in message
    session.judge(target("later"), HUB)
    assert count_marks(path) == MARKS + 1
    (aside,) = path.parent.glob("*.damaged-*[0-9]")
    assert str(aside) in message and aside.stat().st_size == size
    store.look_after(reported.append)
    assert len(reported) == 1


def test_the_next_mark_is_not_written_to_a_store_that_was_cut_off(
    path: Path, session: Session, reported: list[str]
) -> None:
    cut(path, 10 * PAGE)

    session.judge(target("later"), HUB)

    assert len(reported) == 1 and count_marks(path) == MARKS + 1


def test_a_store_that_was_cut_off_is_made_again_at_the_end(
    path: Path, store: SessionStore, session: Session
) -> None:
    cut(path, 0)

    store.close()

    assert count_marks(path) == MARKS and repair_store(path).is_sound


def test_what_could_not_be_read_any_more_is_counted(
    path: Path, store: SessionStore, session: Session, reported: list[str]
) -> None:
    store._database._connection.execute("PRAGMA shrink_memory")  # as if it were too large for it
    cut(path, 10 * PAGE)

    store.look_after(reported.append)

    saved = count_marks(path)
    assert 0 < saved < MARKS
    lacking = f"(the undo history lacks {MARKS - saved};"
    assert f"Lost: an unknown number of judgements {lacking}" in reported[0]


def test_a_store_that_another_program_packed_is_left_as_it_is(
    path: Path, store: SessionStore, session: Session, reported: list[str]
) -> None:
    gone = store.create("sample", "sample")
    for number in range(MARKS):
        gone.judge(target(f"clip {number}"), Judgement(note="." * 500))
    move_log(path)
    store.delete(gone.id)
    before = path.stat().st_size
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("VACUUM")
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    assert path.stat().st_size < before

    store.look_after(reported.append)

    assert reported == [] and list(path.parent.glob("*.damaged*")) == []
