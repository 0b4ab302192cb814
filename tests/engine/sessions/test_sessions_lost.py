"""A store that is deleted or replaced while it is open: all of it is saved again, or reported.

SQLite itself goes on writing to a file that has no name any more, and says nothing.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError, Place
from engine.keywords.judgement import Judgement
from engine.report.session.document import build_session_document
from engine.sessions import LockedError, Session, SessionStore, SessionView
from engine.sessions.copy_sessions import _copy, copy_sessions
from tests.conftest import ROOT
from tests.engine.sessions.sessions_by_hand import CYCLIST, HUB, answer, target, ticking

LOST = {
    "main": ["sessions.db"],
    "all": ["sessions.db", "sessions.db-wal", "sessions.db-shm"],
    "log": ["sessions.db-wal"],
    "index": ["sessions.db-shm"],
    "log and index": ["sessions.db-wal", "sessions.db-shm"],
    "folder": [""],
}
lost = pytest.mark.parametrize("names", LOST.values(), ids=LOST)


def remove(folder: Path, names: list[str]) -> None:
    for name in names:
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink()


@pytest.fixture
def session(store: SessionStore) -> Session:
    store.create("other", "/other").judge(target("z"), HUB)
    session = store.create("sample", "sample")
    session.record(answer())
    session.judge(target("a"), HUB)
    session.remember(SessionView(CYCLIST, "a"))
    return session


@pytest.mark.parametrize("name", ["sessions.db-wal", "sessions.db-shm"])
def test_the_log_of_a_link_lies_where_the_link_leads(
    tmp_path: Path, path: Path, reported: list[str], name: str
) -> None:
    path.parent.mkdir()
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with SessionStore(link, ticking(), patience=0.2) as store:
        store.look_after(reported.append)
        session = store.create("sample", "sample")
        session.judge(target("a"), HUB)
        path.with_name(name).unlink()

        session.judge(target("b"), HUB)

        assert reported == [f"A part of {link} was deleted: it is mended, nothing is lost."]
        assert saved(path) == saved(link) == {"sample": {"a", "b"}}


class Other:
    """Another program that has the store open: `tui-eval` in a second terminal."""

    CODE = """
import sys
from pathlib import Path
from engine.sessions import SessionStore
from tests.engine.sessions.sessions_by_hand import HUB, target
with SessionStore(Path(sys.argv[1]), patience=0.5) as store:
    session = store.create("theirs", "/theirs") if sys.argv[2] == "new" else store.latest()
    print("open", flush=True)
    for line in sys.stdin:
        session.judge(target(line.strip()), HUB)
        print("judged", flush=True)
