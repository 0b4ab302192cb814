"""Writing a file whole or not at all, and never over one that is read."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.base.errors import InputError
from engine.files.points import reach
from engine.files.protection import claim_output
from engine.files.reading import follow_links
from engine.files.refusals import refuse_writing
from engine.files.streams import is_stream, write_stream

_PIECE = 1 << 20
_PRIVATE = 0o600
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY)
"""A folder that takes files and does not show them can be opened in no other way."""
_SHOWN = 60
"""Characters of a file's name in that of its copy: each has up to four bytes, a name 255."""
_STATUS = Path("/proc/self/status")
_setting_umask = threading.Lock()


def write_whole(content: str | bytes, path: Path) -> None:
    """Write a text or bytes so that the file holds the old ones or the new ones, never a part.

    A file that the command reads is refused. A link keeps pointing where it did. Pipes, devices and
    paths of what is open already (`/dev/stdout`) are streams: they get the bytes as they come.
    """
    with _explaining_errors(path):
        claim_output(path)
        _write(content, path)


def replace_whole(
    content: str | bytes,
    path: Path,
    just_before: Callable[[], None] = lambda: None,
    *,
    private: bool = False,
) -> None:
    """The same for a file that is read in order to be changed.

    just_before  what must not be done earlier than when the new bytes are written; it may be done
                 twice
    private      for its owner alone
    """
    with _explaining_errors(path):
        _write(content, path, just_before, private=private)


def make_whole(content: str | bytes, path: Path, *, private: bool = False) -> bool:
    """Make a new file, whole or not at all; False: the name is taken. `private`: for its owner
    alone."""
    with _explaining_errors(path), _opened(path.parent) as folder:
        data = content.encode() if isinstance(content, str) else content
        mode = _PRIVATE if private else 0o666 & ~_umask()
        try:
            return _make_unnamed(data, path, mode, folder)
        except _NotHereError:
            return _make_named(data, path, mode)


def add_text(text: str, path: Path) -> None:
    """Add to the end of a file, in one piece, if it is none that the command reads."""
    with _explaining_errors(path):
        claim_output(path)
        if is_stream(path):
            write_stream(text.encode(), path)
            return
        reach("write", path)
        with path.open("ab", buffering=0) as file:
            file.write(text.encode())


def make_folder(folder: Path, *, parents: bool = False) -> None:
    """Make a folder, if it is not there; `parents`: and those that it lies in."""
    with _explaining_errors(folder, "the folder cannot be made"):
        reach("make", folder)
        folder.mkdir(parents=parents, exist_ok=True)


def remove_file(path: Path) -> None:
    """Remove a file, if it is there."""
    with _explaining_errors(path, "cannot be removed"):
        reach("remove", path)
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _explaining_errors(path: Path, what: str = "cannot be written") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refuse_writing(error, path, what) from error
    except UnicodeEncodeError as error:
        raise InputError(f"{what} (invalid Unicode: a lone surrogate)", path) from error
    except ValueError as error:  # a zero byte, say
        raise InputError(f"{what} (no path)", path) from error


def _write(
    content: str | bytes,
    path: Path,
    just_before: Callable[[], None] = lambda: None,
    *,
    private: bool = False,
) -> None:
    data = content.encode() if isinstance(content, str) else content
    if is_stream(path):
        write_stream(data, path)
        return
    path = follow_links(path)
    mode = _choose_mode(path)
    if private:
        mode = mode & _PRIVATE or _PRIVATE  # the umask may have taken our own bits as well
    try:
        _replace_unnamed(data, path, mode, just_before)
    except _NotHereError:
        _replace_named(data, path, mode, just_before)


class _NotHereError(Exception):
    """This file system has no files without a name."""


