"""FairLock: a lock that is given in the order in which it was asked for."""

from __future__ import annotations

import threading
from collections import deque


class FairLock:
    """Whoever releases it and asks again at once comes after all who wait.

    A plain lock may be taken by the same thread again and again: a long evaluation that encodes
    piece by piece would keep out the one query that a person waits for.

    >>> with FairLock():
    ...     pass
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if not self._held:
                self._held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()  # until it is handed over
        except BaseException:
            self._leave_queue(turn)
            raise

    def _leave_queue(self, turn: threading.Lock) -> None:
        """Someone who waited was interrupted; the lock may have been handed to them meanwhile."""
        with self._guard:
            waits_still = turn in self._waiting
            if waits_still:
                self._waiting.remove(turn)
        if not waits_still:
            self.__exit__()

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()  # it stays held, by the next one
            else:
                self._held = False
