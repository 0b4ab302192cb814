"""What is open already is written to where it stands; nothing is replaced."""

from __future__ import annotations

import os
import pty
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.files.atomic import add_text, replace_whole, write_whole
from engine.files.streams import check_stream, find_open_stream, is_stream


@pytest.fixture
def log(tmp_path: Path) -> Iterator[int]:
    """A file as a shell hands it over, with a line in it."""
    descriptor = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY)
    os.set_inheritable(descriptor, True)
    os.write(descriptor, b"HEADER\n")
    yield descriptor
    os.close(descriptor)


def by_dev(descriptor: int, folder: Path) -> Path:
    return Path(f"/dev/fd/{descriptor}")


def by_self(descriptor: int, folder: Path) -> Path:
    return Path(f"/proc/self/fd/{descriptor}")


def by_number(descriptor: int, folder: Path) -> Path:
    return Path(f"/proc/{os.getpid()}/fd/{descriptor}")


def by_links(descriptor: int, folder: Path) -> Path:
    (folder / "one").symlink_to(f"/dev/fd/{descriptor}")
    (folder / "two").symlink_to("one")
    return folder / "two"


def by_linked_folder(descriptor: int, folder: Path) -> Path:
    (folder / "open").symlink_to("/dev/fd")
    return folder / "open" / str(descriptor)


NAMES = [by_dev, by_self, by_number, by_links, by_linked_folder]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("write", [write_whole, replace_whole, add_text])
def test_what_was_written_before_and_comes_after_stays(
    log: int,
    name: Callable[[int, Path], Path],
    write: Callable[[str, Path], None],
    tmp_path: Path,
) -> None:
    write("body\n", name(log, tmp_path))
    os.write(log, b"FOOTER\n")

    assert (tmp_path / "log").read_text() == "HEADER\nbody\nFOOTER\n"


def test_the_stream_of_another_process_is_added_to(tmp_path: Path) -> None:
    """It is not at our hand where it writes; the end of the file is after all that it wrote."""
    log = tmp_path / "log"
    log.write_text("HEADER\n")
    ready, done = os.pipe()
    child = os.fork()
    if not child:  # holds the file open until it is told that it was written to
        holding = os.open(log, os.O_WRONLY)
        os.write(done, bytes([holding]))
        threading.Event().wait()
    descriptor = os.read(ready, 1)[0]
    write_whole("body\n", Path(f"/proc/{child}/fd/{descriptor}"))
    os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(ready)
    os.close(done)

    assert log.read_text() == "HEADER\nbody\n"


def test_a_pipe_gets_everything_and_may_be_left_early() -> None:
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    with os.fdopen(ours, "rb") as reader:
        writer = threading.Thread(target=write_whole, args=("x" * 300_000, by_dev(theirs, Path())))
        writer.start()
        assert len(reader.read(300_000)) == 300_000
        writer.join()
    write_whole("nobody listens", by_dev(theirs, Path()))
    os.close(theirs)


@pytest.mark.parametrize("by_device", [False, True])
def test_a_terminal_gets_what_can_be_seen(by_device: bool) -> None:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    os.set_inheritable(theirs, True)
    path = Path(os.ttyname(theirs)) if by_device else by_dev(theirs, Path())
    write_whole("a\x1b[2Jb\né", path)

    assert os.read(ours, 100).decode() == "a\\x1b[2Jb\né"
    os.close(theirs)
    os.close(ours)


def test_what_this_process_has_opened_itself_is_nobodys_output(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_text("kept")
    own = os.open(tmp_path / "store.db", os.O_RDWR)
    with pytest.raises(InputError, match="Bad file descriptor"):
        write_whole("gone", by_dev(own, tmp_path))
    with pytest.raises(OSError, match="Bad file descriptor"):
        check_stream(by_dev(own, tmp_path))
    os.close(own)

    assert (tmp_path / "store.db").read_text() == "kept"


def test_an_input_that_is_open_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("kept")
    own = os.open(tmp_path / "input", os.O_RDONLY)
    os.set_inheritable(own, True)
    with pytest.raises(InputError, match="Bad file descriptor"):
        write_whole("gone", by_dev(own, tmp_path))
    os.close(own)

    assert (tmp_path / "input").read_text() == "kept"


def test_files_are_no_streams(tmp_path: Path) -> None:
    (tmp_path / "1").touch()
    (tmp_path / "link").symlink_to("1")
    for name in ("1", "link", "new", "x" * 300):
        assert find_open_stream(tmp_path / name) is None
    assert not is_stream(tmp_path / "link")
    assert not is_stream(tmp_path / "new")
    assert is_stream(Path("/dev/null"))
