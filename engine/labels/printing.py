"""The summary as text, and the only functions of the engine that print: they are asked to."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.base.progress import ProgressHook, Step
from engine.labels.data.directions import PROTOTYPE, Direction

if TYPE_CHECKING:
    from engine.labels.data.labelled_items import LabelledItems

WIDTH = 70
HEAD = "LABEL-SCORE@K RESULTS SUMMARY"


def print_results_summary(results: Mapping[str, Mapping[int, float]]) -> None:
    """Print results as `compute_label_recall_at_k` gives them.

    >>> print_results_summary({"text2sensor": {10: 0.7234}})
    ======================================================================
    LABEL-SCORE@K RESULTS SUMMARY
    ======================================================================
    <BLANKLINE>
    Text -> Sensor:
    ----------------------------------------
      K= 10 => Label-Score@K = 0.7234 (72.34 %)
    <BLANKLINE>
    ======================================================================
    """
    sys.stdout.write(format_results_summary(results))


def format_results_summary(results: Mapping[str, Mapping[int, float]]) -> str:
    """The summary that is printed, line by line."""
    bar = "=" * WIDTH
    lines = [bar, HEAD, bar, ""]
    for direction, scores in results.items():
        lines += [f"{format_direction(direction)}:", "-" * 40, *format_score_lines(scores), ""]
    return "\n".join([*lines, bar, ""])


def format_score_lines(scores: Mapping[int, float]) -> list[str]:
    """A line for every K.

    >>> format_score_lines({10: 0.7234, 5: float("nan")})
    ['  K= 10 => Label-Score@K = 0.7234 (72.34 %)', '  K=  5 => Label-Score@K undefined']
    """
    width = max(3, *(len(str(k)) for k in scores)) if scores else 3
    return [
        f"  K={k:>{width}} => Label-Score@K undefined"
        if math.isnan(score)
        else f"  K={k:>{width}} => Label-Score@K = {score:.4f} ({score:.2%})".replace("%", " %")
        for k, score in scores.items()
    ]


def format_direction(name: str) -> str:
    """A direction's name in words.

    >>> (
    ...     format_direction("text2sensor"),
    ...     format_direction("prototype2video"),
    ...     format_direction("a2b2c"),
    ... )
    ('Text -> Sensor', 'Text Prototype -> Video', 'a2b2c')
    """
    queries, _, targets = name.partition("2")
    if not targets or (queries != PROTOTYPE and name.count("2") != 1):
        return name
    return Direction(queries, targets).title


@contextmanager
def show_progress(verbose: bool, data: LabelledItems) -> Iterator[ProgressHook | None]:
    """Tells on stderr what is scored, if that is wanted."""
    if not verbose:
        yield None
        return
    level = data.levels[0]
    sys.stderr.write(f"{len(data):,} items, {len(level.names):,} labels\n")

    def report(step: Step) -> None:
        if step.done == step.total:
            sys.stderr.write(f"{step.mode}: {step.total:,} queries\n")

    yield report
