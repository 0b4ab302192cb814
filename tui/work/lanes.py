"""Background work: one thread per lane, and in a lane the newest request wins.

The threads are daemons: quitting never waits for them. What they find is handed to the UI thread,
unless a newer request has made it worthless.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, TypeAlias, TypeVar

from engine.base.choices import Mode

T = TypeVar("T")
DeliveryHook: TypeAlias = Callable[[Callable[[], None]], None]
"""Runs a function in the UI thread, soon."""

FailureHook: TypeAlias = Callable[[Exception], None]
"""Hears why there is no answer."""


SETTLE_PATIENCE: Final = 10.0
"""Seconds for which the UI thread waits at most for work that must not be lost."""


class CancelledError(Exception):
    """Raised inside work whose result nobody waits for any more."""


@dataclass(eq=False)
class Ticket(Generic[T]):
    """One request: what to do, and who gets the answer."""

    work: Callable[[Ticket[T]], T]
    done: Callable[[T], None]
    failed: Callable[[Exception], None]
    cancelled: bool = False
    finished: threading.Event = field(default_factory=threading.Event)
    _answer: Callable[[], None] | None = None

    def cancel(self) -> None:
        self.cancelled = True

    def check(self) -> None:
        """For long work, between two steps: stop here if nobody waits any more."""
        if self.cancelled:
            raise CancelledError

    def carry_out(self) -> bool:
        """Do the work; whether something came of it that can be reported."""
        try:
            self._answer = partial(self.done, self.work(self))
        except CancelledError:
            return False
        except Exception as error:
            self._answer = partial(self.failed, error)
        self.finished.set()
        return True

    def report(self) -> None:
        """In the UI thread: hand over what came of it, once, if somebody still waits for it."""
        answer, self._answer = self._answer, None
        if answer is not None and not self.cancelled:
            self.cancelled = True  # answered: the lane is free
            answer()


class Lane:
    """A thread that does one thing at a time; a newer request replaces the one that waits."""

    def __init__(self, name: str, deliver: DeliveryHook) -> None:
        self._deliver = deliver
        self._waiting: queue.SimpleQueue[Ticket[Any] | None] = queue.SimpleQueue()
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
        return self.add(work, done, failed)

    def add(
        self,
        work: Callable[[Ticket[T]], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> Ticket[T]:
        """Do this too, after what was asked before."""
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

    def settle(self, patience: float = SETTLE_PATIENCE) -> None:
        """Wait so many seconds for what is under way, and hear of it now rather than soon."""
        if self._newest is not None and self.busy:
            self._newest.finished.wait(patience)
            self._newest.report()

    def close(self) -> None:
        """End the thread after what it does now; nothing may be asked any more."""
        self.cancel()
        self._waiting.put(None)

    def _run(self) -> None:
        while (ticket := self._waiting.get()) is not None:
            if not ticket.cancelled and ticket.carry_out():
                with contextlib.suppress(RuntimeError):  # the app has ended
                    self._deliver(ticket.report)


class LaneGroup:
    """The lanes of an app. They end together.

    writing  the one in which files are written, one after the other
    """

    def __init__(self, deliver: DeliveryHook) -> None:
        self.deliver = deliver
        self._all: list[Lane] = []
        self.writing = self.lane("write")

    def lane(self, name: str) -> Lane:
        lane = Lane(name, self.deliver)
        self._all.append(lane)
        return lane

    def per_mode(self, name: str, modes: Sequence[Mode] = ("text", "video")) -> dict[Mode, Lane]:
        """Texts wait for the encoder; what is done with clips must not wait behind them."""
        return {mode: self.lane(f"{name} {mode}") for mode in modes}

    def close(self) -> None:
        """Nobody waits for anything any more."""
        for lane in self._all:
            lane.close()
