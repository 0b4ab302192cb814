"""A process that does nothing but write to a session until it is killed.

For every line on stdin it forks one writer, which says each write on stdout once it is saved.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from engine.keywords.judgement import Judgement, Target
from engine.sessions import Session, SessionStore, SessionView


def steps(writer: int) -> Iterator[tuple[str, str]]:
    """What a writer does, endlessly; each step is another value."""
    for number in count():
        yield f"judge clip_{number % 7}", f"{writer}.{number}"
        yield "move", f"{writer}.{number}"
        if number % 4 == 3:
            yield "undo", ""
        if number % 8 == 7:
            yield "redo", ""


def do(session: Session, step: tuple[str, str]) -> None:
    what, value = step
    if what == "move":
        session.remember(SessionView(None, value))
    elif what == "undo":
        session.undo()
    elif what == "redo":
        session.redo()
    else:
        target = Target("text", "a cyclist", what.removeprefix("judge "))
        session.judge(target, Judgement("bias", "hub", value))


def write(path: Path, writer: int) -> None:
    session = SessionStore(path).open(1)
    os.write(1, f"{os.getpid()}\n".encode())
    for step in steps(writer):
        do(session, step)
        os.write(1, b"saved\n")


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            write(Path(sys.argv[1]), int(line))
        os.waitpid(child, 0)
        os.write(1, b"ended\n")


if __name__ == "__main__":
    main()
