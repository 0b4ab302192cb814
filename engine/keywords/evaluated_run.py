"""Evaluated: the run of one model over one query set, with its table; both share their arrays."""

from __future__ import annotations

from dataclasses import dataclass

from engine.base.mode import Mode
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.collect_results import collect_results
from engine.keywords.evaluate import Evaluation
from engine.keywords.query_table import QueryTable
from engine.keywords.run import Run
from engine.results.results import Results


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedRun:
    """What an evaluation leaves: the table of its queries, and the top K behind each row."""

    table: QueryTable
    run: Run

    @classmethod
    def of(cls, run: Run) -> EvaluatedRun:
        """Of a run of one mode."""
        (evaluation,) = run.evaluations
        return cls(QueryTable.of(evaluation, run.collection, run.profile), run)

    @property
    def evaluation(self) -> Evaluation:
        return self.run.evaluations[0]

    @property
    def truth(self) -> GroundTruth:
        return self.run.collection.truth

    @property
    def mode(self) -> Mode:
        return self.evaluation.mode

    @property
    def k(self) -> int:
        """How many results of each query are kept."""
        return self.evaluation.judged.ranking.depth

    @property
    def min_similarity(self) -> float | None:
        """Below it results count as not retrieved."""
        return self.evaluation.policies.min_similarity

    def results(self) -> Results:
        """Query by query, for comparisons and curves; made again, and not kept."""
        return collect_results(self.run)
