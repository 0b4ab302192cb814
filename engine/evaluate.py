"""The two algorithms, text to video and video to video, over a query set.

Queries stream through in chunks: search, judge, score, keep the top K and the per-query values.
Memory does not grow with queries × collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.clipset import Words
from engine.collection import Collection
from engine.encoder import TextEncoder
from engine.errors import InputError
from engine.groundtruth import GroundTruth
from engine.judge import Judged, judge
from engine.mapper import Mapper
from engine.metrics import (
    Measure,
    NoRelevant,
    Scores,
    Short,
    Ties,
    docid_order,
    reorder_ties_by_docid_desc,
    required_depth,
    score,
)
from engine.queries import TextQuery
from engine.ranking import Ranking
from engine.search import search_in_chunks
from engine.selection import Keyword, Selection

Mode: TypeAlias = Literal["text", "video"]
NoKeyword: TypeAlias = Literal["skip", "error"]
SelfClip: TypeAlias = Literal["remove", "keep"]
Progress: TypeAlias = Callable[[int, int], None]
Rows: TypeAlias = npt.NDArray[np.int64]

FULL_RANKING_LIMIT = 20_000
"""Largest collection whose whole ranking is computed when a measure needs it."""

CUT_RANKING = 1_000
"""Depth to which a larger collection is ranked instead, as TREC does; results say so."""


@dataclass(frozen=True, slots=True)
class Policies:
    """What is done in the cases where definitions differ. Written into every result."""

    ties: Ties = "insertion"
    no_relevant: NoRelevant = "skip"
    no_keyword: NoKeyword = "skip"
    short: Short = "fixed"
    self_clip: SelfClip = "remove"
    min_similarity: float | None = None


DEFAULT_POLICIES = Policies()


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """Queries whose keywords are known, and those that had none and were left out.

    bits   (q, words) the keywords of each query
    rows   the clips' own rows in video-to-video search, None for texts
    mapped how many texts got their keywords from the mapper
    """

    mode: Mode
    names: tuple[str, ...]
    bits: Words
    rows: Rows | None = None
    without_keyword: tuple[str, ...] = ()
    mapped: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(
        cls,
        mode: Mode,
        truth: GroundTruth,
        names: Sequence[str],
        keywords: Sequence[Sequence[Keyword]],
        rows: Rows | None = None,
    ) -> Queries:
        """Queries with their keywords written out; none is left out."""
        return cls(mode, tuple(names), truth.query_bits(keywords), rows)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Per-query scores of one query set against one collection, and the top K behind them."""

    queries: Queries
    scores: Scores
    top: Ranking
    hits: npt.NDArray[np.bool_]
    relevant: Rows
    policies: Policies
    depth: int
    complete: bool

    @property
    def mode(self) -> Mode:
        return self.queries.mode

    @property
    def skipped(self) -> dict[str, int]:
        """How many queries do not count, by reason."""
        return {
            "no_keyword": len(self.queries.without_keyword),
            "no_relevant": self.scores.skipped,
        }


def text_queries(
    queries: Sequence[TextQuery],
    truth: GroundTruth,
    selection: Selection,
    mapper: Callable[[], Mapper],
    policy: NoKeyword = "skip",
) -> Queries:
    """Texts with their keywords: as given, cut down to the selection, or as the mapper finds them.

    `mapper` is called only if some query comes without keywords.
    """
    unknown = [query for query in queries if query.keywords is None]
    mapped = {}
    if unknown:
        groups = [selection.groups] * len(unknown)
        mappings = mapper().map_batch([query.text for query in unknown], groups)
        mapped = {
            id(query): tuple(m.keyword for m in mapping.keywords if m.keyword in selection)
            for query, mapping in zip(unknown, mappings, strict=True)
        }
    keywords = [
        mapped[id(query)] if query.keywords is None else _given(query, truth, selection)
        for query in queries
    ]
    every = Queries.of("text", truth, [query.text for query in queries], keywords)
    return _leave_out(replace(every, mapped=len(unknown)), policy)


def _given(query: TextQuery, truth: GroundTruth, selection: Selection) -> tuple[Keyword, ...]:
    found = []
    for name in query.keywords or ():
        in_selection = [k for k in selection.keywords if name.casefold() in (k.name, str(k))]
        try:
            keyword = in_selection[0] if len(in_selection) == 1 else truth.find(name)
        except InputError as error:
            raise InputError(error.message, query.place, hint=error.hint) from error
        if keyword in selection:
            found.append(keyword)
    return tuple(dict.fromkeys(found))


def video_queries(
    truth: GroundTruth, selection: Selection, rows: Rows, policy: NoKeyword = "skip"
) -> Queries:
    """Clips as queries, each with its own keywords of the selection."""
    names = truth.ids if len(rows) == len(truth) else [truth.ids[row] for row in rows.tolist()]
    every = Queries("video", tuple(names), truth.bits_of(rows, selection), rows)
    return _leave_out(every, policy)


