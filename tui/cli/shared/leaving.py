"""How a signal ends the inspector: as q does, and soon, whatever its terminal is at.

A terminal that takes nothing keeps the thread that paints, and with it everything that would be
done when the app is left. So another thread waits for the signal too. If the app has not left by
then, it saves what is to be saved, gives the terminal back as well as it can, and ends the process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from engine.base.errors import ExitCode, InputError
from engine.base.messages import fit_message
from tui.look.last_words import write_in_time

if TYPE_CHECKING:
    from tui.shell.base_app import BaseApp

QUIT_PATIENCE = 2.0
"""Seconds that a signal waits for the app to leave its terminal."""

SIGNAL_PATIENCE = 0.5
"""Seconds that the app, told to leave by a signal, waits for each work that should not be lost: for
all of them together less than for itself."""

SAVE_PATIENCE = 6.0
"""Seconds for saving: twice as long as another program that writes to the store is waited for."""

_LAST_WORDS = 0.2
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Departure:
    """Ends an app when a signal says so; `save` is done before the process ends."""

    def __init__(self, app: BaseApp, save: Callable[[], None]) -> None:
        self._app = app
        self._save = save
        # A handler interrupts whatever runs: of all that threads use, this alone may then be used.
        self._heard: SimpleQueue[int] = SimpleQueue()
        self._has_left = threading.Event()
        # Not when the signal comes: what it interrupts may be the start of a thread.
        threading.Thread(target=self._watch, name="leave", daemon=True).start()

    def listen(self, loop: AbstractEventLoop) -> None:
        """From now on a signal leaves the app."""

        def leave(number: int, _: object) -> None:
            """Between two steps of whatever runs now: also while it waits for a terminal that does
            not take what it is sent, where the loop would hear of nothing."""
            for one in _ENDING:
                signal.signal(one, signal.SIG_IGN)  # once is enough
            self._heard.put(number)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._app.leave, 128 + number, SIGNAL_PATIENCE)

        for number in _ENDING:
            signal.signal(number, leave)

    def left(self) -> None:
        """The app has given its terminal back."""
        self._has_left.set()

    def _watch(self) -> None:
        code = 128 + self._heard.get()
        has_left = self._has_left.wait(QUIT_PATIENCE)
        if has_left:
            time.sleep(SAVE_PATIENCE)  # the app saves, and ends the process
        error = self._save_in_time()
        if not has_left:
            self._app.give_terminal_back()
        if error is not None:
            write_in_time(2, f"{fit_message(f'error: {error}')}\n".encode(), _LAST_WORDS)
        os._exit(code if error is None else ExitCode.BAD_INPUT)

    def _save_in_time(self) -> InputError | None:
        """What is to be said of it, if anything. A disk that does not answer is not waited for."""
        said: list[InputError] = []

        def save() -> None:
            try:
                self._save()
            except InputError as error:
                said.append(error)

        saving = threading.Thread(target=save, name="save", daemon=True)
        saving.start()
        saving.join(SAVE_PATIENCE)
        return said[0] if said else None
