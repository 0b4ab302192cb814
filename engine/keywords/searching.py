"""Searching a collection with the queries of a set, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.choices import TiePolicy
from engine.base.errors import InputError
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM, Ranking
from engine.dataset.collection import Collection
from engine.dataset.query_set import QuerySet
from engine.dataset.relevant_sources import count_sources
from engine.metrics import order_by_docid, reorder_ties_by_docid_desc
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.search import search_in_chunks
from engine.search.one_per_search import search_one_per_source
from engine.text.encoder import TextEncoder

TEXTS_PER_ENCODING = 512
"""Texts that are encoded before they are searched: a second or two if all are new. FAISS searches
512 queries in the time that it takes for 128; with more of them it gains little."""

FIRST_QUERIES = 512
"""Queries that show how deep the others are to be searched."""

ROWS_PER_RESULT = 60
"""Rows of the collection that FAISS compares in the time in which one more result is kept and
scored again in float64 (384 dimensions)."""


def adapt_policies(collection: Collection, policies: Policies) -> Policies:
    """The policies as they apply to a collection, and as its results name them.

    Where clips ask with other vectors than those that are searched, the query's own row is a
    legitimate result: the same clip in the other modality.
    """
    if collection.asks_itself or policies.self_clip == "keep":
        return policies
    return replace(policies, self_clip="keep")


def find_sources(collection: Collection, policies: Policies) -> Ints | None:
    """(clips,) the source of each clip, if one clip of each stays; None: every clip does."""
    return collection.truth.source_numbers if policies.one_per == "source" else None


def count_reachable(collection: Collection, sources: Ints | None, own_removed: bool) -> int:
    """How many results a query can have: of every clip or of every source one, but for its own."""
    return (len(collection) if sources is None else count_sources(collection.truth)) - own_removed


def rank_all(
    collection: Collection,
    queries: QuerySet,
    depth: int,
    *,
    encoder: TextEncoder | None = None,
    policies: Policies = KEYWORD_POLICIES,
) -> Iterable[tuple[slice, Ranking]]:
    """Search piece by piece: the slice of the queries and its rankings, in order."""
    for ranked in rank_parts(collection, queries, depth, encoder, policies):
        yield ranked.part, ranked.ranking


class DepthDemand:
    """How deep queries were searched again. What most of them ask for is searched at once for the
    next ones, where that is less work: the product with the whole collection is paid once.

    >>> demand = DepthDemand()
    >>> demand.count_queries(100)
    >>> demand.count_again(30, depth=50)
    >>> demand.choose_depth(5, rows=20_000), demand.choose_depth(5, rows=500)
    (50, 5)
    """

    def __init__(self) -> None:
        self._queries = 0
        self._again: dict[int, int] = {}

    def count_queries(self, queries: int) -> None:
        self._queries += queries

    def count_again(self, queries: int, depth: int) -> None:
        self._again[depth] = self._again.get(depth, 0) + queries

    def choose_depth(self, least: int, rows: int) -> int:
        """How deep to search at once in a collection of so many rows."""

        def estimate_work(depth: int) -> int:
            again = (
                count * (rows + ROWS_PER_RESULT * deeper)
                for deeper, count in self._again.items()
                if deeper > depth
            )
            return self._queries * (rows + ROWS_PER_RESULT * depth) + sum(again)

        return min((least, *(depth for depth in self._again if depth > least)), key=estimate_work)


@dataclass(frozen=True, slots=True, eq=False)
class PartRankings:
    """The rankings of some queries, and what a deeper search for some of them needs.

    ranking    as deep as was asked for
    found      the same rankings as deep as they were searched
    own        (q,) the rows of the query clips, if they are left out of the results
    sources    (clips,) the source of each clip, if one clip of each stays
    doc_order  by which ties are ordered, if they are
    demand     who searches deeper is counted there
    """

    collection: Collection
    part: slice
    ranking: Ranking
    found: Ranking
    vectors: npt.NDArray[np.floating]
    own: Ints | None
    sources: Ints | None
    ties: TiePolicy
    doc_order: Ints | None
    demand: DepthDemand

    def own_of(self, some: Ints) -> Ints | None:
        """The rows of some query clips, by their numbers in this part."""
        return None if self.own is None else self.own[some]

    def search_deeper(self, some: Ints, depth: int) -> Iterable[tuple[slice, Ranking]]:
        """Deeper rankings of some of the queries, by their numbers in this part."""
        self.demand.count_again(len(some), depth)
        own = self.own_of(some)
        depth = min(depth, count_reachable(self.collection, self.sources, own is not None))
        if self.ties == "insertion" and depth <= self.found.depth:
            known = self.found.cut(depth)
            return [(slice(0, len(some)), Ranking(known.indices[some], known.scores[some]))]
        found = _search(
            self.collection,
            self.vectors[some],
            depth,
            own,
            self.sources,
            self.ties,
            self.doc_order,
        )
        return ((piece, ranking.cut(depth)) for piece, ranking in found)


def rank_parts(
    collection: Collection,
    queries: QuerySet,
    depth: int,
    encoder: TextEncoder | None,
    policies: Policies,
) -> Iterable[PartRankings]:
    """The same, with what a deeper search needs."""
    policies = adapt_policies(collection, policies)
    ties, demand = policies.ties, DepthDemand()
    sources = find_sources(collection, policies)
    order = order_by_docid(collection.truth.ids) if ties == "docid_desc" else None
    for whole, vectors in _query_vectors(collection, queries, encoder):
        own = queries.rows[whole] if queries.rows is not None else None
        if policies.self_clip == "keep":
            own = None
        for piece in _split_after(len(vectors), FIRST_QUERIES):
            # Where ties are put in order, a ranking is more than the beginning of a deeper one.
            at_once = demand.choose_depth(depth, len(collection)) if ties == "insertion" else depth
            own_piece = None if own is None else own[piece]
            for part, found in _search(
                collection, vectors[piece], at_once, own_piece, sources, ties, order
            ):
                start = piece.start + part.start
                here = slice(start, start + len(found))
                demand.count_queries(len(found))
                yield PartRankings(
                    collection,
                    slice(whole.start + here.start, whole.start + here.stop),
                    found.cut(depth) if at_once > depth else found,
                    found,
                    vectors[here],
                    None if own is None else own[here],
                    sources,
                    ties,
                    order,
                    demand,
                )


def _split_after(total: int, first: int) -> Iterable[slice]:
    """
    >>> list(_split_after(9, 4)), list(_split_after(3, 4))
    ([slice(0, 4, None), slice(4, 9, None)], [slice(0, 3, None)])
    """
    yield slice(0, min(first, total))
    if total > first:
        yield slice(first, total)


def _query_vectors(
    collection: Collection, queries: QuerySet, encoder: TextEncoder | None
) -> Iterable[tuple[slice, npt.NDArray[np.floating]]]:
    """The queries' vectors: those of clips are there already, texts are encoded bit by bit."""
    if queries.vectors is not None:
        yield slice(0, len(queries)), queries.vectors
        return
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
    sources: Ints | None,
    ties: TiePolicy,
    order: Ints | None,
) -> Iterable[tuple[slice, Ranking]]:
    if sources is not None:
        yield from _search_sources(collection, vectors, depth, own, sources, order)
        return
    if ties == "insertion":
        yield from search_in_chunks(collection.index, vectors, depth, own_rows=own)
        return
    for part, ranking in _search_whole_ties(collection, vectors, depth, own):
        yield part, ranking if order is None else reorder_ties_by_docid_desc(ranking, order)


def _search_sources(
    collection: Collection,
    vectors: npt.NDArray[np.floating],
    depth: int,
    own: Ints | None,
    sources: Ints,
    order: Ints | None,
) -> Iterable[tuple[slice, Ranking]]:
    """The best clip of each source; of equal scores the first in the order of the ties."""

    def search(asked: npt.NDArray[np.floating], deep: int) -> Iterable[tuple[slice, Ranking]]:
        found = search_in_chunks(collection.index, asked, deep)
        if order is None:
            return found
        is_cut = deep < len(collection)
        return ((part, _order_certain_ties(ranking, order, is_cut)) for part, ranking in found)

    own_sources = None if own is None else sources[own]
    return search_one_per_source(search, vectors, depth, sources, own_sources)


def _order_certain_ties(ranking: Ranking, order: Ints, is_cut: bool) -> Ranking:
    """Ties by id. Where the ranking is cut, others below may have the last score as well: those
    that have it are not certain yet."""
    ordered = reorder_ties_by_docid_desc(ranking, order)
    if not is_cut:
        return ordered
    certain = ordered.scores > ordered.scores[:, -1:]
    return Ranking(np.where(certain, ordered.indices, NO_ITEM), ordered.scores)


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
