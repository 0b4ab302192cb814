"""Moment retrieval at the size of the public benchmarks, against a loop over the queries in numpy.

Both sides must print the same JSON. Each runs in a process of its own, so that its peak memory is
its own; they take turns, and the best of several rounds counts. Measured is the whole process, as
someone at a terminal waits for it, and the work alone, as in a process that goes on: reading the
files, scoring, and the JSON text. TVR's file is large and its goal is about the whole process; the
one of QVHighlights is read and scored in less time than Python needs to start, and its goal is
about the work.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.claim import Claim
from benchmarks.process import measured
from benchmarks.terminal import TUI_EVAL

_LINEAR = 2.5
"""Twice the queries may take this many times as long; the rest is for a busy machine."""


@dataclass(frozen=True)
class Benchmark:
    """A form of predictions at its public size, and how many times faster ours should be.

    process_goal  from the start of the process to its end; None: shown for information
    work_goal     from the files to the JSON text
    rounds        how often each side has its turn
    repeats       how often it does its work in one turn, when the work alone is measured
    """

    form: str
    name: str
    queries: int
    size: str
    process_goal: float | None
    work_goal: float | None
    rounds: int
    repeats: int


TVR = Benchmark("tvr", "TVR", 10_895, "10,895 queries × 100 predictions × 3 tasks", 4.0, None, 5, 2)
QVH = Benchmark(
    "qvh", "QVHighlights", 1_550, "1,550 queries × 10 windows, 75 clips", None, 10.0, 7, 5
)


@dataclass(frozen=True)
class Files:
    """Predictions and the ground truth they are held against."""

    form: str
    predictions: str
    truth: str


def run() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as name:
        for benchmark in (TVR, QVH):
            whole = _made(Path(name), benchmark.form, benchmark.queries)
            half = _made(Path(name), benchmark.form, benchmark.queries // 2)
            yield from _from_the_start(benchmark, whole)
            yield from _work_alone(benchmark, whole, half)


def _made(folder: Path, form: str, queries: int) -> Files:
    """In a process of its own: what it needs in memory is gone before anything is measured."""
    truth = folder / f"{form}_{queries}_truth.jsonl"
    predictions = folder / f"{form}_{queries}_predictions.json"
    command = [sys.executable, "-m", "benchmarks.moment_data", form, str(queries)]
    subprocess.run([*command, str(truth), str(predictions)], check=True)
    return Files(form, str(predictions), str(truth))


# From the start of the process to its end


def _from_the_start(benchmark: Benchmark, files: Files) -> Iterator[Claim]:
    given = [files.predictions, files.truth]
    commands = [
        [TUI_EVAL, "moments", files.predictions, "--gt", files.truth, "--json"],
        [sys.executable, "-m", "benchmarks.moment_loop", files.form, *given],
    ]
    rounds = [[measured(command) for command in commands] for _ in range(benchmark.rounds)]
    ours, loop = (min(tries, key=lambda one: one.seconds) for tries in zip(*rounds, strict=True))
    if ours.printed != loop.printed:
        raise AssertionError(f"{benchmark.name}: ours and the loop print different JSON")
    memory = f"{ours.megabytes:.0f} MB / {loop.megabytes:.0f} MB"
    yield Claim(
        f"{benchmark.name}, from the start of the process: a numpy loop over the queries / ours",
        loop.seconds / ours.seconds,
        benchmark.process_goal,
        "at least",
        f"{benchmark.size}, {Path(files.predictions).stat().st_size / 1e6:.0f} MB, the same JSON: "
        f"{loop.seconds:.2f} s / {ours.seconds:.2f} s",
    )
    if benchmark is TVR:  # the other is small: there one would compare the imports
        ratio = ours.megabytes / loop.megabytes
        yield Claim("peak memory of the process: ours / the loop", ratio, 0.5, "at most", memory)


# From the files to the JSON text, in a process that goes on


def _work_alone(benchmark: Benchmark, whole: Files, half: Files) -> Iterator[Claim]:
    jobs = [("ours", whole), ("loop", whole), ("ours", half)]
    repeats = benchmark.repeats
    rounds = [[_work(*job, repeats) for job in jobs] for _ in range(benchmark.rounds)]
    ours, loop, ours_half = (min(tries) for tries in zip(*rounds, strict=True))
    yield Claim(
        f"{benchmark.name}, reading and scoring, JSON included: the loop / ours",
        loop / ours,
        benchmark.work_goal,
        "at least",
        f"in a process that has done so before: {loop:.2f} s / {ours:.3f} s",
    )
    yield Claim(
        f"{benchmark.name}: ours with all queries / with half of them",
        ours / ours_half,
        _LINEAR,
        "at most",
        f"{ours * 1e3:.0f} ms / {ours_half * 1e3:.0f} ms",
    )


def _work(side: str, files: Files, repeats: int) -> float:
    """The fewest seconds of one side, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_moments", side, files.form]
    return float(measured([*command, files.predictions, files.truth, str(repeats)]).printed)


def _score(_: str, predictions: Path, truth: Path) -> dict[str, Any]:
    from engine.moments.moments_source import MomentsRequest
    from engine.moments.open_files import open_moments

    return open_moments(MomentsRequest(predictions, truth)).official()


def _main(side: str, form: str, predictions: Path, truth: Path, repeats: int) -> None:
    from benchmarks.moment_loop import score

    for module in ("open_files", "tvr.source", "qvh.source"):
        importlib.import_module(f"engine.moments.{module}")  # is not what is measured
    work = {"ours": _score, "loop": score}[side]
    took = []
    for _ in range(repeats):
        begun = time.perf_counter()
        json.dumps(work(form, predictions, truth), indent=4)
        took.append(time.perf_counter() - begun)
    print(min(took))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]), int(sys.argv[5]))
