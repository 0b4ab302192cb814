"""Many inputs in forked processes: each may die, hang or eat memory without harm to the others."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.child import prepare_process, try_command, try_reader
from tests.fuzz.tally import Tally
from tests.fuzz.trial import Trial, TrialKind, Trials
from tests.fuzz.verdict import LONGEST_WAIT, Verdict

BATCH = 50
"""Inputs that one process tries."""
_PATIENCE = 5.0
"""Seconds beside those: an input has to be made, and a child looks after its commands by itself."""

Heard = Callable[[Verdict, bool], None]
"""Called with each verdict, and whether it is of a command."""


@dataclass
class _Process:
    """A child that tries inputs, and what was heard of it."""

    pid: int
    numbers: deque[int]
    batch: int
    heard: bytes = b""
    since: float = field(default_factory=time.monotonic)


@dataclass
class Campaign:
    """Which inputs are tried, and how.

    commands_every  of so many batches one is of command lines, and one for those who read in
                    another process
    folder          where inputs lie while they are tried
    """

    trials: Trials
    inputs: int
    folder: Path
    jobs: int = 2
    commands_every: int = 33
    tally: Tally = field(default_factory=Tally)
    done: set[int] = field(default_factory=set)

    def kind_of(self, batch: int) -> TrialKind:
        place = batch % self.commands_every
        if place == self.commands_every // 2:
            return "command"
        return "apart" if place == 0 else "reader"

    def make(self, number: int) -> Trial:
        return self.trials.make(number, self.kind_of(number // BATCH))

    def run(self, hear: Heard) -> Iterator[int]:
        """Try all that is not done; yields the number of each batch that is."""
        waiting = deque(
            (batch, deque(range(batch * BATCH, min(self.inputs, (batch + 1) * BATCH))))
            for batch in range(-(-self.inputs // BATCH))
            if batch not in self.done
        )
        running: dict[int, _Process] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self.jobs:
                    batch, numbers = waiting.popleft()
                    reading, process = self._start(batch, numbers)
                    running[reading] = process
                for reading in select.select([*running], [], [], 0.5)[0]:
                    process = running[reading]
                    if not self._listen(reading, process, hear):
                        del running[reading]
                        self._bury(process, hear, "")
                        yield from self._go_on(process, waiting)
                for reading, process in [*running.items()]:
                    if time.monotonic() - process.since > LONGEST_WAIT + _PATIENCE:
                        os.killpg(process.pid, signal.SIGKILL)
                        os.close(reading)
                        del running[reading]
                        self._bury(process, hear, "time")
                        yield from self._go_on(process, waiting)
        finally:
            for reading, process in running.items():
                os.killpg(process.pid, signal.SIGKILL)
                os.waitpid(process.pid, 0)
                os.close(reading)

    def _go_on(self, process: _Process, waiting: deque[Any]) -> Iterator[int]:
        if process.numbers:
            waiting.appendleft((process.batch, process.numbers))
            return
        self.done.add(process.batch)
        yield process.batch

    def _start(self, batch: int, numbers: deque[int]) -> tuple[int, _Process]:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            os.setsid()
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            self._try_all(batch, numbers, writing)
            os._exit(0)
        os.close(writing)
        return reading, _Process(pid, numbers, batch)

    def _try_all(self, batch: int, numbers: Sequence[int], writing: int) -> None:
        """In the child: a line for each input."""
        place = self.folder / f"{batch}.{os.getpid()}"
        place.mkdir(parents=True)
        prepare_process(self.folder)
        for number in numbers:
            trial = self.make(number)
            os.write(writing, b"\n")  # it is made: the clock begins
            verdict = _try(trial, self.trials, place)
            document = {**verdict.as_document(), "detail": verdict.detail[:3000]}
            os.write(writing, json.dumps(document).encode() + b"\n")
        shutil.rmtree(place)

    def _listen(self, reading: int, process: _Process, hear: Heard) -> bool:
        """Take what a child says; False: it says no more."""
        said = os.read(reading, 1 << 16)
        if not said:
            os.close(reading)
            return False
        *lines, process.heard = (process.heard + said).split(b"\n")
        process.since = time.monotonic()
        for line in lines:
            if line:
                process.numbers.popleft()
                self._take(Verdict(**json.loads(line)), process.batch, hear)
        return True

    def _bury(self, process: _Process, hear: Heard, cause: str) -> None:
        """Let a child go; what it was at is to blame if it did not end by itself."""
        code = os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1])
        if not process.numbers:
            return
        number = process.numbers.popleft()
        name = self.make(number).name
        if cause == "time":
            verdict = Verdict(number, name, "time", "did not end")
        else:
            verdict = Verdict(number, name, "signal", f"exit code {code}")
        self._take(verdict, process.batch, hear)

    def _take(self, verdict: Verdict, batch: int, hear: Heard) -> None:
        is_command = self.kind_of(batch) == "command"
        self.tally.add(verdict, is_command=is_command)
        hear(verdict, is_command)


def _try(trial: Trial, trials: Trials, place: Path) -> Verdict:
    if trial.sample is None:
        return try_command(trial, place)
    return try_reader(trial, trials.samples[trial.sample][1], place)
