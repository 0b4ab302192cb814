"""What queries retrieved instead of the keywords that they ask for, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.keywords.evaluate import Evaluation
from engine.keywords.instead import (
    FEW_CLIPS,
    STAND_IN_ALPHA,
    Absence,
    StandIn,
    choose_looked_at,
    find_evaluation_absences,
)
from engine.keywords.run import Run

_LISTED = 10
"""Stand-ins of a keyword, in JSON."""


def dump_instead(run: Run, evaluation: Evaluation) -> dict[str, Any]:
    """By keyword, over the results that the main measure looks at."""
    k = choose_looked_at(evaluation, run.profile)
    return dump_absences(find_evaluation_absences(run.collection.truth, evaluation, k=k), k)


def dump_absences(absences: Sequence[Absence], k: int) -> dict[str, Any]:
    """What the first `k` results have in place of each keyword."""
    return {
        "k": k,
        "alpha": STAND_IN_ALPHA,
        "few_clips": FEW_CLIPS,
        "keywords": [_dump_absence(absence) for absence in absences],
    }


def _dump_absence(absence: Absence) -> dict[str, Any]:
    return {
        "keyword": str(absence.keyword),
        "queries": absence.queries,
        "retrieved": absence.retrieved,
        "lacking": absence.results,
        "clips": absence.clips,
        "few": absence.is_few,
        "none_of_group": absence.bare,
        "different": len(absence.stand_ins),
        "stand_ins": [_dump_stand_in(absence, one) for one in absence.stand_ins[:_LISTED]],
    }


def _dump_stand_in(absence: Absence, one: StandIn) -> dict[str, Any]:
    return {
        "keyword": str(one.keyword),
        "results": one.results,
        "of": one.of,
        "queries": one.queries,
        "share": one.share,
        "base": one.base,
        "lift": one.lift,
        "low": one.low,
        "high": one.high,
        "p": one.p,
        "stands_in": one in absence.proven,
    }
