"""score: a batch of judged rankings in, per-query values of the asked measures out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.errors import InputError
from engine.metrics.measure import Measure
from engine.metrics.relevance import Relevance
from engine.metrics.scores import Scores
from engine.metrics.tally import ObservedTally, Tally
from engine.metrics.ties import ExpectedTally, TiePolicy

NoRelevantPolicy: TypeAlias = Literal["skip", "zero", "error"]
"""A query with no relevant item: left out of the means, counts 0, or is an error.

Under "zero" every share of R is 0; counts and similarities are what they are, and ranks, which
have no zero, stay left out.
"""


def score(
    relevance: Relevance,
    measures: Sequence[Measure],
    *,
    no_relevant: NoRelevantPolicy = "skip",
    ties: TiePolicy = "insertion",
    names: Sequence[str] | None = None,
) -> Scores:
    """Per-query values of `measures`, all computed from one pass over the hits.

    With `ties="docid_desc"` the ranking must have been reordered before it was judged.
    `names` are the queries' names, for errors.

    >>> judged = Relevance.of_hits([[1, 0, 1, 0, 0], [0, 1, 0, 0, 0]], relevant=[10, 1])
    >>> scores = score(judged, [Measure.parse("AP@5"), Measure.parse("RR@5")])
    >>> scores.values.round(3)
    array([[0.167, 1.   ],
           [0.5  , 0.5  ]])
    >>> scores.mean(Measure.parse("RR@5"))
    0.75
    """
    measures = tuple(measures)
    _require_depth(relevance, measures)
    without = np.asarray(relevance.relevant) == 0
    if no_relevant == "error" and without.any():
        raise _no_relevant_item(int(np.argmax(without)), names)
    tally = ExpectedTally(relevance) if ties == "expected" else ObservedTally(relevance)
    values = np.empty((len(relevance), len(measures)))
    for column, measure in enumerate(measures):
        k = tally.depth if measure.cutoff is None else measure.cutoff
        values[:, column] = measure.definition.compute(tally, k)
    left_out = without if no_relevant == "skip" else np.zeros_like(without)
    values[left_out] = np.nan
    return Scores(
        measures=measures,
        values=values,
        left_out=left_out,
        bounds=np.array([_bounds(tally, measure) for measure in measures], dtype=np.int64),
        pooled=_pooled_ranks(tally, measures),
        cut_at=None if relevance.complete else relevance.depth,
        exact_first_rank=relevance.first_rank is not None,
    )


def find_required_depth(measures: Sequence[Measure]) -> int | None:
    """How deep rankings must be for all measures; None if one of them needs the full ranking.

    >>> find_required_depth([Measure.parse("P@5"), Measure.parse("nDCG@10")])
    10
    """
    depths = [measure.depth for measure in measures]
    known = [depth for depth in depths if depth is not None]
    return max(known, default=0) if len(known) == len(depths) else None


def _require_depth(relevance: Relevance, measures: Sequence[Measure]) -> None:
    if relevance.complete:
        return
    for measure in measures:
        if measure.depth is not None and measure.depth > relevance.depth:
            raise ValueError(
                f"{measure} needs the top {measure.depth}, the rankings are cut at "
                f"{relevance.depth}; pass complete=True if nothing ranks below"
            )


def _no_relevant_item(query: int, names: Sequence[str] | None) -> InputError:
    name = f"query {query}" if names is None else f"query {names[query]!r}"
    return InputError(
        f"{name} has no relevant item", hint="leave such queries out with --no-relevant skip"
    )


def _bounds(tally: Tally, measure: Measure) -> int:
    count = measure.definition.bounds
    return 0 if count is None else int(count(tally).sum())


def _pooled_ranks(tally: Tally, measures: Sequence[Measure]) -> Ints:
    """Relevant items by twice their rank; those not found stand at depth + 1."""
    if not any(measure.aggregate == "pooled" for measure in measures):
        return np.zeros(0, dtype=np.int64)
    doubled: Floats = tally.hit_ranks() * 2
    beyond = 2 * (tally.depth + 1)
    counts = np.bincount(np.rint(doubled).astype(np.int64), minlength=beyond + 1)
    counts[beyond] += int(tally.unfound().sum())
    return counts.astype(np.int64)
