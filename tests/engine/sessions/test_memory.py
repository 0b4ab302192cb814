"""Where nothing can be written, a store is kept in memory, and ends in a private file."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.keywords.judgement import Judgement
from engine.sessions import SessionStore, UnwritableError, database
from tests.engine.sessions.sessions_by_hand import HUB, target


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A path through a file: no folder can be made there, by no user."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "sessions.db"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def is_full(store: SessionStore) -> UnwritableError:
    """Fill the disk, as SQLite sees it, and let it say so."""
    store._database._connection.execute("PRAGMA max_page_count=1")
    with pytest.raises(UnwritableError, match="the disk is full") as caught:
        store.open(1).judge(target("big"), Judgement(note="x" * 90_000))
    return caught.value


def test_a_store_that_cannot_be_made_is_in_memory(nowhere: Path, temporary: Path) -> None:
    with pytest.raises(UnwritableError):
        SessionStore(nowhere)
    store = SessionStore.open_anyway(nowhere)
    assert store.unsaved is not None
    session = store.create("sample", "sample")
    session.judge(target("a"), HUB)
    session.judge(target("b"), HUB)
    session.undo()
    assert session.judgements("text", "a cyclist") == {"a": HUB}

    with pytest.raises(
        InputError, match=r"everything is in .*continue with: tui-eval --store .*--resume"
    ) as e:
        store.close()

    (copy,) = temporary.iterdir()
    assert str(copy) in str(e.value) and copy.stat().st_mode & 0o777 == 0o600
    with SessionStore(copy) as again:
        assert again.open(1).judgements("text", "a cyclist") == {"a": HUB}


def test_a_store_in_memory_without_anything_in_it_ends_silently(
    nowhere: Path, temporary: Path
) -> None:
    SessionStore.open_anyway(nowhere).close()

    assert list(temporary.iterdir()) == []


def test_a_store_is_closed_once_however_often_that_is_asked(tmp_path: Path) -> None:
    store = SessionStore(tmp_path / "sessions.db")
    store.create("sample", "sample")

    store.close()
    store.close()

    assert [file.name for file in tmp_path.glob("sessions.db*")] == ["sessions.db"]


def test_what_is_kept_in_memory_is_put_into_one_file(nowhere: Path, temporary: Path) -> None:
    store = SessionStore.open_anyway(nowhere)
    store.create("sample", "sample")
    with pytest.raises(InputError, match="everything is in"):
        store.close()

    store.close()

    assert len([*temporary.iterdir()]) == 1


def test_a_store_that_can_be_written_is_not_in_memory(tmp_path: Path) -> None:
    with SessionStore.open_anyway(tmp_path / "sessions.db") as store:
        assert store.unsaved is None


def test_what_a_protected_file_holds_is_there(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        store.create("sample", "sample").judge(target("a"), HUB)
    before = path.read_bytes()

    in_memory = SessionStore(path, unsaved=UnwritableError("cannot be written"))

    assert in_memory.open(1).judgement(target("a")) == HUB
    assert path.read_bytes() == before
    in_memory.close()


def test_a_protected_file_that_is_too_large_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sessions.db"
    with path.open("wb") as file:
        file.truncate(64 << 20)
    monkeypatch.setenv("TUI_EVAL_MEMORY", "100MB")

    with pytest.raises(InputError, match=r"sessions\.db: needs about 384 MB.*more memory") as e:
        SessionStore(path, unsaved=UnwritableError("cannot be written"))

    assert "split it" not in str(e.value)


def test_a_damaged_file_is_not_gone_on_beside(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    SessionStore(path).close()
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE changes")
    other.close()

    with pytest.raises(InputError, match="sessions repair"):
        SessionStore(path, unsaved=UnwritableError("cannot be written"))


def test_work_goes_on_when_the_disk_becomes_full_and_is_saved_when_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "TRY_AGAIN", 0.0)
    path, said = tmp_path / "sessions.db", list[str]()
    with SessionStore(path) as store:
        session = store.create("sample", "sample")
        session.judge(target("before"), HUB)
        assert store.keep_in_memory(is_full(store))

        session.judge(target("meanwhile"), HUB)
        assert set(session.judgements("text", "a cyclist")) == {"before", "meanwhile"}
        with SessionStore(path) as other:
            assert set(other.open(1).judgements("text", "a cyclist")) == {"before"}

        store.look_after(said.append)  # the disk has room again
        assert store.unsaved is None and re.search("can be written again", said[0])
        session.judge(target("after"), HUB)

    with SessionStore(path) as again:
        assert len(again.summaries()) == 1
        found = again.open(1).judgements("text", "a cyclist")
        assert set(found) == {"before", "meanwhile", "after"}


def test_a_copy_that_has_no_room_either_is_put_elsewhere(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    store = SessionStore.open_anyway(nowhere)
    store.create("sample", "sample")

    with pytest.raises(InputError, match=r"everything is in .*/here/tui-eval-"):
        store.close()


def test_what_lies_in_the_log_is_read_through_a_link_too(tmp_path: Path) -> None:
    path, link = tmp_path / "sessions.db", tmp_path / "link.db"
    link.symlink_to(path)
    with SessionStore(path) as writing:
        writing.create("sample", "sample").judge(target("a"), HUB)

        reading = SessionStore(link, unsaved=UnwritableError("cannot be written", link))

        assert [one.judgements for one in reading.summaries()] == [1]


def test_a_name_that_is_given_in_memory_is_saved_with_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "TRY_AGAIN", 0.0)
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        store.create("sample", "sample", "before").judge(target("a"), HUB)
        assert store.keep_in_memory(is_full(store))

        store.rename(1, "after")
        store.look_after(lambda _: None)

        assert store.unsaved is None
    with SessionStore(path) as again:
        assert [one.name for one in again.summaries()] == ["after"]


def test_a_session_is_not_deleted_where_it_would_come_back(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        store.create("sample", "sample").judge(target("a"), HUB)
        assert store.keep_in_memory(is_full(store))

        with pytest.raises(InputError, match="session 1 cannot be deleted while nothing can be"):
            store.delete(1)

        assert store.exists(1)
