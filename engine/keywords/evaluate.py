"""The two algorithms, text to video and video to video, over a query set.

Queries stream through in chunks: encode, search, judge, score, keep the top K and the per-query
values. Memory does not grow with queries × collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.progress import ProgressHook, Step, split_range
from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.query_set import QuerySet
from engine.keywords.judge import JudgedRanking, judge
from engine.metrics import (
    Measure,
    Scores,
    find_required_depth,
    order_by_docid,
    reorder_ties_by_docid_desc,
    score,
)
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.search import search_in_chunks
from engine.text.encoder import TextEncoder

FULL_RANKING_LIMIT = 20_000
"""Largest collection whose whole ranking is computed when a measure needs it."""

TREC_DEPTH = 1_000
"""Depth to which a larger collection is ranked instead, as TREC does; results say so."""

TEXTS_PER_ENCODING = 512
"""Texts that are encoded before they are searched: a second or two if all are new. FAISS searches
512 queries in the time that it takes for 128; with more of them it gains little."""


def adapt_policies(collection: Collection, policies: Policies) -> Policies:
    """The policies as they apply to a collection, and as its results name them.

    Where clips ask with other vectors than those that are searched, the query's own row is a
    legitimate result: the same clip in the other modality.
    """
    if collection.asks_itself or policies.self_clip == "keep":
        return policies
    return replace(policies, self_clip="keep")


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Per-query scores of one query set against one collection, and the top K behind them."""

    queries: QuerySet
    scores: Scores
    judged: JudgedRanking
    policies: Policies
    depth: int
    complete: bool

    @property
    def mode(self) -> Mode:
        return self.queries.mode

    @property
    def skipped(self) -> dict[str, int]:
        """How many queries do not count, by reason."""
        return {"no_keyword": len(self.queries.left_out), "no_relevant": self.scores.skipped}


def evaluate(
    collection: Collection,
    queries: QuerySet,
    measures: Sequence[Measure],
    *,
    k: int,
    encoder: TextEncoder | None = None,
    policies: Policies = KEYWORD_POLICIES,
    depth: int | None = None,
    report: ProgressHook | None = None,
) -> Evaluation:
    """Search, judge and score every query; `k` results of each are kept.

    Texts need an `encoder`; clips are searched by their stored vectors.
    """
    if not len(queries):
        raise InputError(
            "no query is left to evaluate: none has a keyword of the chosen groups",
            hint="choose other groups or keywords",
        )
    policies = adapt_policies(collection, policies)
    reachable = count_reachable_clips(collection, queries, policies)
    depth = choose_ranking_depth(measures, k, reachable, depth)
    chunks: list[tuple[Scores, JudgedRanking]] = []
    done = 0
    for part, ranking in rank_all(collection, queries, depth, encoder=encoder, policies=policies):
        scores, judged = assess(collection, queries, ranking, measures, policies, part=part)
        chunks.append((scores, judged.top(k)))
        done += len(ranking)
        if report:
            report(Step(queries.mode, "evaluating", done, len(queries)))
    return Evaluation(
        queries=queries,
        scores=Scores.concat([scores for scores, _ in chunks]),
        judged=JudgedRanking.concat([judged for _, judged in chunks]),
        policies=policies,
        depth=depth,
        complete=depth >= reachable,
    )


def count_reachable_clips(collection: Collection, queries: QuerySet, policies: Policies) -> int:
    """How many clips a query can find: all, or all but the query clip."""
    reachable = len(collection) - _removes_own(queries, adapt_policies(collection, policies))
    if reachable < 1:
        raise InputError(
            "the collection has no other clip to find",
            collection.model.embeddings,
            hint="add embeddings of more annotated clips",
        )
    return reachable


def rank_all(
    collection: Collection,
    queries: QuerySet,
    depth: int,
    *,
    encoder: TextEncoder | None = None,
    policies: Policies = KEYWORD_POLICIES,
) -> Iterable[tuple[slice, Ranking]]:
    """Search piece by piece: the slice of the queries and its rankings, in order."""
    policies = adapt_policies(collection, policies)
    order = order_by_docid(collection.truth.ids) if policies.ties == "docid_desc" else None
    for whole, vectors in _query_vectors(collection, queries, encoder):
        own = queries.rows[whole] if queries.rows is not None else None
        if policies.self_clip == "keep":
            own = None
        for part, ranking in _search(collection, vectors, depth, own, policies):
            if order is not None:
                ranking = reorder_ties_by_docid_desc(ranking, order)
            yield slice(whole.start + part.start, whole.start + part.stop), ranking


