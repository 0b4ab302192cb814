"""Measures of the first k results as a set: precision, recall, success, confusion counts.

A definition computes from the tally `t`; what does not fit on its line is a function.
"""

from __future__ import annotations

import numpy as np

from engine.base.arrays import Floats
from engine.metrics.definition import Definition
from engine.metrics.tally import Tally, divide


def precision(tally: Tally, k: int) -> Floats:
    return divide(tally.hits(k), tally.size(k))


def _false_negatives(tally: Tally, k: int) -> Floats:
    return tally.relevant - tally.hits(k)


def true_negatives(tally: Tally, k: int) -> Floats:
    negatives: Floats = tally.relevance.collection - tally.retrieved(k) - _false_negatives(tally, k)
    if np.any(negatives < 0):
        raise ValueError("TN needs `collection`, the number of items that could be retrieved")
    return negatives


def average_similarity(tally: Tally, k: int) -> Floats:
    """NaN for a query that returned nothing: no results have no similarity."""
    counted = tally.retrieved(k)
    total = _similarities(tally, k, beyond=0.0).sum(axis=1)
    return np.where(counted > 0, divide(total, counted), np.nan)


def largest_similarity(tally: Tally, k: int) -> Floats:
    largest = _similarities(tally, k, beyond=-np.inf).max(axis=1, initial=-np.inf)
    return np.where(tally.retrieved(k) > 0, largest, np.nan)


def smallest_similarity(tally: Tally, k: int) -> Floats:
    smallest = _similarities(tally, k, beyond=np.inf).min(axis=1, initial=np.inf)
    return np.where(tally.retrieved(k) > 0, smallest, np.nan)


def _similarities(tally: Tally, k: int, beyond: float) -> Floats:
    """(q, k) the first k scores, with `beyond` where nothing was retrieved."""
    scores = tally.relevance.scores[:, :k].astype(np.float64)
    return np.where(np.arange(scores.shape[1]) < tally.retrieved(k)[:, None], scores, beyond)


CUTOFF_DEFINITIONS = (
    Definition("P@k", "hits@{k} / {size}", precision),
    Definition("R@k", "hits@{k} / R", lambda t, k: divide(t.hits(k), t.relevant)),
    Definition("TopK%@k", "100 · hits@{k} / R", lambda t, k: 100.0 * divide(t.hits(k), t.relevant)),
    Definition(
        "Rcap@k",
        "hits@{k} / min(R, {size})",
        lambda t, k: divide(t.hits(k), np.minimum(t.relevant, t.size(k))),
    ),
    Definition("Success@k", "1 if hits@{k} ≥ 1, else 0", lambda t, k: t.any_hit(k)),
    # 2PR / (P + R) with P = h / k and R = h / |R|, simplified; it holds for h = 0 too.
    Definition(
        "F1@k",
        "2 · hits@{k} / ({size} + R)",
        lambda t, k: divide(2.0 * t.hits(k), t.size(k) + t.relevant),
    ),
    Definition("TP@k", "hits@{k}", lambda t, k: t.hits(k)),
    Definition(
        "FP@k",
        "min({k}, n) − hits@{k}",
        lambda t, k: t.retrieved(k) - t.hits(k),
        lower_is_better=True,
    ),
    Definition("FN@k", "R − hits@{k}", _false_negatives, lower_is_better=True),
    Definition("TN@k", "N − min({k}, n) − FN@{k}", true_negatives),
    Definition(
        "AvgSim@k",
        "mean of the first min({k}, n) similarities",
        average_similarity,
        needs_truth=False,
    ),
    Definition(
        "MaxSim@k",
        "largest of the first min({k}, n) similarities",
        largest_similarity,
        needs_truth=False,
    ),
    Definition(
        "MinSim@k",
        "smallest of the first min({k}, n) similarities",
        smallest_similarity,
        needs_truth=False,
    ),
    # P@k where an item is relevant if it has the query's label: the name says what was judged.
    # At a k beyond a label's items it tells the label's size more than the ranking.
    Definition(
        "LabelScore@k",
        "same-label results among the first {k} / {size}",
        precision,
        leads_at="smallest",
    ),
)
