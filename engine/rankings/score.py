"""score_run: rankings of any source against judgements, query by query.

    Qrels + Rankings ─▶ score_run ─▶ Scored ─▶ Results · table · JSON · CSV

Queries stream through in chunks. What stays per query are the values and the top k; memory beside
that does not grow with queries × items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.base.errors import InputError
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import (
    Measure,
    Relevance,
    Scores,
    TiePolicy,
    find_required_depth,
    score,
)
from engine.metrics.policies import RANKING_POLICIES, Policies
from engine.metrics.relevance import count_returned
from engine.rankings.formats.id_table import IdTable
from engine.rankings.formats.run_and_qrels import Qrels, RelevantSets, RunFile
from engine.rankings.rankers import RunFileRanker
from engine.rankings.run_scores import QueryCounts, RunScores

_LARGEST_EXP_GRADE = 1000.0
_MOST_KEPT = 2**27
"""Results that are kept of all queries together: some 3 GB."""


class Ranker(Protocol):
    """Whatever can rank items for queries."""

    @property
    def queries(self) -> IdTable: ...

    @property
    def items(self) -> IdTable: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about where the rankings come from."""

    def rank(
        self, rows: Ints, depth: int | None, ties: TiePolicy, even: bool
    ) -> Iterator[tuple[slice, Ranking]]:
        """Rankings of the queries in these rows (−1: one that is not there), chunk by chunk.

        `depth` is how much of them is looked at, None for all. They may be deeper. `even`: all
        chunks must be as deep as the deepest.
        """


def score_run(
    qrels: Qrels,
    run: RunFile | Ranker,
    measures: Sequence[Measure],
    policies: Policies = RANKING_POLICIES,
    *,
    k: int = 10,
    collection: int | None = None,
) -> RunScores:
    """Score rankings against judgements; `k` results of every query are kept.

    An item is relevant if its grade is above 0; what is not judged is not relevant. `collection`
    is N, the number of items that could be found; None: those seen in the run or the judgements.

    >>> qrels = Qrels.of_dict({"q": {"a": 1, "b": 1}})
    >>> run = RunFile.of_dict({"q": {"a": 0.9, "x": 0.8}})
    >>> score_run(qrels, run, [Measure.parse("R@2")]).scores.values
    array([[0.5]])
    """
    rankings: Ranker = RunFileRanker(run) if isinstance(run, RunFile) else run
    rows = qrels.queries.places_in(rankings.queries)
    _require_common_queries(qrels, rankings, rows, policies)
    kept = np.flatnonzero(rows >= 0) if policies.missing == "skip" else np.arange(len(rows))
    sets = RelevantSets.of(qrels, rankings.items, kept)
    _require_small_grades(sets.grades, measures)
    size = _collection_size(len(rankings.items) + sets.unranked, collection)
    names = tuple(qrels.queries.names(kept))
    pieces: list[_Piece] = []
    depth = _depth(measures, policies, k)
    # What was not found stands one rank below the deepest list, which must then be known.
    even = any(measure.definition.bounds is not None for measure in measures)
    for part, ranking in rankings.rank(rows[kept], depth, policies.ties, even):
        _require_few_kept(len(names), min(k, ranking.depth))
        pieces.append(
            _score_piece(ranking, sets.part(part), measures, policies, size, names[part], k)
        )
    scores = Scores.concat([piece.scores for piece in pieces])
    counts = _counts(qrels, rankings, rows, sets)
    return RunScores(
        queries=names,
        relevant=sets.relevant,
        scores=scores,
        top=Ranking(
            _stacked([piece.top.indices for piece in pieces], NO_ITEM),
            _stacked([piece.top.scores for piece in pieces], -np.inf),
        ),
        gains=_stacked([piece.gains for piece in pieces], 0.0),
        items=rankings.items,
        collection=size,
        counts=counts,
        policies=policies,
        notes=(
            *_count_notes(counts, policies),
            *_item_notes(qrels, rankings, sets, measures, collection),
            *rankings.notes,
            *scores.notes,
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """What stays of one chunk of queries."""

    scores: Scores
    top: Ranking
    gains: Floats


def _score_piece(
    ranking: Ranking,
    sets: RelevantSets,
    measures: Sequence[Measure],
    policies: Policies,
    collection: int,
    names: Sequence[str],
    k: int,
) -> _Piece:
    gains = sets.gains_of(ranking.indices)
    relevance = Relevance(
        gains=gains,
        scores=ranking.scores,
        returned=count_returned(ranking),
        relevant=sets.relevant,
        collection=collection,
        ideal=sets.ideal,
        complete=True,
        short=policies.fewer_than_k,
    )
    scores = score(
        relevance, measures, no_relevant=policies.no_relevant, ties=policies.ties, names=names
    )
    # Copies, so that the deeper rankings can be freed.
    top = Ranking(ranking.indices[:, :k].copy(), ranking.scores[:, :k].copy())
    return _Piece(scores, top, gains[:, :k].astype(np.float64))


def _counts(qrels: Qrels, rankings: Ranker, rows: Ints, sets: RelevantSets) -> QueryCounts:
    answered = int(np.count_nonzero(rows >= 0))
    return QueryCounts(
        judged=len(qrels),
        in_run=answered,
        missing=len(qrels) - answered,
        unjudged_ignored=len(rankings.queries) - answered,
        no_relevant=int(np.count_nonzero(sets.relevant == 0)),
    )


def _depth(measures: Sequence[Measure], policies: Policies, k: int) -> int | None:
    """How much of the rankings counts; tied results may come from anywhere below."""
    needed = find_required_depth(measures) if policies.ties != "expected" else None
    return None if needed is None else max(needed, k)


def _stacked(parts: Sequence[npt.NDArray[Any]], filling: float) -> npt.NDArray[Any]:
    """Arrays below each other, all as wide as the widest."""
    width = max(part.shape[1] for part in parts)
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=filling)
            for part in parts
        ]
    )


