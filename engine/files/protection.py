"""What may be written over: nothing that the command reads, by whatever name.

Whoever opens a file for reading protects it; whoever means to write one claims it. The two may
come in any order: an output that is an input is refused when the second of the two is named, which
is before the work. What is written is looked at once more, for what was read in between.

Nothing is remembered outside of `protecting_inputs`, which a command line opens once: in a program
of one's own, files may be read and written again as one likes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from engine.base.errors import InputError

FileNames: TypeAlias = frozenset[object]
"""What tells whether two paths mean one file: where the path leads, and which file is there."""


ListHook: TypeAlias = Callable[[], Iterable[Path | str]]
"""Lists files; as texts where there are very many of them, for a path takes longer to make."""


class OverwritingError(InputError):
    """An output of the command is one of its inputs."""


class _Command:
    """The files of one command."""

    def __init__(self) -> None:
        self.inputs: dict[object, Path] = {}
        """Where each was noted, by its names."""
        self.outputs: dict[Path, FileNames] = {}
        self.more_inputs: list[ListHook] = []
        self.lock = threading.Lock()


_command: _Command | None = None


@contextmanager
def protecting_inputs() -> Iterator[None]:
    """One command: what is read in here is not written over in here."""
    global _command
    before, _command = _command, _Command()
    try:
        yield
    finally:
        _command = before


def protect_input(path: Path) -> None:
    """Note that a file is read, or will be; refuse it if it is to be written."""
    if _command is None:
        return
    names = _name_file(path)
    with _command.lock:
        _command.inputs.update(dict.fromkeys(names, path))
        for output, claimed in _command.outputs.items():
            if any(_still_names(output, name) for name in claimed & names):
                raise _refuse(output)


def protect_database(path: Path) -> None:
    """The same for a file of SQLite and those that it keeps beside."""
    for tail in ("", "-wal", "-shm", "-journal"):
        protect_input(Path(f"{path}{tail}"))


def protect_listed(list_paths: ListHook) -> None:
    """Note files that would take long to list: they are when something is to be written over."""
    if _command is None:
        return
    with _command.lock:
        _command.more_inputs.append(list_paths)
        outputs = [*_command.outputs.items()]
    for path, names in outputs:
        _refuse_listed(path, names, [list_paths])


def claim_output(path: Path) -> None:
    """Note that a file will be written; refuse it if it is one that is read."""
    if _command is None:
        return
    names = _name_file(path)
    with _command.lock:
        noted = _command.inputs
        if any(_still_names(noted[name], name) for name in names & noted.keys()):
            raise _refuse(path)
        # What was claimed before was compared with all that is listed, then or since.
        is_new = _command.outputs.get(path) != names
        _command.outputs[path] = names
        listed = [*_command.more_inputs] if is_new else []
    _refuse_listed(path, names, listed)  # outside of the lock: it may take a while


def name_same_file(one: Path, other: Path) -> bool:
    """Whether two paths mean one file, also by a link; also one that is not there yet."""
    return bool(_name_file(one) & _name_file(other))


def _name_file(path: Path) -> FileNames:
    try:
        leads_to = os.path.realpath(path)
    except (OSError, ValueError):  # no path at all: who opens it will say so
        return frozenset()
    identity = _identify(path)
    return frozenset({leads_to} if identity is None else {leads_to, identity})


def _still_names(path: Path, name: object) -> bool:
    """Whether a name of a file is still one: a file that is replaced leaves its number to another,
    which has nothing to do with it."""
    return isinstance(name, str) or _identify(path) == name


def _identify(path: Path | str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 (a Path takes far longer to make)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _refuse_listed(path: Path, names: FileNames, listed: Iterable[ListHook]) -> None:
    """Refuse an output that is there if it is one of these files."""
    there = {name for name in names if isinstance(name, tuple)}
    for list_paths in listed if there else ():
        if any(_identify(other) in there for other in list_paths()):
            raise _refuse(path)


def _refuse(path: Path) -> OverwritingError:
    return OverwritingError(
        "is an input of this command and is never overwritten", path, hint="name another file"
    )
