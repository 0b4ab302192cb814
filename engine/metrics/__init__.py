"""Metrics of ranked retrieval, computed on whole batches of queries.

    Relevance ─▶ score(relevance, measures) ─▶ Scores

A `Measure` is a value with a readable id such as "P@5" or "nDCG@10(gain=exp)". Its definition is
one entry of the registry, written over the quantities of a `Tally`, so that each policy for ties
holds for every measure. A `Profile` gives ids the labels that a community uses.

>>> from engine.metrics import Relevance, find_profile, score
>>> alfa = find_profile("alfa")
>>> recall = alfa.parse("Recall@5")
>>> scores = score(Relevance.of_hits([[0, 1, 1, 1, 1]], relevant=[9]), [recall])
>>> alfa.label(recall), str(recall), recall.formula, scores.aggregate(recall)
('Recall@5', 'P@5', 'hits@5 / 5', 0.8)
"""

from engine.base.choices import ShortListPolicy, TiePolicy
from engine.metrics.definition import SYMBOLS
from engine.metrics.measure import Measure
from engine.metrics.profiles import Profile, find_profile, parse_measures
from engine.metrics.qrels import gains_from_sets, ideal_from_sets
from engine.metrics.relevance import Relevance
from engine.metrics.research.retrieval_metrics import RetrievalMetrics
from engine.metrics.research.values import QueryMetrics
from engine.metrics.scores import Scores, find_required_depth, score
from engine.metrics.ties import order_by_docid, reorder_ties_by_docid_desc

__all__ = [
    "SYMBOLS",
    "Measure",
    "Profile",
    "QueryMetrics",
    "Relevance",
    "RetrievalMetrics",
    "Scores",
    "ShortListPolicy",
    "TiePolicy",
    "find_profile",
    "find_required_depth",
    "gains_from_sets",
    "ideal_from_sets",
    "order_by_docid",
    "parse_measures",
    "reorder_ties_by_docid_desc",
    "score",
]
