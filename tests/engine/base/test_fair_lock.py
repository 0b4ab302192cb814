"""FairLock: first come, first served."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from engine.base.fair_lock import FairLock

LIMIT = 120.0


def wait_for(lock: FairLock, waiting: int) -> None:
    end = time.monotonic() + LIMIT
    while len(lock._waiting) < waiting:
        assert time.monotonic() < end
        time.sleep(0.001)


def is_free(lock: FairLock) -> bool:
    return not lock._held and not lock._waiting


def test_only_one_holds_it_at_a_time() -> None:
    lock, inside, most = FairLock(), 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(50):
            with lock:
                inside += 1
                most = max(most, inside)
                time.sleep(0.0002)  # whoever could come in would do so now
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)

    assert most == 1 and inside == 0
    assert is_free(lock)


def test_who_lets_go_and_asks_again_comes_after_who_waits() -> None:
    lock, order = FairLock(), list[str]()

    def one_query() -> None:
        with lock:
            order.append("query")

    lock.__enter__()
    thread = threading.Thread(target=one_query)
    thread.start()
    wait_for(lock, 1)
    for piece in range(3):
        order.append(f"piece {piece}")
        lock.__exit__()
        lock.__enter__()
    lock.__exit__()
    thread.join(LIMIT)

    assert order == ["piece 0", "query", "piece 1", "piece 2"]


def test_it_is_given_in_the_order_of_asking() -> None:
    lock, order = FairLock(), list[int]()

    def take(number: int) -> None:
        with lock:
            order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(6)]
    with lock:
        for number, thread in enumerate(threads, start=1):
            thread.start()
            wait_for(lock, number)
    for thread in threads:
        thread.join(LIMIT)

    assert order == list(range(6))


def test_an_error_inside_lets_it_go() -> None:
    lock = FairLock()

    with pytest.raises(ValueError, match="inside"), lock:
        raise ValueError("inside")

    with lock:
        pass


# Ctrl+C while waiting is an exception in the middle of `acquire`, which cannot be brought about at
# a certain moment: a turn that breaks off by itself stands in for it.


class Interrupted(BaseException):
    """What a waiter is interrupted by."""


class Turn:
    """A lock whose second `acquire`, the one that waits, is broken off; something comes first."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self._meanwhile = meanwhile
        self._acquired = 0

    def acquire(self) -> None:
        self._acquired += 1
        if self._acquired == 2:
            self._meanwhile()
            raise Interrupted

    def release(self) -> None: ...


def wait_and_be_interrupted(
    lock: FairLock, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]
) -> None:
    turns, real = [Turn(meanwhile)], threading.Lock
    with monkeypatch.context() as patched, pytest.raises(Interrupted):
        patched.setattr(threading, "Lock", lambda: turns.pop() if turns else real())
        lock.__enter__()


def test_who_is_interrupted_while_waiting_leaves_the_queue_and_never_gets_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock = FairLock()
    lock.__enter__()

    wait_and_be_interrupted(lock, monkeypatch, lambda: None)

    assert lock._held and not lock._waiting  # who holds it still does
    lock.__exit__()
    assert is_free(lock)


def test_who_is_interrupted_when_it_was_just_handed_over_lets_it_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock = FairLock()
    lock.__enter__()

    wait_and_be_interrupted(lock, monkeypatch, lock.__exit__)

    assert is_free(lock)


@pytest.mark.parametrize("handed_over", [False, True])
def test_who_waits_behind_an_interrupted_one_gets_it(
    handed_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, got = FairLock(), threading.Event()

    def take() -> None:
        with lock:
            got.set()

    threads: list[threading.Thread] = []

    def meanwhile() -> None:
        threads.append(threading.Thread(target=take))
        threads[0].start()
        wait_for(lock, 2)
        if handed_over:
            lock.__exit__()

    lock.__enter__()
    wait_and_be_interrupted(lock, monkeypatch, meanwhile)
    if not handed_over:
        assert not got.is_set()
        lock.__exit__()

    assert got.wait(LIMIT)
    threads[0].join(LIMIT)
    assert is_free(lock)