def assess(
    collection: Collection,
    queries: QuerySet,
    ranking: Ranking,
    measures: Sequence[Measure],
    policies: Policies = KEYWORD_POLICIES,
    *,
    part: slice = slice(None),
) -> tuple[Scores, JudgedRanking]:
    """Judge and score the rankings of `queries[part]`."""
    policies = adapt_policies(collection, policies)
    removed = _removes_own(queries, policies)
    judged = judge(
        ranking,
        collection.truth,
        queries.bits[part],
        own_rows=queries.rows[part] if queries.rows is not None and removed else None,
        min_similarity=policies.min_similarity,
    )
    complete = ranking.depth >= len(collection) - removed
    return score_judged(judged, measures, policies, complete, queries.names[part]), judged


def score_judged(
    judged: JudgedRanking,
    measures: Sequence[Measure],
    policies: Policies,
    complete: bool,
    names: Sequence[str] | None = None,
) -> Scores:
    """Per-query values of judged rankings under the policies."""
    return score(
        judged.relevance(complete=complete, short=policies.fewer_than_k),
        measures,
        no_relevant=policies.no_relevant,
        ties=policies.ties,
        names=names,
    )


def _removes_own(queries: QuerySet, policies: Policies) -> int:
    return 1 if queries.mode == "video" and policies.self_clip == "remove" else 0


def choose_ranking_depth(
    measures: Sequence[Measure], k: int, reachable: int, asked: int | None = None
) -> int:
    """How deep to rank so that k results are there and the measures see what they need."""
    if asked is not None and asked < k:
        raise InputError(f"a depth of {asked} is less than K = {k}", hint="rank at least K deep")
    needed = find_required_depth(measures)
    if needed is not None:
        depth = max(needed, k, asked or 0)
    elif asked is not None:
        depth = max(asked, *(measure.cutoff or 0 for measure in measures))
    else:
        depth = reachable if reachable <= FULL_RANKING_LIMIT else max(TREC_DEPTH, k)
    return min(depth, reachable)


def _query_vectors(
    collection: Collection, queries: QuerySet, encoder: TextEncoder | None
) -> Iterable[tuple[slice, npt.NDArray[np.floating]]]:
    """The queries' vectors: those of clips are there already, texts are encoded bit by bit."""
    if queries.rows is not None:
        whole = np.array_equal(queries.rows, np.arange(len(collection)))
        vectors = collection.asking if whole else collection.asking[queries.rows]
        yield slice(0, len(queries)), vectors
        return
    if encoder is None:
        raise ValueError("text queries need an encoder")
    encoder.check(queries.names)
    for part in split_range(len(queries), TEXTS_PER_ENCODING):
        yield part, encode_texts(collection, encoder, queries.names[part])


class WrongEncoderError(InputError):
    """The text encoder makes vectors of another space than the embeddings'."""


def encode_texts(
    collection: Collection, encoder: TextEncoder, texts: Sequence[str]
) -> npt.NDArray[np.float32]:
    """The texts in the collection's space, or an error that says how to get them there."""
    vectors = encoder.encode(texts)
    own = collection.vectors.shape[1]
    if vectors.shape[1] != own:
        raise WrongEncoderError(
            f"text queries have {vectors.shape[1]} dimensions (encoder {encoder.name}), the "
            f"embeddings of {collection.model.name} have {own}",
            hint=collection.model.remedy,
        )
    return vectors


def _search(
    collection: Collection,
    vectors: npt.NDArray[np.floating],
    depth: int,
    own: Ints | None,
    policies: Policies,
) -> Iterable[tuple[slice, Ranking]]:
    if policies.ties == "insertion":
        return search_in_chunks(collection.index, vectors, depth, own_rows=own)
    return _search_whole_ties(collection, vectors, depth, own)


def _search_whole_ties(
    collection: Collection, vectors: npt.NDArray[np.floating], depth: int, own: Ints | None
) -> Iterable[tuple[slice, Ranking]]:
    """Rankings deep enough that no set of equal scores is cut where `depth` ends."""
    most = len(collection) - (own is not None)
    for part, ranking in search_in_chunks(
        collection.index, vectors, min(depth + 1, most), own_rows=own
    ):
        own_part = None if own is None else own[part]
        while (
            ranking.depth < most and (ranking.scores[:, depth - 1] == ranking.scores[:, -1]).any()
        ):
            deeper = min(2 * ranking.depth, most)
            chunk = len(vectors[part])
            ((_, ranking),) = search_in_chunks(
                collection.index, vectors[part], deeper, own_rows=own_part, chunk_size=chunk
            )
        yield part, ranking
