"""Open a clip in a player outside the terminal, or say where it lies."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread

from engine.files.reading import is_regular_file
from tui.look.safe import escape

PLAYER = "TUI_EVAL_PLAYER"
"""The variable that names a player, with options if need be; it is used in any case."""

PLAYERS: tuple[tuple[str, ...], ...] = (
    ("mpv", "--force-window", "--keep-open"),
    ("vlc", "--quiet"),
    ("ffplay", "-loglevel", "quiet"),
    ("xdg-open",),
    ("open",),
)


def open_externally(path: Path, environ: Mapping[str, str]) -> str:
    """Start a player for a file and return the sentence to show; where there is no player, the path
    has a line of its own, to be copied.

    The player is detached: it neither writes into the terminal nor ends with the app.
    """
    with suppress(OSError):  # of a relative path, where the current folder is gone
        path = path.absolute()  # no file name can pass for an option
    place = escape(str(path))
    if not is_regular_file(path):
        return f"no such file: {place}"
    try:
        command = _player(environ)
    except ValueError as error:
        return f"{PLAYER} cannot be read ({error}): {place}"
    if not command:
        return f"{_explain_none(environ)}, or name a command in ${PLAYER}\n{place}"
    name = escape(Path(command[0]).name)
    try:
        process = subprocess.Popen(
            [*command, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=dict(environ),
        )
    except OSError as error:
        return f"{name} does not start ({(error.strerror or 'error').lower()}): {place}"
    Thread(target=process.wait, daemon=True).start()  # or it would stay as a zombie
    return f"opened with {name}"


def _player(environ: Mapping[str, str]) -> list[str]:
    """The command to use; empty: there is none, or no display it could open a window on."""
    named = shlex.split(environ.get(PLAYER, ""))
    if named:
        return named
    if not _has_display(environ):
        return []
    search = environ.get("PATH", os.defpath)
    for command in PLAYERS:
        if command[0] == "open" and sys.platform != "darwin":
            continue  # elsewhere `open` is something else
        if shutil.which(command[0], path=search):
            return list(command)
    return []


def _explain_none(environ: Mapping[str, str]) -> str:
    if _has_display(environ):
        return "no player here: install mpv, vlc or ffplay"
    return "no display here for a player (ssh -X brings one)"


def _has_display(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a window would be seen by the person at the keyboard.

    >>> _has_display({"DISPLAY": ":0"}, "linux"), _has_display({"SSH_TTY": "x"}, "darwin")
    (True, False)
    """
    over_ssh = bool(environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))
    display = environ.get("DISPLAY", "")
    if over_ssh:
        # ssh -X gives "localhost:10.0"; ":0" would open on the screen of the other machine.
        return bool(display) and not display.startswith(":")
    return bool(display or environ.get("WAYLAND_DISPLAY")) or platform == "darwin"
