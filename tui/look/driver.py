"""The terminal's driver: Textual's, which survives what a keyboard or a paste may send."""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver


def _forgiving(encoding: str) -> type[IncrementalDecoder]:
    """A decoder for which a byte that is no UTF-8 is a strange character, and not the end."""
    strict = getincrementaldecoder(encoding)

    class Forgiving(strict):  # type: ignore[misc,valid-type]
        def __init__(self) -> None:
            super().__init__("replace")

    return Forgiving


class PatientDriver(LinuxDriver):
    """A terminal may speak Latin-1: Textual would end with a traceback at the first such byte."""

    def run_input_thread(self) -> None:
        linux_driver.getincrementaldecoder = _forgiving  # type: ignore[assignment,attr-defined]
        super().run_input_thread()
