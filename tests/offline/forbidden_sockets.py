"""Sockets of the internet, forbidden to a process and to all that it starts.

Python asks an audit hook before it makes, binds or connects one, or looks up a name: that is
written down and refused. Libraries that are not written in Python ask the kernel: on Linux it ends
the process. Sockets within the machine, which event loops need, are left alone.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from pathlib import Path
from socket import AF_INET, AF_INET6, AF_UNIX
from typing import Any

from tests.conftest import ROOT

_CALL_NUMBERS = {"x86_64": 41, "aarch64": 198}  # of socket()
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _EQUALS, _RETURN = 0x20, 0x15, 0x06
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_NUMBER, _FAMILY = 0, 16  # where the kernel puts the call's number and its first argument


def make_environment(folder: Path) -> dict[str, str]:
    """What to add to the environment of a Python, in which it will open none.

    Where it is written down stands in a file, not in a variable: children get few variables.
    """
    site = folder / "site"
    site.mkdir()
    text = (
        "from pathlib import Path\n"
        "from tests.offline.forbidden_sockets import forbid_sockets\n"
        f"forbid_sockets(Path({str(find_log(folder))!r}))\n"
    )
    (site / "sitecustomize.py").write_text(text, encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}


def find_log(folder: Path) -> Path:
    return folder / "sockets"


def read_attempts(folder: Path) -> str:
    """What was tried with the environment of a folder, one line each."""
    log = find_log(folder)
    return log.read_text(encoding="utf-8") if log.exists() else ""


def forbid_sockets(log: Path) -> None:
    """From now on, in this process; nothing can allow them again."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if not event.startswith("socket.") or not _is_internet(event, arguments):
            return
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{event} {arguments[1:]!r} by {sys.argv}\n")
        raise PermissionError(f"{event}: sockets are forbidden")

    sys.addaudithook(refuse)
    _forbid_in_the_kernel()


def _is_internet(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "socket.__new__":
        return arguments[1] in (AF_INET, AF_INET6)
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"):
        return bool(arguments[0].family != AF_UNIX)
    return event.startswith("socket.get") and event != "socket.gethostname"


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("operand", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def _forbid_in_the_kernel() -> bool:
    """Whether the kernel will end whoever asks it for one; children inherit that."""
    number = _CALL_NUMBERS.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return False
    instructions = (_Instruction * 7)(
        (_LOAD, 0, 0, _NUMBER),
        (_EQUALS, 0, 4, number),
        (_LOAD, 0, 0, _FAMILY),
        (_EQUALS, 1, 0, AF_INET),
        (_EQUALS, 0, 1, AF_INET6),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, _ALLOW),
    )
    program = _Program(len(instructions), instructions)
    control = ctypes.CDLL(None, use_errno=True).prctl
    if control(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(control(_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) == 0)
