"""Loading an encoder takes seconds: it is done once, and whoever waits for it may give up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from tui.work.lanes import Ticket

_LOOKS: Final = 0.05
"""Seconds between two looks whether somebody still waits."""


class EncoderLoad:
    """One try to load an encoder, in a thread of its own: it goes on when nobody waits for it."""

    def __init__(self, load: Callable[[], None]) -> None:
        self._load = load
        self._ended = threading.Event()
        self._error: Exception | None = None
        threading.Thread(target=self._run, name="load encoder", daemon=True).start()

    def _run(self) -> None:
        try:
            self._load()
        except Exception as error:
            self._error = error
        self._ended.set()

    @property
    def is_under_way(self) -> bool:
        return not self._ended.is_set()

    def wait(self, ticket: Ticket[Any]) -> None:
        """Wait until it is loaded, for as long as somebody waits for what is done with it. All
        who wait for one that fails get the same error."""
        while not self._ended.wait(_LOOKS):
            ticket.check()
        if self._error is not None:
            raise self._error
