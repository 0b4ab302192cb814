"""Caches: the values used last, up to a total size; values that are made once, when asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentCache(Generic[K, V]):
    """A dictionary that forgets what was not asked for longest. Safe to use from threads.

    A value counts 1 unless its size is given, so `most` is a number of values, or of bytes.

    >>> recent = RecentCache(2)
    >>> for name in "abc":
    ...     recent.put(name, name.upper())
    >>> recent.get("a"), recent.get("c")
    (None, 'C')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """What the values kept now count together."""
        return self._size

    def get(self, key: K) -> V | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: K, value: V, size: int = 1) -> None:
        """Keep the value; one that is larger than everything allowed is kept alone."""
        with self._lock:
            self._size -= self._values.pop(key, (value, 0))[1]
            self._values[key] = (value, size)
            self._size += size
            while self._size > self._most and len(self._values) > 1:
                _, (_, freed) = self._values.popitem(last=False)
                self._size -= freed


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

    def peek(self, key: K) -> V | None:
        """What was made already; None: not yet."""
        return self._values.get(key)

    def forget(self, key: K) -> None:
        """Let go of what was made; whoever asks for it again has it made again."""
        with self._guard:
            self._values.pop(key, None)

    @property
    def made(self) -> tuple[V, ...]:
        """What was made so far."""
        return tuple(self._values.values())