def _require_common_queries(qrels: Qrels, rankings: Ranker, rows: Ints, policies: Policies) -> None:
    if not (rows >= 0).any():
        raise InputError(
            f"no judged query is in the run: judged are {_examples(qrels.queries)}, "
            f"the run has {_examples(rankings.queries)}",
            hint="use the same query ids on both sides",
        )
    if policies.missing == "error" and (rows < 0).any():
        query = qrels.queries[int(np.argmax(rows < 0))]
        raise InputError(
            f"the judged query {query!r} is not in the run",
            hint="count such queries as 0 with --missing zero, or leave them out with skip",
        )


def _examples(ids: IdTable) -> str:
    return ", ".join(map(repr, ids[:3])) + (", …" if len(ids) > 3 else "")


def _require_small_grades(grades: Floats, measures: Sequence[Measure]) -> None:
    exponential = [str(m) for m in measures if ("gain", "exp") in m.params]
    highest = float(grades.max(initial=0.0))
    if exponential and highest > _LARGEST_EXP_GRADE:
        raise InputError(
            f"{exponential[0]} of a grade of {highest:g} is beyond all numbers (2^g)",
            hint="use nDCG with linear gain",
        )


def _require_few_kept(queries: int, k: int) -> None:
    if queries * k > _MOST_KEPT:
        raise InputError(
            f"the top {k:,} of {queries:,} queries are too many to keep",
            hint="choose a smaller --k; metrics named with --metrics may look deeper",
        )


def _collection_size(seen: int, asked: int | None) -> int:
    if asked is not None and asked < seen:
        raise InputError(
            f"a collection of {asked:,} items is smaller than the {seen:,} items that occur in "
            "the run and the judgements",
            hint="give the number of all items that could be retrieved",
        )
    if asked is not None and asked > _LARGEST_COLLECTION:
        raise InputError(
            f"a collection of {asked:,} items is too large to be counted exactly",
            hint="--collection is at most 2**53",
        )
    return seen if asked is None else asked


_LARGEST_COLLECTION = 2**53
"""Beyond it, numbers that differ by one are the same float."""


def _count_notes(counts: QueryCounts, policies: Policies) -> list[str]:
    notes = []
    if counts.missing:
        fate = "count 0" if policies.missing == "zero" else "left out"
        notes.append(f"judged queries that are not in the run: {counts.missing}, {fate}")
    if counts.unjudged_ignored:
        notes.append(f"queries of the run without judgement: {counts.unjudged_ignored}, ignored")
    if counts.no_relevant and policies.no_relevant == "zero":
        notes.append(f"judged queries without relevant item: {counts.no_relevant}, count 0")
    return notes


def _item_notes(
    qrels: Qrels,
    rankings: Ranker,
    sets: RelevantSets,
    measures: Sequence[Measure],
    collection: int | None,
) -> list[str]:
    notes = []
    if sets.unranked == len(qrels.items):
        notes.append(
            f"no judged item is ranked anywhere: judged are {_examples(qrels.items)}, "
            f"ranked {_examples(rankings.items)}; do the ids agree?"
        )
    if qrels.dropped:
        notes.append(f"{qrels.dropped} repeated judgements: the highest grade counts")
    if collection is None and any(measure.name == "TN" for measure in measures):
        seen = len(rankings.items) + sets.unranked
        notes.append(
            f"TN: N = {seen:,}, the items that occur in the run or the judgements; "
            "--collection N gives another"
        )
    return notes
