"""The inspector's store of sessions, which two threads may close."""

from __future__ import annotations

import threading
from typing import Any

from engine.sessions import SessionStore


class KeptStore(SessionStore):
    """Closed once, by whoever comes first; who comes second waits until that is done.

    What is kept in memory goes into a file when the store is closed. The app does so when it is
    left; if its terminal keeps it from that, the thread that ends the process does.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._closing = threading.Lock()
        self._is_closed = False

    def close(self) -> None:
        with self._closing:
            if not self._is_closed:
                self._is_closed = True
                super().close()
