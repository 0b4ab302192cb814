"""Metrics as a person adjudicated them: the ground truth, corrected by what was judged by eye.

    published    a clip is relevant if it has ALL query keywords
    adjudicated  the same, and clips marked "relevant" are too, and clips marked "not relevant" are
                 not, whatever their keywords say; R changes with them

A bias case says why a result is there. It does not change what is relevant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.evaluate import Evaluation, score_judged
from engine.keywords.inspection import Inspection
from engine.keywords.judge import JudgedRanking
from engine.keywords.judgement import Judgement, Mark
from engine.metrics import Measure


@dataclass(frozen=True, slots=True)
class MetricPair:
    """One metric of one query, as published and as adjudicated; NaN where it is undefined."""

    measure: Measure
    published: float
    adjudicated: float


def adjudicate(
    judged: JudgedRanking, truth: GroundTruth, judgements: Mapping[str, Judgement]
) -> JudgedRanking:
    """One query's judged ranking, corrected by the marks that its clips got."""
    added = _rows(truth, judgements, "relevant")
    taken = _rows(truth, judgements, "not relevant")
    rows = judged.ranking.indices
    hits = (judged.hits | np.isin(rows, added)) & ~np.isin(rows, taken) & judged.retrieved
    relevant = judged.relevant + np.count_nonzero(~_had_all(judged, truth, added))
    relevant = relevant - np.count_nonzero(_had_all(judged, truth, taken))
    return replace(judged, hits=hits, relevant=relevant)


def pair_metrics(
    inspection: Inspection, judgements: Mapping[str, Judgement]
) -> tuple[MetricPair, ...]:
    """Every metric of the query, both ways; none if the query has no keyword, or if its relevant
    clips were typed: then there are no keywords to correct.
    """
    evaluation = inspection.evaluation
    if evaluation is None or inspection.typed is not None:
        return ()
    measures = evaluation.scores.measures
    published = _values(evaluation, inspection.judged)
    if inspection.mode == "video" and inspection.policies.self_clip == "remove":
        # The query clip itself is no answer, whatever was said about it.
        judgements = {clip: said for clip, said in judgements.items() if clip != inspection.query}
    corrected = adjudicate(inspection.judged, inspection.collection.truth, judgements)
    adjudicated = _values(evaluation, corrected)
    return tuple(map(MetricPair, measures, published, adjudicated))


def _values(evaluation: Evaluation, judged: JudgedRanking) -> list[float]:
    scores = score_judged(
        judged, evaluation.scores.measures, evaluation.policies, evaluation.complete
    )
    values: list[float] = scores.values[0].tolist()
    return values


def _rows(truth: GroundTruth, judgements: Mapping[str, Judgement], mark: Mark) -> Ints:
    rows = truth.rows_of([clip for clip, said in judgements.items() if said.mark == mark])
    return rows[rows >= 0]


def _had_all(judged: JudgedRanking, truth: GroundTruth, rows: Ints) -> npt.NDArray[np.bool_]:
    had: npt.NDArray[np.bool_] = truth.has_all(rows[None, :], judged.query_bits[:1])[0]
    return had
