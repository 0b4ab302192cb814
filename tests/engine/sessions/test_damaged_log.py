"""What was saved is mostly in the log after a kill: damage there is noticed before SQLite, which
drops all that follows it without a word, can look at it."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from engine.keywords.judgement import Judgement, Target
from engine.sessions import SessionStore
from engine.sessions.repair import repair_store
from engine.sessions.troubles import DamagedError

MARKS = 30


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose program was killed: all that it holds is in its log."""
    path = tmp_path_factory.mktemp("killed") / "sessions.db"
    pid = os.fork()
    if pid == 0:
        store = SessionStore(path)
        session = store.create("sample", "sample")
        for number in range(MARKS):
            session.judge(Target("text", "a car", f"clip {number}"), Judgement(note=f"n{number}"))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    return path


def copy(killed: Path, folder: Path) -> tuple[Path, Path]:
    """The store and its log, to be damaged."""
    for file in killed.parent.iterdir():
        if not file.name.endswith("-shm"):
            shutil.copy(file, folder / file.name)
    return folder / killed.name, folder / f"{killed.name}-wal"


def count_marks(path: Path) -> int:
    with SessionStore(path) as store:
        return sum(len(store.open(one.id).all_judgements()) for one in store.summaries())


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)


def test_a_log_that_is_whole_is_taken_over(killed: Path, tmp_path: Path) -> None:
    path, log = copy(killed, tmp_path)
    assert log.stat().st_size > 100_000 > path.stat().st_size

    assert count_marks(path) == MARKS


@pytest.mark.parametrize("share", [0, 0.00003, 0.0001, 0.01, 0.3, 0.5, 0.7])
def test_a_flipped_bit_in_the_log_is_damage_and_repair_saves_the_rest(
    share: float, killed: Path, tmp_path: Path
) -> None:
    path, log = copy(killed, tmp_path)
    flip(log, int(share * log.stat().st_size))
    before = log.read_bytes()

    with pytest.raises(DamagedError, match="sessions repair"):
        SessionStore(path)
    assert log.read_bytes() == before
    repair_store(path)

    assert count_marks(path) >= MARKS - 1


def test_what_was_never_committed_is_no_damage(killed: Path, tmp_path: Path) -> None:
    path, log = copy(killed, tmp_path)
    log.write_bytes(log.read_bytes() + log.read_bytes()[32 : 32 + 4000])  # a write that was cut

    assert count_marks(path) == MARKS


def test_a_main_file_that_was_emptied_is_repaired_from_its_log(
    killed: Path, tmp_path: Path
) -> None:
    path, _ = copy(killed, tmp_path)
    path.write_bytes(b"")

    with pytest.raises(DamagedError):
        SessionStore(path)
    assert not repair_store(path).is_sound

    assert count_marks(path) == MARKS


def test_a_store_that_another_program_has_open_is_not_judged_by_its_log(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        store = SessionStore(path)
        store.create("sample", "sample").judge(Target("text", "a car", "clip"), Judgement(note="n"))
        os.write(writing, b"saved")
        signal.pause()
    try:
        assert os.read(reading, 5) == b"saved"
        flip(tmp_path / "sessions.db-wal", 5000)

        assert count_marks(path) == 1  # by the index that both share
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
