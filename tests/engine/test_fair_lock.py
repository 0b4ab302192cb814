"""FairLock: first come, first served."""

from __future__ import annotations

import threading
import time

import pytest

from engine.fair_lock import FairLock

LIMIT = 20.0


def wait_for(lock: FairLock, waiting: int) -> None:
    end = time.monotonic() + LIMIT
    while len(lock._waiting) < waiting:
        assert time.monotonic() < end
        time.sleep(0.001)


def test_only_one_holds_it_at_a_time() -> None:
    lock, inside, most = FairLock(), 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(200):
            with lock:
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)

    assert most == 1
    assert not lock._held and not lock._waiting


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
