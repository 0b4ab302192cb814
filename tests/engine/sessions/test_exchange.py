"""The new store takes the place of the old one, or everything is as it was."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.files.atomic import replace_whole
from engine.files.points import Point, set_fault_hook
from engine.sessions import exchange, repair, store_files
from engine.sessions.exchange import exchange_store
from engine.sessions.repair import repair_store
from tests.engine.sessions.damaged_store import make_store, zero_page


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.db"
    path.write_bytes(b"old")
    path.with_name("sessions.db-wal").write_bytes(b"old log")
    return path


@pytest.fixture(autouse=True)
def _no_faults() -> Iterator[None]:
    yield
    set_fault_hook(None)


def read_all(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


AFTER = {
    "sessions.db": b"new",
    "sessions.db.damaged-noon": b"old",
    "sessions.db.damaged-noon-wal": b"old log",
}


@pytest.mark.parametrize("links", [True, False])
def test_at_every_point_there_is_a_main_file(
    path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Point, bytes]] = []
    set_fault_hook(lambda point, _: seen.append((point, path.read_bytes())))
    if not links:
        monkeypatch.setattr(os, "link", refuse)

    aside = exchange_store(path, b"new", "noon")

    assert {content for _, content in seen} == {b"old"}
    assert {"make", "remove", "replace"} <= {point for point, _ in seen}
    assert aside.name == "sessions.db.damaged-noon" and read_all(path.parent) == AFTER


def refuse(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("fault", range(10))
def test_if_a_step_fails_all_is_put_back(
    path: Path, fault: int, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = iter(range(100))
    before = read_all(path.parent)

    def fail(*_: object) -> None:
        if next(steps) == fault:
            raise OSError(errno.ENOSPC, "No space left on device")

    set_fault_hook(fail)
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    try:
        exchange_store(path, b"new", "noon")
    except (OSError, InputError):
        assert read_all(path.parent) == before
    else:
        assert read_all(path.parent) == AFTER and next(steps) <= fault


def test_the_old_log_goes_when_the_new_store_is_written(path: Path) -> None:
    seen: list[Point] = []
    set_fault_hook(lambda point, _: seen.append(point))

    exchange_store(path, b"new", "noon")

    assert "write" in seen and "write" not in seen[seen.index("remove") :]


def test_an_interruption_after_the_exchange_leaves_both_stores(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace_and_hear(*given: Any) -> None:
        replace_whole(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(exchange, "replace_whole", replace_and_hear)

    with pytest.raises(KeyboardInterrupt):
        exchange_store(path, b"new", "noon")

    assert read_all(path.parent) == AFTER


def test_a_full_disk_at_any_point_of_a_repair_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    make_store(path, marks=4)
    path.write_bytes(zero_page(path.read_bytes(), 3))
    damaged, points = path.read_bytes(), set[Point]()
    for fault in range(20):
        steps = iter(range(100))

        def fail(point: Point, _: Path, steps: Iterator[int] = steps, fault: int = fault) -> None:
            if point != "read" and next(steps) == fault:
                points.add(point)
                raise OSError(errno.ENOSPC, "No space left on device")

        set_fault_hook(fail)
        try:
            repair_store(path)
        except InputError as error:
            assert "No space left on device" in str(error) and error.hint
            assert read_all(tmp_path) == {"sessions.db": damaged}
        else:
            break
    assert points == {"make", "write", "replace"} and path.read_bytes() != damaged


@pytest.mark.parametrize("number", [errno.EBADF, errno.ENOLCK, errno.EINVAL])
def test_a_store_that_cannot_be_locked_is_repaired_to_a_new_file_only(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sessions.db"
    make_store(path, marks=4)
    path.write_bytes(zero_page(path.read_bytes(), 3))
    damaged = path.read_bytes()

    def no_locks(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(store_files, "_lock", no_locks)

    with pytest.raises(InputError, match=r"sessions\.db: cannot be locked.*--out"):
        repair_store(path)
    found = repair.repair_store(path, tmp_path / "new.db")

    assert found.made == tmp_path / "new.db" and path.read_bytes() == damaged
