"""Background work: one thread per lane, and in a lane the newest request wins.

The threads are daemons: quitting never waits for them. What they find is handed to the UI thread,
unless a newer request has made it worthless.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Deliver = Callable[[Callable[[], None]], None]
"""Runs a function in the UI thread, soon."""


class CancelledError(Exception):
    """Raised inside work whose result nobody waits for any more."""


@dataclass(eq=False)
class Ticket(Generic[T]):
    """One request: what to do, and whom to tell."""

    work: Callable[[Ticket[T]], T]
    done: Callable[[T], None]
    failed: Callable[[Exception], None]
    cancelled: bool = field(default=False)

    def cancel(self) -> None:
        self.cancelled = True

    def check(self) -> None:
        """For long work, between two steps: stop here if nobody waits any more."""
        if self.cancelled:
            raise CancelledError


class Lane:
    """A thread that does one thing at a time; a newer request replaces the one that waits."""

    def __init__(self, name: str, deliver: Deliver) -> None:
        self._deliver = deliver
        self._waiting: queue.SimpleQueue[Ticket[Any]] = queue.SimpleQueue()
        self._newest: Ticket[Any] | None = None
        self._name = name
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        return self._newest is not None and not self._newest.cancelled

    def submit(
        self,
        work: Callable[[Ticket[T]], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> Ticket[T]:
        """Do this next; whatever was asked before is no longer waited for."""
        self.cancel()
        ticket = Ticket(work, done, failed)
        self._newest = ticket
        self._waiting.put(ticket)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        return ticket

    def cancel(self) -> None:
        if self._newest is not None:
            self._newest.cancel()

    def _run(self) -> None:
        while True:
            ticket = self._waiting.get()
            if ticket.cancelled:
                continue
            try:
                value = ticket.work(ticket)
            except CancelledError:
                continue
            except Exception as error:
                self._hand_over(ticket, ticket.failed, error)
            else:
                self._hand_over(ticket, ticket.done, value)

    def _hand_over(
        self, ticket: Ticket[Any], listener: Callable[[Any], None], value: object
    ) -> None:
        def tell() -> None:
            if not ticket.cancelled:
                ticket.cancelled = True  # answered: the lane is free
                listener(value)

        with contextlib.suppress(RuntimeError):  # the app has ended
            self._deliver(tell)
