"""Once: values that are made when they are first asked for, each once, each with its own lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class OnceCache(Generic[K, V]):
    """A dictionary that makes what it lacks. Whoever asks for a value that is being made waits
    for it; whoever asks for another one does not. What could not be made is tried again.

    >>> squares = OnceCache(lambda number: number * number)
    >>> squares[3], squares.made
    (9, (9,))
    """

    def __init__(self, make: Callable[[K], V]) -> None:
        self._make = make
        self._values: dict[K, V] = {}
        self._locks: dict[K, threading.Lock] = {}
        self._guard = threading.Lock()

    def __getitem__(self, key: K) -> V:
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._values:
                self._values[key] = self._make(key)
            return self._values[key]

    @property
    def made(self) -> tuple[V, ...]:
        """What was made so far."""
        return tuple(self._values.values())
