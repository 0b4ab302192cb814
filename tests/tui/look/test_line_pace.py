"""Whether the terminal keeps up is seen from how long it takes what is written."""

from __future__ import annotations

import os
import pty
import select
import threading
import time

from tui.look.line_pace import BEHIND, REMEMBERED, LinePace, find_pace


class Hours:
    """A clock that goes when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_write_that_is_taken_at_once_says_nothing() -> None:
    clock = Hours()
    pace = LinePace(clock)
    pace.begin()
    clock.now += BEHIND / 2
    pace.end()
    assert not pace.is_behind


def wait(pace: LinePace, clock: Hours) -> None:
    """A write that waits longer than one should."""
    pace.begin()
    clock.now += 2 * BEHIND
    assert pace.is_behind
    pace.end()


def test_a_write_that_waits_is_seen_while_it_waits_and_once_is_nothing() -> None:
    clock = Hours()
    pace = LinePace(clock)
    wait(pace, clock)
    assert not pace.is_behind


def test_several_writes_that_waited_are_remembered_for_a_while() -> None:
    clock = Hours()
    pace = LinePace(clock)
    wait(pace, clock)
    wait(pace, clock)
    clock.now += REMEMBERED / 2
    assert pace.is_behind
    clock.now += REMEMBERED
    assert not pace.is_behind
    wait(pace, clock)
    wait(pace, clock)
    pace.forget()
    assert not pace.is_behind


def test_a_terminal_that_nobody_reads_is_behind() -> None:
    master, slave = pty.openpty()
    pace = LinePace()

    def write() -> None:
        pace.begin()
        os.write(slave, b"x" * 1_000_000)
        pace.end()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    end = time.monotonic() + 30
    while not pace.is_behind and time.monotonic() < end:
        time.sleep(0.02)
    assert pace.is_behind
    while writer.is_alive():
        if select.select([master], [], [], 0.05)[0]:  # it may have ended meanwhile
            os.read(master, 65536)
    os.close(master)
    os.close(slave)


def test_an_app_that_says_nothing_is_never_behind() -> None:
    assert not find_pace(object()).is_behind
