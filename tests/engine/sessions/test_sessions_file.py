"""What can be wrong with the file: reported with its path and a remedy, never written over."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.keywords.judgement import Judgement
from engine.sessions import SessionStore, SessionView, opening, schema
from tests.conftest import ROOT
from tests.engine.sessions.sessions_by_hand import CYCLIST, HUB, answer, target


@pytest.mark.parametrize(
    "content", [b"hello", b"not a database " * 1000, b"SQLite format 3\0" * 99]
)
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(InputError, match=r"notes\.txt: is not a session store.*--store"):
        SessionStore(path)

    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (a)")
    before = path.read_bytes()

    with pytest.raises(InputError, match=r"other\.db: is a database of another program"):
        SessionStore(path)

    assert path.read_bytes() == before


def test_a_store_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    SessionStore(path).close()
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version={schema.OUR_FORMAT.version + 1}")
    newer.close()
    before = path.read_bytes()

    with pytest.raises(InputError, match=r"written by a newer tui-eval.*update tui-eval"):
        SessionStore(path)

    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    path.touch()

    with SessionStore(path) as store:
        assert store.create("sample", "sample").id == 1


def test_a_folder_and_a_path_through_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(InputError, match="is a folder"):
        SessionStore(tmp_path)
    with pytest.raises(InputError, match=r"file: the folder cannot be made.*TUI_EVAL_DATA"):
        SessionStore(tmp_path / "file" / "sessions.db")


def test_no_name_of_a_file_means_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    SessionStore(Path(":memory:")).close()

    assert (tmp_path / ":memory:").exists()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_that_cannot_be_written_is_reported(open_folder: Path, exists: bool) -> None:
    path = open_folder / "sessions.db"
    if exists:
        SessionStore(path).close()
        path.chmod(0o444)
    open_folder.chmod(0o555)
    code = (
        "import os, sys; from pathlib import Path\n"
        "from engine.base.errors import InputError; from engine.sessions import SessionStore\n"
        "if os.geteuid() == 0: os.setuid(65534)  # permissions do not bind root\n"
        "try: SessionStore(Path(sys.argv[1])).create('a', 'a')\n"
        "except InputError as error: print(error)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.stderr == ""
    assert f"{path}: cannot be" in done.stdout and "--store" in done.stdout


def test_a_full_disk_is_reported_and_what_was_saved_stays(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "sessions.db") as store:
        session = store.create("sample", "sample")
        session.judge(target("a"), HUB)
        store._database._connection.execute("PRAGMA max_page_count=1")  # as full as it is now

        with pytest.raises(InputError, match=r"sessions\.db: .*the disk is full; free some space"):
            session.judge(target("b"), Judgement(note="x" * 90_000))

        assert session.judgements("text", "a cyclist") == {"a": HUB}
        store._database._connection.execute("PRAGMA max_page_count=1000000")
        session.judge(target("b"), HUB)
        assert session.judgement(target("b")) == HUB


def test_a_lock_that_does_not_end_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.05)
    path = tmp_path / "sessions.db"
    with SessionStore(path, patience=0.05) as store:
        session = store.create("sample", "sample")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(InputError, match="is locked by another program"):
            session.judge(target("a"), HUB)
        with pytest.raises(InputError, match="is locked by another program"):
            SessionStore(path, patience=0.05)
        assert session.judgements("text", "a cyclist") == {}  # reading goes on

        other.execute("ROLLBACK")
        other.close()
        session.judge(target("a"), HUB)


def test_several_may_make_the_same_store_at_once(tmp_path: Path) -> None:
    def make(number: int) -> int:
        with SessionStore(tmp_path / "sessions.db") as store:
            return store.create("sample", "sample", f"session {number}").id

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, range(16)))

    assert sorted(made) == list(range(1, 17))


def test_a_damaged_cell_is_reported_and_a_damaged_place_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        session = store.create("sample", "sample")
        session.record(answer())
        session.remember(SessionView(CYCLIST, "a"))
        with sqlite3.connect(path) as other:
            other.execute("UPDATE answers SET body = '{]'")
            other.execute("UPDATE sessions SET view = '{\"view\": 7}'")
        other.close()

        with pytest.raises(InputError, match=r"sessions\.db, .*an answer is damaged"):
            session.answers()
        assert session.view is None


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        session = store.create("sample", "sample")
        for number in range(200):
            session.judge(target(str(number)), HUB)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)

    with (
        pytest.raises(InputError, match="is damaged; tui-eval sessions repair"),
        SessionStore(path) as store,
    ):
        store.open(1).all_judgements()