def _replace_unnamed(data: bytes, path: Path, mode: int, just_before: Callable[[], None]) -> None:
    """By a file that has no name before it is whole: however this ends, nothing is left of it."""
    with _opened(path.parent) as folder, _unnamed_file(path) as unnamed:
        _pour(data, unnamed, path)
        os.fchmod(unnamed, mode)
        reach("replace", path)
        just_before()
        if not _link(unnamed, path.name, folder):  # something has that name
            name = f"{_hide(path)}{os.urandom(4).hex()}"
            with _removing_on_failure(name, folder):
                _link(unnamed, name, folder)
                _rename(name, path.name, folder)


def _make_unnamed(data: bytes, path: Path, mode: int, folder: int) -> bool:
    """The same for a name that nobody has; False: somebody has it."""
    with _unnamed_file(path) as unnamed:
        _pour(data, unnamed, path)
        os.fchmod(unnamed, mode)
        reach("replace", path)
        return _link(unnamed, path.name, folder)


@contextlib.contextmanager
def _unnamed_file(path: Path) -> Iterator[int]:
    reach("make", path)
    try:
        unnamed = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, _PRIVATE)
    except (AttributeError, OSError) as error:
        raise _NotHereError from error
    try:
        yield unnamed
    finally:
        os.close(unnamed)


def _link(unnamed: int, name: str, folder: int) -> bool:
    """Give a file its name in a folder; False: that is taken."""
    try:
        # The folder is given so that Python follows the link to the file.
        os.link(f"/proc/self/fd/{unnamed}", name, dst_dir_fd=folder, follow_symlinks=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise _NotHereError from error
    return True


def _replace_named(data: bytes, path: Path, mode: int, just_before: Callable[[], None]) -> None:
    with (
        _named_file(data, path, mode) as name,
        _opened(path.parent) as folder,
        _removing_on_failure(name.name, folder),
    ):
        just_before()
        _rename(name.name, path.name, folder)


def _make_named(data: bytes, path: Path, mode: int) -> bool:
    with _named_file(data, path, mode) as name:
        try:
            os.link(name, path)
        except FileExistsError:
            return False
        except OSError:  # a disk without links
            if os.path.lexists(path):
                return False
            name.rename(path)
    return True


@contextlib.contextmanager
def _named_file(data: bytes, path: Path, mode: int) -> Iterator[Path]:
    """The content under a name of its own, which is gone afterwards."""
    reach("make", path)
    descriptor, made = tempfile.mkstemp(prefix=_hide(path), dir=path.parent)
    name = Path(made)
    try:
        try:
            _pour(data, descriptor, path)
            os.fchmod(descriptor, mode)
            reach("replace", path)
        finally:
            os.close(descriptor)
        yield name
    finally:
        with contextlib.suppress(OSError):
            name.unlink()


def _hide(path: Path) -> str:
    """How the name begins under which a file is hidden until it is whole."""
    return f".{path.name[:_SHOWN]}."


def _choose_mode(path: Path) -> int:
    """Permissions: those of the file that is replaced, or those of a new one."""
    return path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()


def _pour(data: bytes, descriptor: int, path: Path) -> None:
    left = memoryview(data)
    while left:
        reach("write", path)
        left = left[os.write(descriptor, left[:_PIECE]) :]


def _rename(name: str, wanted: str, folder: int) -> None:
    """In the folder that is open: it may be called otherwise by now."""
    os.replace(name, wanted, src_dir_fd=folder, dst_dir_fd=folder)


@contextlib.contextmanager
def _removing_on_failure(name: str, folder: int) -> Iterator[None]:
    """Also when it is given up between two steps: nothing under a name of ours is left."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _umask() -> int:
    """The permissions that new files do not get.

    Linux tells. Elsewhere it can only be read by setting it, for the whole process: two threads
    that did so at once would leave each other's value behind.
    """
    with contextlib.suppress(OSError):
        found = re.search(rb"^Umask:\s*([0-7]+)", _STATUS.read_bytes(), re.MULTILINE)
        if found is not None:
            return int(found[1], 8)
    with _setting_umask:
        current = os.umask(0o077)
        os.umask(current)
    return current
