"""Many programs write to one store at once: whatever was acknowledged is there afterwards.

python -m tests.faults.writers --seconds 30 --writers 50
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from engine.base.errors import InputError
from engine.keywords.judgement import Judgement, Target
from engine.sessions import LockedError, SessionStore
from engine.sessions.repair import repair_store
from tests.faults.result_files import ROOT, write_result

QUERY = "a cyclist"

T = TypeVar("T")


@dataclass(frozen=True)
class WritersResult:
    """What came of it: writes that were acknowledged, and those of them that are not there;
    writes that were refused because the store was locked for too long; whether it is sound."""

    writers: int
    acknowledged: int
    lost: int
    refused: int
    failed: int
    is_sound: bool


def run_writers(path: Path, writers: int, seconds: float, least: int = 1) -> WritersResult:
    """Let processes write, each to a session of its own and to one of all, and count.

    They end when the time is over, and not before each has saved `least` judgements.
    """
    with SessionStore(path) as store:
        shared = store.create("sample", "sample", "shared").id
    ends = time.time() + seconds + 0.04 * writers  # they need a moment to start
    command = [sys.executable, "-m", "tests.faults.writers", "--write", path]
    started = [
        subprocess.Popen(
            [*command, str(number), str(ends), str(least)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for number in range(writers)
    ]
    said = [process.communicate()[0].splitlines() for process in started]
    acknowledged, refused = [], 0
    for lines in said:
        acknowledged += [tuple(line.split()[1:]) for line in lines if line.startswith("saved ")]
        refused += lines.count("refused")
    with SessionStore(path) as store:
        there = {
            (str(one.id), judged.target.clip, judged.judgement.note)
            for one in store.summaries()
            for judged in store.open(one.id).all_judgements()
        }
        changes = store.open(shared).changes
    lost = sum(write not in there for write in acknowledged)
    of_all = sum(write[0] == str(shared) for write in acknowledged)
    lost += max(0, of_all - changes)  # the log of the session of all has every one of them
    failed = sum(process.returncode != 0 for process in started)
    sound = repair_store(path).is_sound
    return WritersResult(writers, len(acknowledged), lost, refused, failed, sound)


def write(path: Path, writer: int, ends: float, least: int) -> None:
    """Judge until the time is over, `least` times, and say each judgement once it is saved."""
    with _insist(lambda: SessionStore(path, patience=0.25)) as store:
        own = _insist(lambda: store.create("sample", "sample", f"writer {writer}"))
        sessions = [store.open(1), own]
        number = saved = 0
        while time.time() < ends or saved < least:
            number += 1
            session = sessions[number % 2]
            clip, note = f"{writer}.{number}", f"n{number}"
            try:
                session.judge(Target("text", QUERY, clip), Judgement(note=note))
            except LockedError:
                os.write(1, b"refused\n")
            else:
                saved += 1
                os.write(1, f"saved {session.id} {clip} {note}\n".encode())


def _insist(attempt: Callable[[], T]) -> T:
    while True:
        try:
            return attempt()
        except LockedError:
            continue


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--write", nargs=4, metavar=("STORE", "WRITER", "END", "LEAST"))
    parser.add_argument("--out", type=Path, help="write what was counted as JSON")
    given = parser.parse_args()
    if given.write:
        path, writer, ends, least = given.write
        try:
            write(Path(path), int(writer), float(ends), int(least))
        except InputError as error:
            print(error, file=sys.stderr)  # noqa: T201
            return 1
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = run_writers(Path(folder) / "sessions.db", given.writers, given.seconds)
    print(found)  # noqa: T201
    if given.out:
        write_result(given.out, asdict(found))
    return 0 if found.lost == 0 and found.failed == 0 and found.is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
