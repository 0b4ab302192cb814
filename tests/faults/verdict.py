"""What a fault has done, and whether that may be."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import ExitCode
from engine.files.points import Point
from tests.faults.catalogue import KILL, SLOWNESS, TRUNCATION
from tests.faults.snapshot import Snapshot

LONGEST = 1.0
"""Seconds after Ctrl+C."""


@dataclass(frozen=True)
class Trial:
    """One fault at one point, and what was seen of it.

    code     how the command ended, and `said` what it had to say
    changed  the files that it left otherwise than they were, by digest; None: it is gone
    ended    seconds after Ctrl+C
    """

    command: str
    fault: str
    point: Point
    file: str
    code: int
    said: str
    changed: Mapping[str, str | None]
    number: int = 0
    ended: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """A trial and all that is wrong with its end: of "lost", "half", "stray", "traceback",
    "unclear" and "late".

    coped  the command went on to its end, for it can do without the file
    """

    trial: Trial
    wrong: tuple[str, ...]
    coped: bool


def digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()[:16]


def judge(trial: Trial, before: Snapshot, after: Snapshot, usual: str = "") -> Verdict:
    """`before` and `after`: the files around the whole command, when nothing disturbs it; `usual`:
    what it says then."""
    said = (line for line in trial.said.splitlines() if line not in usual.splitlines())
    errors = [line for line in said if line.startswith("error: ")]
    coped = trial.fault not in (KILL.name, SLOWNESS.name) and not errors
    wrong = {*_judge_files(trial, before, after, coped), *_judge_words(trial, errors, coped)}
    return Verdict(trial, tuple(sorted(wrong)), coped)


def _judge_files(trial: Trial, before: Snapshot, after: Snapshot, coped: bool) -> Iterator[str]:
    for name, found in trial.changed.items():
        old, new = before.files.get(name), after.files.get(name)
        if old == new and old is not None:
            yield "lost"  # an input, which the command does not change
        elif old is None and new is None:
            yield "stray"
        elif found is None:
            yield "lost"
        elif found not in (digest(old), digest(new)) and not (coped and name != trial.file):
            yield "half"  # a command that does without a file may have another result


def _judge_words(trial: Trial, errors: list[str], coped: bool) -> Iterator[str]:
    if "Traceback" in trial.said or "error: unexpected " in trial.said:
        yield "traceback"
    if trial.fault == KILL.name:
        if trial.code != -9:
            yield "unclear"
    elif trial.fault == SLOWNESS.name:
        if trial.ended > LONGEST:
            yield "late"
        if trial.code != ExitCode.INTERRUPTED:
            yield "unclear"
    elif not coped:
        (said, *more) = errors
        named = Path(trial.file).name in trial.said
        # Where a disk is full, another file may be tried, and be the one that is named. What is
        # left of a file that was cut short may be sound by itself.
        named |= trial.point != "read" or trial.fault == TRUNCATION.name
        explained = not trial.number or os.strerror(trial.number).lower() in said.lower()
        if trial.code != ExitCode.BAD_INPUT or more or not named or not explained:
            yield "unclear"
