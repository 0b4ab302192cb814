"""The terminal's driver: Textual's, which survives what a keyboard or a paste may send, and which
ends the app when the terminal is gone."""

from __future__ import annotations

import contextlib
import os
import signal
from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from typing import Any, TextIO, cast

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

from tui.look.keyboard import ForgivingParser, limit_size


class _EndOfInputError(OSError):
    """The terminal was closed. Textual would read on, for ever and as fast as it can."""


def _forgiving(encoding: str) -> type[IncrementalDecoder]:
    """A decoder for which a byte that is no UTF-8 is a strange character, and not the end; nothing
    at all, though something was announced, is the end."""
    strict = getincrementaldecoder(encoding)

    class Forgiving(strict):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            super().__init__("replace")

        def decode(self, data: bytes, final: bool = False) -> str:
            if not data:
                raise _EndOfInputError
            return cast(str, super().decode(data, final))

    return Forgiving


class _Outlet:
    """What is painted goes here; once it fails, it is thrown away.

    Textual's thread that writes would end with an error, and the app wait for it for ever.
    """

    def __init__(self, file: TextIO, lost: Callable[[], None]) -> None:
        self._file = file
        self._lost = lost
        self._works = True

    def write(self, text: str) -> None:
        self._try(self._file.write, text)

    def flush(self) -> None:
        self._try(self._file.flush)

    def fileno(self) -> int:
        return self._file.fileno()

    def _try(self, act: Callable[..., object], *given: str) -> None:
        if self._works:
            try:
                act(*given)
            except (OSError, ValueError):
                self._works = False
                self._lost()


class PatientDriver(LinuxDriver):
    """A terminal may speak Latin-1: Textual would end with a traceback at the first such byte.

    A terminal may vanish without a word to this process, if it was not started from there (nohup,
    setsid, some of the multiplexers): then it is this driver that says so.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._file = cast(Any, _Outlet(cast(TextIO, self._file), self._hang_up))

    def run_input_thread(self) -> None:
        linux_driver.getincrementaldecoder = _forgiving  # type: ignore[assignment,attr-defined]
        linux_driver.XTermParser = ForgivingParser  # type: ignore[attr-defined]
        with contextlib.suppress(OSError):
            super().run_input_thread()
            return
        self._hang_up()

    def _get_terminal_size(self) -> tuple[int, int]:
        return limit_size(*super()._get_terminal_size())  # $COLUMNS may say anything

    def _hang_up(self) -> None:
        os.kill(os.getpid(), signal.SIGHUP)