"""

    def __init__(self, path: Path, which: str) -> None:
        command = [sys.executable, "-c", self.CODE, str(path), which]
        self._process = subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._expect("open")

    def judge(self, clip: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{clip}\n")
        self._process.stdin.flush()
        self._expect("judged")

    def quit(self) -> None:
        self._process.communicate(timeout=120)
        assert self._process.returncode == 0

    def _expect(self, word: str) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == word


def saved(path: Path) -> dict[str, set[str]]:
    """What is in the file, as a process that opens it now finds it: dataset → clips judged."""
    code = (
        "import sys; from pathlib import Path; from engine.sessions import SessionStore\n"
        "with SessionStore(Path(sys.argv[1])) as store:\n"
        "    for one in store.summaries():\n"
        "        judged = store.open(one.id).all_judgements()\n"
        "        print(one.dataset_name, *(target.clip for target, _, _ in judged))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    found = [line.split() for line in done.stdout.splitlines()]
    assert len({name for name, *_ in found}) == len(found), f"a session is there twice: {found}"
    with sqlite3.connect(path) as plain:
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    plain.close()
    return {name: set(clips) for name, *clips in found}


@lost
def test_the_next_write_saves_everything_again(
    store: SessionStore, session: Session, path: Path, reported: list[str], names: list[str]
) -> None:
    remove(path.parent, names)

    session.judge(target("b"), Judgement("relevant"))

    assert saved(path) == {"other": {"z"}, "sample": {"a", "b"}}
    assert len(reported) == 1 and str(path) in reported[0]
    assert session.id == 2
    with SessionStore(path) as again:
        found = again.open(2)
        assert found.answers()[0].question == CYCLIST and found.view == SessionView(CYCLIST, "a")
        assert found.undo() is not None and found.undo() is not None and not found.can_undo
    session.judge(target("c"), HUB)
    assert len(reported) == 1


@lost
def test_what_was_saved_is_saved_again_without_a_write(
    store: SessionStore, session: Session, path: Path, reported: list[str], names: list[str]
) -> None:
    remove(path.parent, names)

    store.look_after(reported.append)

    assert saved(path) == {"other": {"z"}, "sample": {"a"}}
    assert len(reported) == 1


@lost
def test_closing_saves_it_too(path: Path, names: list[str]) -> None:
    with SessionStore(path, ticking()) as store:
        store.create("sample", "sample").judge(target("a"), HUB)
        remove(path.parent, names)

    assert saved(path) == {"sample": {"a"}}


def test_a_program_that_has_saved_nothing_makes_nothing(path: Path, session: Session) -> None:
    copy = path.with_name("copy.db")
    SessionStore(copy).close()
    with SessionStore(copy) as reader:
        remove(path.parent, ["copy.db"])
        reader.look_after(lambda _: None)
        assert reader.summaries() == []

    assert not copy.exists()


@pytest.mark.slow
@lost
@pytest.mark.parametrize("quits", [False, True])
def test_two_programs_on_one_session_lose_nothing(
    store: SessionStore, session: Session, path: Path, names: list[str], quits: bool
) -> None:
    other = Other(path, "latest")
    other.judge("b")
    remove(path.parent, names)

    session.judge(target("c"), HUB)
    if not quits:
        other.judge("d")
        session.judge(target("e"), HUB)
        other.judge("f")
    other.quit()
    session.judge(target("g"), HUB)

    expected = set("abcg") if quits else set("abcdefg")
    assert saved(path) == {"other": {"z"}, "sample": expected}


@pytest.mark.slow
@lost
@pytest.mark.parametrize("quits", [False, True])
def test_the_program_that_notices_second_finds_all_that_the_first_saved(
    store: SessionStore, session: Session, path: Path, names: list[str], quits: bool
) -> None:
    other = Other(path, "latest")
    other.judge("b")
    remove(path.parent, names)

    other.judge("c")
    if quits:
        other.quit()
    session.judge(target("d"), HUB)
    if not quits:
        other.judge("e")
        other.quit()

    expected = set("abcd") if quits else set("abcde")
    assert saved(path) == {"other": {"z"}, "sample": expected}
    assert set(session.judgements("text", "a cyclist")) == expected


@pytest.mark.slow
@pytest.mark.parametrize("names", [LOST["all"], LOST["log and index"], LOST["folder"]])
def test_a_program_that_began_a_store_meanwhile_keeps_its_own(
    store: SessionStore, session: Session, path: Path, names: list[str]
) -> None:
    remove(path.parent, names)
    other = Other(path, "new")
    other.judge("x")

    session.judge(target("b"), HUB)
    other.judge("y")
    session.judge(target("c"), HUB)
    other.quit()
    session.judge(target("d"), HUB)

    assert saved(path) == {"other": {"z"}, "sample": set("abcd"), "theirs": {"x", "y"}}


@pytest.mark.slow
@pytest.mark.parametrize("names", [LOST["all"], LOST["log and index"]])
def test_a_program_that_began_a_store_and_ended_keeps_its_own(
    store: SessionStore, session: Session, path: Path, names: list[str]
) -> None:
    remove(path.parent, names)
    other = Other(path, "new")
    other.judge("x")
    other.quit()

    session.judge(target("b"), HUB)
    session.judge(target("c"), HUB)

    assert saved(path) == {"other": {"z"}, "sample": set("abc"), "theirs": {"x"}}


@pytest.mark.slow
@lost
def test_a_program_that_looks_at_what_is_left_does_no_harm(
    store: SessionStore, session: Session, path: Path, names: list[str]
) -> None:
    remove(path.parent, names)
    look = "import sys; from pathlib import Path; from engine.sessions import SessionStore\n"
    look += "SessionStore(Path(sys.argv[1])).create('theirs', '/theirs')"
    done = subprocess.run(
        [sys.executable, "-c", look, path], cwd=ROOT, capture_output=True, check=False
    )

    session.judge(target("b"), HUB)

    found = saved(path)
    assert (
        found.pop("theirs", None) is not None or done.returncode != 0
    )  # saved, or reported that not
    assert found == {"other": {"z"}, "sample": {"a", "b"}}


def test_another_store_in_its_place_gets_the_sessions_and_keeps_its_own(
    store: SessionStore, session: Session, path: Path, reported: list[str]
) -> None:
    theirs = path.with_name("theirs.db")
    with SessionStore(theirs) as others:
        for name in ("one", "two", "three"):
            others.create(name, f"/{name}").judge(target("x"), HUB)
    theirs.replace(path)

    session.judge(target("b"), HUB)

    kept = {"one": {"x"}, "two": {"x"}, "three": {"x"}}
    assert saved(path) == {**kept, "other": {"z"}, "sample": {"a", "b"}}
    assert session.id == 5 and store.open(2).dataset_name == "two"
    assert "was replaced" in reported[0]
    store.rename(session.id, "mine")
    assert session.name == "mine"
    assert session.undo() is not None
    assert saved(path)["sample"] == {"a"}


@pytest.mark.parametrize("with_log", [True, False])
def test_an_older_copy_in_its_place_is_brought_up_to_date(
    store: SessionStore, session: Session, path: Path, with_log: bool
) -> None:
    backup = path.with_name("backup.db")
    with sqlite3.connect(backup) as copy:
        store._database._connection.backup(copy)
    copy.close()
    session.judge(target("b"), HUB)
    session.judge(target("a"), Judgement())  # taken back since
    if not with_log:
        remove(path.parent, ["sessions.db-wal", "sessions.db-shm"])
    backup.replace(path)

    session.judge(target("c"), HUB)

    assert saved(path) == {"other": {"z"}, "sample": {"b", "c"}}
    assert session.id == 2


def test_if_each_went_on_by_itself_both_are_kept(
    store: SessionStore, session: Session, path: Path
) -> None:
    copy = path.with_name("copy.db")
    with sqlite3.connect(copy) as plain:
        store._database._connection.backup(plain)
    plain.close()
    with SessionStore(copy) as elsewhere:
        elsewhere.open(2).judge(target("x"), HUB)
    session.judge(target("b"), HUB)
    copy.replace(path)

    session.judge(target("c"), HUB)

    with SessionStore(path) as again:
        judged = [{t.clip for t, _, _ in again.open(n).all_judgements()} for n in (1, 2, 3)]
    assert judged == [{"z"}, {"a", "x"}, {"a", "b", "c"}]
    assert session.id == 3


@lost
def test_sessions_that_were_imported_stay_sessions_of_their_own(
    store: SessionStore, session: Session, path: Path, names: list[str]
) -> None:
    document = build_session_document(session)
    first, second = (store.import_document(document, Place("s.json")) for _ in range(2))
    remove(path.parent, names)

    second.judge(target("q"), HUB)

    assert [one.id for one in (session, first, second)] == [2, 3, 4]
    assert len(store.summaries()) == 4
    judged = [set(one.judgements("text", "a cyclist")) for one in (session, first, second)]
    assert judged == [{"a"}, {"a"}, {"a", "q"}]


def test_an_older_copy_of_imported_sessions_is_brought_up_to_date_one_by_one(
    store: SessionStore, session: Session, path: Path
) -> None:
    imported = store.import_document(build_session_document(session), Place("s.json"))
    backup = path.with_name("backup.db")
    with sqlite3.connect(backup) as copy:
        store._database._connection.backup(copy)
    copy.close()
    session.judge(target("b"), HUB)
    backup.replace(path)

    imported.judge(target("c"), HUB)

    assert (session.id, imported.id, len(store.summaries())) == (2, 3, 3)
    assert set(session.judgements("text", "a cyclist")) == {"a", "b"}
    assert set(imported.judgements("text", "a cyclist")) == {"a", "c"}


def test_alike_sessions_that_have_other_numbers_there_are_found_by_their_content(
    tmp_path: Path, session: Session
) -> None:
    document = build_session_document(session)
    with (
        SessionStore(tmp_path / "one.db", ticking()) as one,
        SessionStore(tmp_path / "two.db") as two,
    ):
        less = one.import_document(document, Place("s.json"))
        more = one.import_document(document, Place("s.json"))
        more.judge(target("b"), HUB)
        source, store = one._database._connection, two._database._connection
        two.create("first", "/first")
        for number, twin in ((more.id, 7), (less.id, 8)):
            _copy(source, store, number, twin)

        assert copy_sessions(source, store) == {less.id: 8, more.id: 7}
        assert len(two.summaries()) == 3


@lost
def test_the_id_of_a_deleted_session_is_not_given_again(
    store: SessionStore, session: Session, path: Path, names: list[str]
) -> None:
    store.delete(store.create("gone", "/gone").id)
    remove(path.parent, names)

    session.judge(target("b"), HUB)

    assert store.create("new", "/new").id == 4


def test_no_session_gets_an_id_that_another_store_had_given(
    store: SessionStore, session: Session, path: Path
) -> None:
    theirs = path.with_name("theirs.db")
    with SessionStore(theirs) as others:
        for name in ("one", "two"):
            others.create(name, f"/{name}")
        others.delete(2)
    for _ in range(3):
        store.delete(store.create("gone", "/gone").id)
    theirs.replace(path)

    session.judge(target("b"), HUB)

    assert session.id == 7  # 1 and 2 were given there, 3 to 5 here, and 6 to the one before it
    assert saved(path) == {"one": set(), "other": {"z"}, "sample": {"a", "b"}}


@pytest.mark.parametrize("content", [b"hello", b"not a database " * 1000])
def test_another_file_in_its_place_is_left_alone_and_nothing_counts_as_saved(
    store: SessionStore, session: Session, path: Path, content: bytes
) -> None:
    remove(path.parent, LOST["all"])
    path.write_bytes(content)

    for _ in range(2):
        with pytest.raises(InputError, match=r"was replaced, .* is not a session store"):
            session.judge(target("b"), HUB)

    assert path.read_bytes() == content
    assert set(session.judgements("text", "a cyclist")) == {"a"}  # reading goes on
    path.unlink()
    session.judge(target("c"), HUB)
    assert saved(path) == {"other": {"z"}, "sample": {"a", "c"}}


def test_a_folder_that_cannot_be_made_again_is_reported_at_every_write(
    store: SessionStore, session: Session, path: Path
) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_text("a file")

    for _ in range(2):
        with pytest.raises(InputError, match=r"was deleted, .* the folder cannot be made"):
            session.judge(target("b"), HUB)

    path.parent.unlink()
    session.judge(target("b"), HUB)
    assert saved(path) == {"other": {"z"}, "sample": {"a", "b"}}


def test_when_a_store_that_is_lost_for_good_is_closed_a_copy_is_named(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = SessionStore(path)
    store.create("sample", "sample").judge(target("a"), HUB)
    shutil.rmtree(path.parent)
    path.parent.write_text("a file")

    with pytest.raises(InputError, match=r"cannot be made again.*everything is in") as reported:
        store.close()

    (copy,) = tmp_path.glob("tui-eval-*.db")
    assert str(copy) in str(reported.value)
    assert saved(copy) == {"sample": {"a"}}


class Unreadable:
    """A connection whose pages do not fit together any more."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def backup(self, _: sqlite3.Connection) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")


