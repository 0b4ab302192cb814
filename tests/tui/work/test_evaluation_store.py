"""The cache of evaluations: private, bounded, and silent about whatever is wrong with it."""

from __future__ import annotations

import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from tui.work.evaluation_store import EvaluationStore

KEY, OTHER = "a" * 64, "b" * 64


def test_what_was_put_is_there_again_and_the_owners_alone(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path / "evaluations")
    assert store.get(KEY) is None
    assert not store.folder.exists(), "only looking makes nothing"

    store.put(KEY, b"numbers")

    assert EvaluationStore(store.folder).get(KEY) == b"numbers"
    assert store.get(OTHER) is None
    (file,) = store.folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    store.put(KEY, b"others")
    assert store.get(KEY) == b"others"


def test_a_file_under_the_name_of_another_is_not_believed(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    store.put(KEY, b"numbers")
    (file,) = tmp_path.iterdir()
    file.rename(tmp_path / file.name.replace("a", "b", 32))

    assert store.get(OTHER) is None


def test_whatever_happens_to_a_file_it_is_as_if_there_were_none(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    store.put(KEY, bytes(range(40)))
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert store.get(KEY) is None, f"byte {place}"
        file.write_bytes(whole[:place])
        assert store.get(KEY) is None, f"cut at {place}"
    file.write_bytes(whole + b"\0")
    assert store.get(KEY) is None
    file.write_bytes(whole)
    assert store.get(KEY) == bytes(range(40))

    file.unlink()
    file.mkdir()
    assert store.get(KEY) is None
    store.put(KEY, b"x")  # nothing is said
    file.rmdir()
    os.mkfifo(file)
    assert store.get(KEY) is None, "nobody waits for a pipe"


def test_a_large_one_is_read_once_and_not_copied(tmp_path: Path) -> None:
    store, body = EvaluationStore(tmp_path), bytes(8 << 20)
    store.put(KEY, body)

    tracemalloc.start()
    try:
        assert store.get(KEY) == body
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert most < 1.5 * len(body)


def put_at(store: EvaluationStore, key: str, body: bytes, time: int) -> None:
    store.put(key * 64, body)
    for file in store.folder.glob(f"{key}*"):
        os.utime(file, ns=(time, time))


def test_what_was_not_used_for_longest_makes_room(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path, most_bytes=1000)
    for time, key in enumerate("abc", start=1):
        put_at(store, key, bytes(250), time)
    assert store.get("a" * 64) is not None, "used now"

    store.put("d" * 64, bytes(250))

    found = {key for key in "abcd" if store.get(key * 64) is not None}
    assert found == {"a", "c", "d"}
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 1000

    store.put("e" * 64, bytes(2000))
    assert store.get("e" * 64) is None, "more than there is room for"
    assert {key for key in "abcd" if store.get(key * 64) is not None} == found


def test_there_are_never_more_files_than_allowed(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path, most_files=3)
    for time, key in enumerate("abcdef", start=1):
        put_at(store, key, b"x", time)
    assert [key for key in "abcdef" if store.get(key * 64)] == ["d", "e", "f"]


@pytest.mark.parametrize("folder", ["/proc/nope/evaluations", "~/evaluations"])
def test_a_folder_that_cannot_be_made_keeps_nothing(folder: str) -> None:
    store = EvaluationStore(Path(folder))
    store.put(KEY, b"x")
    assert store.get(KEY) is None
