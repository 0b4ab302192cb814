"""A TREC run of a million lines, from files to five means, beside ir_measures.

Both read the same two files and give the same numbers to 1e-9. They take turns in one process, so
that a busy machine is busy for both; a second claim starts a fresh process for each, and counts
what it imports.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claim import Claim
from benchmarks.timing import best_in_turn

QUERIES, DEPTH, ITEMS, JUDGED = 1_000, 1_000, 200_000, 60
MEASURES = ("P@10", "R@100", "AP", "RR", "nDCG@10")
ROUNDS = 5


def write_collection(run: Path, qrels: Path) -> None:
    """A thousand queries, a thousand results each; half of what is judged was retrieved."""
    rng = np.random.default_rng(12)
    with run.open("w") as results, qrels.open("w") as judgements:
        for query in range(QUERIES):
            found = rng.choice(ITEMS, DEPTH, replace=False)
            # Steps that float32 can tell apart, so that no rule for ties is needed.
            scores = 30 - np.arange(DEPTH) * 0.02 - rng.random(DEPTH) * 0.01
            results.writelines(
                f"{query} Q0 doc{item:07d} {rank} {score:.6f} bm25\n"
                for rank, (item, score) in enumerate(
                    zip(found.tolist(), scores.tolist(), strict=True), 1
                )
            )
            judged = np.union1d(
                rng.choice(found, JUDGED // 2, replace=False), rng.choice(ITEMS, JUDGED // 2)
            )
            grades = np.maximum(rng.integers(0, 4, len(judged)), judged == judged[0])
            judgements.writelines(
                f"{query} 0 doc{item:07d} {grade}\n"
                for item, grade in zip(judged.tolist(), grades.tolist(), strict=True)
            )


def ours(run: Path, qrels: Path) -> list[float]:
    from engine.metrics import Measure
    from engine.rankings.formats.registry import read_qrels, read_run
    from engine.rankings.score import score_run

    measures = [Measure.parse(name) for name in MEASURES]
    scored = score_run(read_qrels(qrels), read_run(run), measures)
    return [scored.scores.mean(measure) for measure in measures]


def theirs(run: Path, qrels: Path) -> list[float]:
    import ir_measures as peer

    ir_measures: Any = peer  # it has no types
    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    found = ir_measures.pytrec_eval.calc_aggregate(
        measures,
        ir_measures.read_trec_qrels(str(qrels)),
        ir_measures.read_trec_run(str(run)),
    )
    return [found[measure] for measure in measures]


def in_fresh_process(name: str, run: Path, qrels: Path) -> None:
    code = (
        f"from benchmarks.bench_formats import *; {name}(Path({str(run)!r}), Path({str(qrels)!r}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def run() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "million.run"), Path(folder, "million.qrels")
        write_collection(*files)
        difference = np.abs(np.subtract(ours(*files), theirs(*files))).max()
        if not difference <= 1e-9:
            raise AssertionError(f"ir_measures differs by {difference}")
        warm = best_in_turn(ROUNDS, lambda: ours(*files), lambda: theirs(*files))
        yield Claim(
            "run file of 1,000,000 lines, read and scored (5 metrics): faster than ir_measures",
            warm[1] / warm[0],
            3.0,
            "at least",
            f"ours {warm[0]:.2f} s, ir_measures with pytrec_eval {warm[1]:.2f} s",
        )
        fresh = best_in_turn(
            ROUNDS,
            lambda: in_fresh_process("ours", *files),
            lambda: in_fresh_process("theirs", *files),
        )
        yield Claim(
            "the same in a fresh process each, imports counted",
            fresh[1] / fresh[0],
            1.5,
            "at least",
            f"ours {fresh[0]:.2f} s, ir_measures {fresh[1]:.2f} s",
        )