class Nonsense(Unreadable):
    """A connection whose pages are copied, and are no database."""

    def backup(self, copy: sqlite3.Connection) -> None:
        copy.execute("PRAGMA writable_schema=ON")
        copy.execute("UPDATE sqlite_schema SET rootpage = 999 WHERE name = 'sessions'")
        copy.execute("PRAGMA writable_schema=RESET")


def take_the_log(store: SessionStore, path: Path, kind: type[Unreadable]) -> None:
    """Another program makes a log of its own beside our store, and locks it."""
    store._database._connection = kind(store._database._connection)  # type: ignore[assignment]
    path.with_name("sessions.db-wal").replace(path.with_name("was"))
    shutil.copy(path.with_name("was"), path.with_name("sessions.db-wal"))


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.mark.parametrize("kind", [Unreadable, Nonsense])
def test_what_cannot_be_read_any_more_is_not_taken_for_an_empty_store(
    store: SessionStore, session: Session, path: Path, kind: type[Unreadable]
) -> None:
    take_the_log(store, path, kind)

    with locked(path):
        for _ in range(2):
            with pytest.raises(LockedError, match="was deleted in part, and cannot be opened"):
                session.judge(target("b"), HUB)
            with pytest.raises(LockedError):
                store.exists(session.id)
            with pytest.raises(LockedError):
                store.summaries()

    assert store.exists(session.id)
    assert set(session.judgements("text", "a cyclist")) == {"a"}
    session.judge(target("c"), HUB)
    assert saved(path) == {"other": {"z"}, "sample": {"a", "c"}}


def test_no_empty_file_is_named_as_what_was_saved(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("engine.sessions.database.BUSY_SECONDS", 0.1)
    store = SessionStore(path, patience=0.1)
    store.create("sample", "sample").judge(target("a"), HUB)
    take_the_log(store, path, Unreadable)

    with locked(path), pytest.raises(LockedError) as reported:
        store.close()

    assert "everything is in" not in str(reported.value)
    assert not list(tmp_path.glob("tui-eval-*.db"))
    assert saved(path) == {"sample": {"a"}}


def test_without_room_for_a_copy_anywhere_the_loss_is_reported(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object, **__: object) -> Path:
        raise OSError

    monkeypatch.setattr("engine.sessions.memory.make_private_temporary", no_room)
    store = SessionStore(path)
    store.create("sample", "sample")
    shutil.rmtree(path.parent)
    path.parent.write_text("a file")

    with pytest.raises(InputError, match=r"was deleted, and cannot be made again.*is lost"):
        store.close()
