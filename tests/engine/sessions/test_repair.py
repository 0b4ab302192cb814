"""What is left of a damaged store is saved, all of it, and the damaged file is kept."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from engine.base.errors import InputError, Place
from engine.report.session.document import build_session_document
from engine.sessions import SessionStore
from engine.sessions.losses import describe_loss
from engine.sessions.repair import repair_store
from tests.engine.sessions.damaged_store import PAGE, Rows, make_store, scramble_page, zero_page
from tests.engine.sessions.sessions_by_hand import HUB, target

NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "sessions.db"
    make_store(path, marks=16)
    return path


@cache
def rows_of(path: Path) -> Rows:
    return Rows.of(path)


def put(data: bytes, folder: Path) -> Path:
    path = folder / "sessions.db"
    for file in folder.iterdir():
        file.unlink()
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("damage", [zero_page, scramble_page])
def test_whatever_page_is_lost_the_rows_of_all_others_are_saved(
    whole: Path, tmp_path: Path, damage: Callable[[bytes, int], bytes]
) -> None:
    data, before = whole.read_bytes(), rows_of(whole)
    pages = len(data) // PAGE
    assert pages > 20

    for page in range(pages):
        path = put(damage(data, page), tmp_path)
        found = repair_store(path)
        after, lost = Rows.of(path), data[page * PAGE : (page + 1) * PAGE]

        expected = {word for word in before.answers if word.encode() not in lost}
        assert expected <= after.answers <= before.answers, page
        assert after.judgements == before.judgements, page  # those of the page are in the log
        assert after.changes <= before.changes, page
        assert len(after.sessions) == len(before.sessions), page
        assert found.counts["answer"].lost == len(before.answers - after.answers), page
        if not found.is_sound:
            assert found.kept is not None
            assert found.kept.read_bytes() == damage(data, page)


@pytest.mark.parametrize("part", [0.95, 0.5, 0.3])
def test_what_a_truncated_file_still_holds_is_saved(
    whole: Path, tmp_path: Path, part: float
) -> None:
    data, before = whole.read_bytes(), rows_of(whole)
    size = int(len(data) * part)
    path = put(data[:size], tmp_path)

    repair_store(path)

    intact = data[: size // PAGE * PAGE]
    rest = data[size // PAGE * PAGE :]
    after = Rows.of(path)
    # A word may stand on several pages of one row; only what stands in none that is lost counts.
    assert {w for w in before.answers if w.encode() not in rest} <= after.answers
    assert {w for w in before.judgements if intact.count(w.encode())} <= after.judgements


def test_wherever_a_file_is_cut_off_no_judgement_is_lost_without_being_counted(
    whole: Path, tmp_path: Path
) -> None:
    data, before = whole.read_bytes(), rows_of(whole)
    losses = 0

    for pages in range(2, len(data) // PAGE):
        path = put(data[: pages * PAGE], tmp_path)
        count = repair_store(path).counts["judgement"]
        lost = len(before.judgements - Rows.of(path).judgements)
        assert lost <= count.lost <= len(before.judgements), pages
        assert count.lost == 0 or count.is_guess
        losses += lost > 0
    assert losses


def test_lost_judgements_that_were_imported_are_in_no_number_that_is_called_the_most(
    whole: Path, tmp_path: Path
) -> None:
    path = put(whole.read_bytes(), tmp_path)
    with SessionStore(path) as store:
        document = build_session_document(store.find("session-three"))
        store.import_document(document, Place("export.json"))
        judged = sum(len(store.open(one.id).all_judgements()) for one in store.summaries())
    data, uncounted = path.read_bytes(), 0

    for pages in range(2, len(data) // PAGE):
        path = put(data[: pages * PAGE], tmp_path)
        found = repair_store(path)
        count = found.counts["judgement"]
        uncounted += judged - count.saved > count.lost
        said = describe_loss(found.counts, found.bad_pages)
        assert "up to" not in said and (not count.lost or "an unknown number" in said), pages
    assert uncounted


def test_a_lost_history_is_no_lost_judgement(whole: Path, tmp_path: Path) -> None:
    path = put(whole.read_bytes(), tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("PRAGMA secure_delete=ON")
        store.execute("DELETE FROM changes")
    path.write_bytes(zero_page(path.read_bytes(), 0))  # no tree is known to be whole any more

    found = repair_store(path)

    assert Rows.of(path).judgements == rows_of(whole).judgements
    assert found.counts["change"].lost and not found.counts["judgement"].lost


@pytest.mark.parametrize("first", [16, 100, 4096])
def test_a_lost_header_loses_nothing(whole: Path, tmp_path: Path, first: int) -> None:
    data = whole.read_bytes()
    path = put(bytes(first) + data[first:], tmp_path)

    repair_store(path)

    assert Rows.of(path) == rows_of(whole)


def test_a_damaged_schema_loses_nothing(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    path = put(data.replace(b"CREATE TABLE judgements", b"CREATE T\xff\xfeBE judgements"), tmp_path)
    with pytest.raises(InputError, match=r"is damaged.*tui-eval sessions repair"):
        SessionStore(path)

    repair_store(path)

    assert Rows.of(path) == rows_of(whole)


def test_a_sound_store_is_left_as_it_is(whole: Path, tmp_path: Path) -> None:
    path = put(whole.read_bytes(), tmp_path)

    found = repair_store(path, tmp_path / "new.db")

    assert found.is_sound and found.counts["judgement"].saved == 33
    assert path.read_bytes() == whole.read_bytes() and list(tmp_path.iterdir()) == [path]


def test_what_is_only_in_the_log_is_saved_too(tmp_path: Path) -> None:
    """A process was killed, and then the main file was damaged."""
    live = tmp_path / "live.db"
    store = SessionStore(live)
    session = store.create("sample", "sample")
    with sqlite3.connect(live) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    session.judge(target("in the log"), HUB)
    path = tmp_path / "sessions.db"
    for end in ("", "-wal"):
        shutil.copy(f"{live}{end}", f"{path}{end}")
    store.close()
    assert repair_store(path).is_sound
    path.write_bytes(bytes(16) + path.read_bytes()[16:])

    found = repair_store(path)

    with SessionStore(path) as saved:
        assert saved.open(1).judgement(target("in the log")) == HUB
    assert found.kept is not None
    assert found.kept.with_name(f"{found.kept.name}-wal").stat().st_size > 0


def test_a_row_that_makes_no_sense_is_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    make_store(path, marks=6)
    with sqlite3.connect(path) as other:
        other.execute("UPDATE answers SET body = '{\"clips\": 7}' WHERE rowid = 1")
        other.execute("UPDATE answers SET body = x'ff' WHERE rowid = 2")
        other.execute("UPDATE judgements SET body = '[]' WHERE clip = 'clip 0000'")
    other.close()

    found = repair_store(path)

    assert (found.counts["answer"].saved, found.counts["answer"].lost) == (22, 2)
    assert (found.counts["judgement"].saved, found.counts["judgement"].rebuilt) == (3, 3)
    assert repair_store(path).is_sound


def test_ids_are_not_given_again_and_work_goes_on(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    path = put(zero_page(data, 1), tmp_path)  # all rows of the sessions themselves

    found = repair_store(path)

    assert found.counts["session"].rebuilt == 3
    with SessionStore(path) as store:
        session = store.open(2)
        assert session.name == "recovered session 2" and session.can_undo
        undone = session.undo()
        assert undone is not None and undone.before.note == "note-one-0010-"
        assert store.create("sample", "sample").id == 5


def test_a_new_file_leaves_the_damaged_one_where_it_is(whole: Path, tmp_path: Path) -> None:
    damaged = zero_page(whole.read_bytes(), 3)
    path, out = put(damaged, tmp_path), tmp_path / "saved.db"

    found = repair_store(path, out)

    assert found.kept is None and path.read_bytes() == damaged
    assert Rows.of(out).judgements == rows_of(whole).judgements
    with pytest.raises(InputError, match=r"saved\.db: already exists"):
        repair_store(path, out)


def test_a_store_that_is_open_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        store.create("sample", "sample")

        with pytest.raises(InputError, match="is open in another program; close every inspector"):
            repair_store(path)


@pytest.mark.parametrize("content", [b"hello", b"no store " * 9999, bytes(9000)])
def test_what_was_never_a_store_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = put(content, tmp_path)

    with pytest.raises(InputError, match="holds nothing that can be saved; it is left as it is"):
        repair_store(path)

    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    os.mkfifo(path)

    with pytest.raises(InputError, match="is not a regular file; check --store"):
        repair_store(path)


def test_there_is_no_store_in_a_folder_that_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()

    with pytest.raises(InputError, match=r"sessions\.db: no such file; check --store"):
        repair_store(Path("sessions.db"))


def test_a_database_of_another_program_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (a)")
    other.close()

    with pytest.raises(InputError, match="is not a session store"):
        repair_store(path)


def test_two_damaged_files_are_both_kept(whole: Path, tmp_path: Path) -> None:
    path = put(zero_page(whole.read_bytes(), 3), tmp_path)
    first = repair_store(path, clock=lambda: NOON)
    path.write_bytes(zero_page(whole.read_bytes(), 4))
    second = repair_store(path, clock=lambda: NOON)

    assert first.kept == tmp_path / "sessions.db.damaged-20240229-120000"
    assert first.kept != second.kept and len(list(tmp_path.iterdir())) == 3


def test_a_file_that_is_too_large_for_the_memory_is_refused_before_it_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sessions.db"
    with path.open("wb") as file:
        file.truncate(1 << 36)

    with pytest.raises(InputError, match=r"needs about 2,048 GB of memory.*close other"):
        repair_store(path)


def test_a_schema_that_is_no_text_is_repaired(whole: Path, tmp_path: Path) -> None:
    path = put(whole.read_bytes(), tmp_path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("PRAGMA writable_schema=ON")
        store.execute("UPDATE sqlite_master SET name=x'fffe' WHERE name='answers'")

    assert not repair_store(path).is_sound

    assert rows_of(path).judgements == rows_of(whole).judgements
