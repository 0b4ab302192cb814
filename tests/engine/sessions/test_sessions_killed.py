"""kill -9 at any moment loses at most the write in flight."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from engine.sessions import Session, SessionStore
from tests.conftest import ROOT
from tests.engine.sessions.sessions_writer import steps

KILLS = 100


class Expected:
    """The session as it must be after a number of steps, kept as simply as can be."""

    def __init__(self) -> None:
        self.states: list[dict[str, str]] = [{}]
        self.now = 0
        self.cursor: str | None = None

    def do(self, step: tuple[str, str]) -> None:
        what, value = step
        if what == "move":
            self.cursor = value
        elif what == "undo":
            self.now = max(0, self.now - 1)
        elif what == "redo":
            self.now = min(len(self.states) - 1, self.now + 1)
        else:
            clip = what.removeprefix("judge ")
            self.states[self.now + 1 :] = [{**self.states[self.now], clip: value}]
            self.now += 1

    def holds(self, session: Session) -> bool:
        found = session.judgements("text", "a cyclist")
        view = session.view
        return (
            {clip: judgement.note for clip, judgement in found.items()} == self.states[self.now]
            and (None if view is None else view.clip) == self.cursor
            and session.can_undo == (self.now > 0)
            and session.can_redo == (self.now + 1 < len(self.states))
        )


@pytest.mark.slow
def test_a_hundred_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SessionStore(path) as store:
        store.create("sample", "sample")
    chance, expected = random.Random(9), Expected()

    with writers(path) as host:
        for writer in range(KILLS):
            saved = kill_a_writer(host, writer, chance)

            assert integrity(path) == "ok"
            *done, in_flight = islice(steps(writer), saved + 1)
            for step in done:
                expected.do(step)
            with SessionStore(path) as store:
                if not expected.holds(store.open(1)):
                    expected.do(in_flight)  # it was saved, but not said any more
                assert expected.holds(store.open(1)), f"writer {writer}, {saved} steps"
        assert host.stdin is not None
        host.stdin.close()

    assert host.returncode == 0


def writers(path: Path) -> subprocess.Popen[str]:
    script = Path(__file__).with_name("sessions_writer.py")
    return subprocess.Popen(
        [sys.executable, script, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def kill_a_writer(host: subprocess.Popen[str], writer: int, chance: random.Random) -> int:
    """Let one writer write for a while, kill it, and count what it said was saved."""
    assert host.stdin is not None and host.stdout is not None
    host.stdin.write(f"{writer}\n")
    host.stdin.flush()
    child = int(host.stdout.readline())
    saved = sum(host.stdout.readline() == "saved\n" for _ in range(chance.randrange(60)))
    time.sleep(chance.uniform(0, 0.003))  # into the middle of whatever it does
    os.kill(child, signal.SIGKILL)
    while (line := host.stdout.readline()) == "saved\n":
        saved += 1
    assert line == "ended\n"
    return saved


def integrity(path: Path) -> str:
    connection = sqlite3.connect(path)
    (found,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return str(found)
