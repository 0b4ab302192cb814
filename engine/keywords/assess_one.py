"""One query judged and scored by what is known of it: typed clips, keywords, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.query_set import Queries
from engine.keywords.evaluate import assess
from engine.keywords.judge import Judged
from engine.keywords.typed_relevance import TypedRelevance, assess_typed
from engine.metrics import Measure, Scores
from engine.metrics.policies import Policies


def assess_one(
    collection: Collection,
    queries: Queries,
    ranking: Ranking,
    measures: Sequence[Measure],
    policies: Policies,
    typed: TypedRelevance | None,
    k: int,
) -> tuple[Scores, Judged]:
    """Typed clips decide before keywords do; without both there are similarities only."""
    if typed is not None:
        return assess_typed(collection, queries, ranking, measures, policies, typed=typed)
    if queries.bits.any():
        return assess(collection, queries, ranking, measures, policies)
    no_truth = replace(policies, no_relevant="zero")
    return assess(collection, queries, ranking, without_truth(measures, k), no_truth)


def without_truth(measures: Sequence[Measure], k: int) -> tuple[Measure, ...]:
    """What can be said of a query without ground truth: those of the measures that need none, or
    else the mean similarity at each of their cut-offs.

    >>> [str(measure) for measure in without_truth([Measure.parse("P@3"), Measure.parse("R@5")], 5)]
    ['AvgSim@3', 'AvgSim@5']
    """
    own = tuple(measure for measure in measures if not measure.needs_truth)
    cutoffs = {measure.cutoff for measure in measures if measure.cutoff is not None} or {k}
    return own or tuple(Measure.parse(f"AvgSim@{cutoff}") for cutoff in sorted(cutoffs))
