"""The terminal's driver: Textual's, which survives what a keyboard or a paste may send, and which
ends the app when the terminal is gone."""

from __future__ import annotations

import contextlib
import os
import signal
import termios
from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from typing import Any, TextIO, cast

from textual import events
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size

from tui.look.keyboard import ForgivingParser, limit_size
from tui.look.last_words import write_in_time
from tui.look.line_pace import LinePace
from tui.look.style_changes import StyleChanges

_LEAVE = (
    "\x1b\\"  # the end of a picture or a link, if one was cut off
    "\x1b[?2026l\x1b[0m"  # what was painted is shown, in no colour
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # the mouse
    "\x1b[?2004l\x1b[?2048l\x1b[?1004l\x1b[?7h"  # pastes, sizes, focus, lines that wrap
    "\x1b[<u\x1b[?1049l\x1b[?25h"  # the keyboard; the screen that was there; the cursor
)
"""Whatever Textual has switched on, switched off."""

_LAST_WORDS = 0.2
"""Seconds in which the terminal must take them."""


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
    """What is painted goes here, in as few bytes as tell it; once it fails, it is thrown away.

    Textual's thread that writes would end with an error, and the app wait for it for ever.
    """

    def __init__(self, file: TextIO, lost: Callable[[], None], pace: LinePace) -> None:
        self._file = file
        self._pace = pace
        self._lost = lost
        self._works = True
        self._styles = StyleChanges()

    def write(self, text: str) -> None:
        self._try(self._file.write, self._styles.shorten(text))

    def flush(self) -> None:
        self._try(self._file.flush)

    def fileno(self) -> int:
        return self._file.fileno()

    def silence(self) -> None:
        """Nothing is painted any more."""
        self._works = False

    def _try(self, act: Callable[..., object], *given: str) -> None:
        if self._works:
            self._pace.begin()
            try:
                act(*given)
            except (OSError, ValueError):
                self._works = False
                self._lost()
            finally:
                self._pace.end()


class PatientDriver(LinuxDriver):
    """A terminal may speak Latin-1: Textual would end with a traceback at the first such byte.

    A terminal may vanish without a word to this process, if it was not started from there (nohup,
    setsid, some of the multiplexers): then it is this driver that says so.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.pace = LinePace()
        """Whether the terminal keeps up with what is painted."""
        self._outlet = _Outlet(cast(TextIO, self._file), self._hang_up, self.pace)
        self._file = cast(Any, self._outlet)

    def run_input_thread(self) -> None:
        linux_driver.getincrementaldecoder = _forgiving  # type: ignore[assignment,attr-defined]
        linux_driver.XTermParser = ForgivingParser  # type: ignore[attr-defined]
        with contextlib.suppress(OSError):
            super().run_input_thread()
            return
        self._hang_up()

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        signal.signal(signal.SIGWINCH, self._follow_size)

    def _follow_size(self, *_: object) -> None:
        """The size is read later, when it is told. Read here, as Textual does, an old one may be
        told last: one signal interrupts the handler of another."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._tell_size)

    def _tell_size(self) -> None:
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            # As Textual sends the first one, which this must not overtake.
            self.send_message(events.Resize(size, size))

    def _get_terminal_size(self) -> tuple[int, int]:
        return limit_size(*super()._get_terminal_size())  # $COLUMNS may say anything

    # Being stopped, and going on

    def _sigcont_application(self, *_: object) -> None:
        if self._must_signal_resume:  # the terminal was given back first (SIGTSTP)
            super()._sigcont_application()
            return
        # Not now: this may have interrupted a write to the terminal.
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._come_back)

    def _come_back(self) -> None:
        """It was stopped without a word (SIGSTOP): the terminal is taken anew, and whoever had it
        meanwhile has left it in another state. Textual would take it twice, and give it back once.
        """
        # Whoever loses the terminal gets this signal too.
        if not self._auto_restart or self._app._exit or not os.isatty(self.fileno):
            return
        with contextlib.suppress(OSError):  # not the terminal that it was started from
            if os.tcgetpgrp(self.fileno) != os.getpgrp():
                os.kill(os.getpid(), signal.SIGSTOP)  # it goes on in the background: not yet
                return
        self.suspend_application_mode()
        self._must_signal_resume = True  # the app paints everything then
        self.resume_application_mode()

    def give_back(self) -> None:
        """Give the terminal back in place of `stop_application_mode`, which would wait for it: for
        a thread that ends the process right after."""
        if self.attrs_before is None:  # nothing was taken
            return
        self._outlet.silence()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})  # in the background too
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        with contextlib.suppress(OSError, ValueError):
            write_in_time(self._outlet.fileno(), _LEAVE.encode(), _LAST_WORDS)

    def _hang_up(self) -> None:
        os.kill(os.getpid(), signal.SIGHUP)