def _leave_out(queries: Queries, policy: NoKeyword) -> Queries:
    """The queries that have a keyword, remembering the others by name."""
    has_keyword = queries.bits.any(axis=1)
    if has_keyword.all():
        return queries
    empty = tuple(queries.names[position] for position in np.flatnonzero(~has_keyword))
    if policy == "error":
        raise InputError(
            f"the query {empty[0]!r} has no keyword of the chosen groups",
            hint="choose other groups, or leave such queries out with --no-keyword skip",
        )
    return replace(
        queries,
        names=tuple(queries.names[position] for position in np.flatnonzero(has_keyword)),
        bits=queries.bits[has_keyword],
        rows=None if queries.rows is None else queries.rows[has_keyword],
        without_keyword=empty,
    )


def evaluate(
    collection: Collection,
    queries: Queries,
    measures: Sequence[Measure],
    *,
    k: int,
    encoder: TextEncoder | None = None,
    policies: Policies = DEFAULT_POLICIES,
    depth: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Search, judge and score every query; `k` results of each are kept.

    Texts need an `encoder`; clips are searched by their stored vectors. `progress` is called
    with queries done and in all; an exception it raises cancels the evaluation.
    """
    if not len(queries):
        raise InputError(
            "no query is left to evaluate: none has a keyword of the chosen groups",
            hint="choose other groups or keywords",
        )
    removed = 1 if queries.mode == "video" and policies.self_clip == "remove" else 0
    reachable = len(collection) - removed
    if reachable < 1:
        raise InputError("the collection has no other clip to find")
    depth = min(_depth(measures, k, reachable, depth), reachable)
    complete = depth >= reachable
    vectors = _query_vectors(collection, queries, encoder)
    chunks: list[tuple[Scores, Judged]] = []
    done = 0
    for part, ranking in _search(collection, vectors, queries, depth, policies):
        own = queries.rows[part] if queries.rows is not None and removed else None
        judged = judge(
            ranking,
            collection.truth,
            queries.bits[part],
            own_rows=own,
            min_similarity=policies.min_similarity,
        )
        scores = score(
            judged.relevance(complete=complete, short=policies.short),
            measures,
            no_relevant=policies.no_relevant,
            ties=policies.ties,
            names=queries.names[part],
        )
        chunks.append((scores, _top(judged, min(k, depth))))
        done += len(ranking)
        if progress:
            progress(done, len(queries))
    return _united(chunks, queries, policies, depth, complete)


def _depth(measures: Sequence[Measure], k: int, reachable: int, asked: int | None) -> int:
    needed = required_depth(measures)
    if needed is not None:
        return max(needed, k)
    if asked is not None:
        return max(asked, k)
    return reachable if reachable <= FULL_RANKING_LIMIT else max(CUT_RANKING, k)


def _query_vectors(
    collection: Collection, queries: Queries, encoder: TextEncoder | None
) -> npt.NDArray[np.float32]:
    if queries.rows is not None:
        whole = len(queries.rows) == len(collection)
        return collection.vectors if whole else collection.vectors[queries.rows]
    if encoder is None:
        raise ValueError("text queries need an encoder")
    return encoder.encode(queries.names)


def _search(
    collection: Collection,
    vectors: npt.NDArray[np.float32],
    queries: Queries,
    depth: int,
    policies: Policies,
) -> Iterable[tuple[slice, Ranking]]:
    own = queries.rows if policies.self_clip == "remove" else None
    if policies.ties == "insertion":
        yield from search_in_chunks(collection.index, vectors, depth, own_rows=own)
        return
    order = docid_order(collection.truth.ids) if policies.ties == "docid_desc" else None
    for part, ranking in _search_whole_ties(collection, vectors, depth, own):
        if order is not None:
            ranking = reorder_ties_by_docid_desc(ranking, order)
        yield part, ranking


def _search_whole_ties(
    collection: Collection, vectors: npt.NDArray[np.float32], depth: int, own: Rows | None
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


def _top(judged: Judged, k: int) -> Judged:
    """The judged rankings cut to what is kept; copies, so that the deep ones can be freed."""
    cut = judged.ranking.cut(k)
    return Judged(
        ranking=Ranking(cut.indices.copy(), cut.scores.copy()),
        query_bits=judged.query_bits,
        hits=judged.hits[:, :k].copy(),
        retrieved=judged.retrieved[:, :k].copy(),
        relevant=judged.relevant,
        collection=judged.collection,
    )


def _united(
    chunks: Sequence[tuple[Scores, Judged]],
    queries: Queries,
    policies: Policies,
    depth: int,
    complete: bool,
) -> Evaluation:
    judged = [part for _, part in chunks]
    return Evaluation(
        queries=queries,
        scores=Scores.concat([scores for scores, _ in chunks]),
        top=Ranking(
            np.concatenate([part.ranking.indices for part in judged]),
            np.concatenate([part.ranking.scores for part in judged]),
        ),
        hits=np.concatenate([part.hits for part in judged]),
        relevant=np.concatenate([part.relevant for part in judged]),
        policies=policies,
        depth=depth,
        complete=complete,
    )
