"""Moment retrieval at the size of the public benchmarks, against a loop over the queries in numpy.

Both sides must print the same JSON. Each runs in a process of its own, so that its peak memory is
its own; they take turns, and the best of several rounds counts.
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

from benchmarks.process import Measured, measured
from benchmarks.terminal import TUI_EVAL

Result = tuple[str, float, float, str, str]

TVR_QUERIES, QVH_QUERIES = 10_895, 1_550
ROUNDS, SHORT_ROUNDS = 3, 7


def run() -> Iterator[Result]:
    """Every claim as (claim, measured ratio, goal, "at least" or "at most", detail)."""
    with tempfile.TemporaryDirectory() as name:
        yield from _tvr(Path(name))
        yield from _qvh(Path(name))


@dataclass(frozen=True)
class Files:
    """Predictions and the ground truth they are held against."""

    form: str
    predictions: str
    truth: str


def _made(folder: Path, form: str, queries: int) -> Files:
    truth = folder / f"{form}_{queries}_truth.jsonl"
    predictions = folder / f"{form}_{queries}_predictions.json"
    command = [sys.executable, "-m", "benchmarks.moment_data", form, str(queries)]
    subprocess.run([*command, str(truth), str(predictions)], check=True)
    return Files(form, str(predictions), str(truth))


# From the start of the process to its end


def _tvr(folder: Path) -> Iterator[Result]:
    whole, half = (_made(folder, "tvr", n) for n in (TVR_QUERIES, TVR_QUERIES // 2))
    ours, loop, ours_half = _best_in_turn([_ours(whole), _loop(whole), _ours(half)])
    _must_agree(ours, loop)
    size = Path(whole.predictions).stat().st_size / 1e6
    yield (
        "TVR submission, from start to JSON: a numpy loop over the queries / ours",
        loop.seconds / ours.seconds,
        4.0,
        "at least",
        f"{TVR_QUERIES:,} queries × 100 predictions × 3 tasks, {size:.0f} MB, the same JSON: "
        f"{loop.seconds:.1f} s / {ours.seconds:.1f} s",
    )
    yield (
        "peak memory of the process: ours / the loop",
        ours.megabytes / loop.megabytes,
        0.5,
        "at most",
        f"{ours.megabytes:.0f} MB / {loop.megabytes:.0f} MB",
    )
    yield (
        "TVR submission: all queries / half of them",
        ours.seconds / ours_half.seconds,
        2.2,
        "at most",
        f"{ours.seconds:.1f} s / {ours_half.seconds:.1f} s; memory {ours.megabytes:.0f} MB / "
        f"{ours_half.megabytes:.0f} MB",
    )


def _ours(files: Files) -> list[str]:
    return [TUI_EVAL, "moments", files.predictions, "--gt", files.truth, "--json"]


def _loop(files: Files) -> list[str]:
    script = "benchmarks.moment_loop"
    return [sys.executable, "-m", script, files.form, files.predictions, files.truth]


def _best_in_turn(commands: list[list[str]]) -> list[Measured]:
    rounds = [[measured(command) for command in commands] for _ in range(ROUNDS)]
    return [min(tries, key=lambda one: one.seconds) for tries in zip(*rounds, strict=True)]


def _must_agree(ours: Measured, loop: Measured) -> None:
    if ours.printed != loop.printed:
        raise AssertionError("ours and the loop print different JSON")


# From reading to JSON, in a process that has everything imported


def _qvh(folder: Path) -> Iterator[Result]:
    whole, half = (_made(folder, "qvh", n) for n in (QVH_QUERIES, QVH_QUERIES // 2))
    ours, loop = _best_in_turn([_ours(whole), _loop(whole)])
    _must_agree(ours, loop)
    jobs = [("ours", whole), ("loop", whole), ("ours", half)]
    rounds = [[_work(*job) for job in jobs] for _ in range(SHORT_ROUNDS)]
    own, its, own_half = (min(tries) for tries in zip(*rounds, strict=True))
    yield (
        "QVHighlights, reading and scoring: a numpy loop over the queries / ours",
        its / own,
        10.0,
        "at least",
        f"{QVH_QUERIES:,} queries, the same JSON: {its:.2f} s / {own:.2f} s; with the start of the "
        f"process {loop.seconds:.2f} s / {ours.seconds:.2f} s, {loop.seconds / ours.seconds:.1f}×",
    )
    yield (
        "QVHighlights: all queries / half of them",
        own / own_half,
        2.2,
        "at most",
        f"{own * 1e3:.0f} ms / {own_half * 1e3:.0f} ms",
    )


def _work(side: str, files: Files) -> float:
    """Seconds from the files to the JSON text, without the start of Python and its imports."""
    command = [sys.executable, "-m", "benchmarks.bench_moments", side]
    done = subprocess.run(
        [*command, files.predictions, files.truth], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _score(predictions: Path, truth: Path) -> dict[str, Any]:
    from engine.moments.opening import open_moments
    from engine.moments.source import MomentsRequest

    return open_moments(MomentsRequest(predictions, truth)).official()


def _score_in_a_loop(predictions: Path, truth: Path) -> dict[str, Any]:
    from benchmarks.moment_loop import lines, qvh

    return qvh(lines(predictions), lines(truth))


def _main(side: str, predictions: Path, truth: Path) -> None:
    for module in ("engine.moments.opening", "engine.moments.qvh", "benchmarks.moment_loop"):
        importlib.import_module(module)  # is not what is measured
    work = {"ours": _score, "loop": _score_in_a_loop}[side]
    begun = time.perf_counter()
    json.dumps(work(predictions, truth), indent=4)
    print(time.perf_counter() - begun)


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
