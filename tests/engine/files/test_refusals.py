"""Whoever is refused by the system learns why, and what to do."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.base.errors import InputError
from engine.files.atomic import write_whole
from engine.files.points import set_fault_hook
from engine.files.reading import guard_reading
from engine.files.refusals import require_writable
from engine.files.text import read_text
from tui.cli.shared.output import check_outputs


def close(monkeypatch: pytest.MonkeyPatch, closed: Path) -> None:
    """Also to the administrator, who may do anything."""
    allowed = os.access

    def access(path: Path, mode: int) -> bool:
        return Path(path) != closed and allowed(path, mode)

    monkeypatch.setattr("os.access", access)


def fail(code: int) -> None:
    def raise_it(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    set_fault_hook(raise_it)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "(No space left on device); free some space, or name a file elsewhere"),
        (errno.EDQUOT, "(Disk quota exceeded); free some space, or name a file elsewhere"),
        (errno.EROFS, "(Read-only file system); name a file elsewhere"),
        (errno.EACCES, "(Permission denied); check its permissions"),
        (errno.EIO, "(Input/output error)"),
    ],
)
def test_a_write_that_fails_has_a_remedy_where_there_is_one(
    code: int, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "out.json"
    fail(code)
    try:
        with pytest.raises(InputError) as caught:
            write_whole("x", path)
    finally:
        set_fault_hook(None)

    assert str(caught.value) == f"{path}: cannot be written {said}"


def test_a_read_only_file_system_is_told_from_closed_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close(monkeypatch, tmp_path)
    with pytest.raises(InputError, match=r"\(Permission denied\); check the permissions of"):
        require_writable(tmp_path, tmp_path / "x")
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    with pytest.raises(InputError, match=r"x: cannot be written \(Read-only file system\); name a"):
        check_outputs(tmp_path / "x")


def test_a_folder_that_is_closed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed"
    (closed / "inner").mkdir(parents=True)
    path = closed / "inner" / "a.csv"
    path.touch()
    close(monkeypatch, closed)
    fail(errno.EACCES)
    try:
        with pytest.raises(InputError) as caught, guard_reading(path):
            pass
    finally:
        set_fault_hook(None)

    assert str(caught.value) == (
        f"{path}: cannot be read (Permission denied); check the permissions of the folder {closed}"
    )


def test_a_name_that_is_too_long_is_to_be_shorter(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)

    for refused in (partial(read_text, path), partial(write_whole, "a", path)):
        with pytest.raises(InputError, match=r"\(File name too long\); name a shorter path"):
            refused()


def test_in_a_folder_that_is_gone_one_is_told_to_leave_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(InputError, match=r"x\.json: cannot be written .*change to one that exists"):
        write_whole("a", Path("x.json"))


def test_a_link_to_itself_and_half_of_a_pair_are_named(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(InputError, match="is a symbolic link to itself; name another file"):
        check_outputs(link)
    with pytest.raises(InputError, match="invalid Unicode: a lone surrogate"):
        write_whole("\ud800", tmp_path / "text")
