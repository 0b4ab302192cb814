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
from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.query_set import QuerySet
from engine.metrics import order_by_docid, reorder_ties_by_docid_desc
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.search import search_in_chunks
from engine.text.encoder import TextEncoder

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


@dataclass(frozen=True, slots=True, eq=False)
class RankedPart:
    """The rankings of some queries, and what a deeper search for some of them needs.

    own        (q,) the rows of the query clips, if they are left out of the results
    doc_order  by which ties are ordered, if they are
    """

    collection: Collection
    part: slice
    ranking: Ranking
    vectors: npt.NDArray[np.floating]
    own: Ints | None
    ties: TiePolicy
    doc_order: Ints | None

    def own_of(self, some: Ints) -> Ints | None:
        """The rows of some query clips, by their numbers in this part."""
        return None if self.own is None else self.own[some]

    def search_deeper(self, some: Ints, depth: int) -> Iterable[tuple[slice, Ranking]]:
        """Search again with some of the queries, by their numbers in this part."""
        depth, own = min(depth, len(self.collection) - (self.own is not None)), self.own_of(some)
        found = _search(self.collection, self.vectors[some], depth, own, self.ties, self.doc_order)
        return ((piece, ranking.cut(depth)) for piece, ranking in found)


def rank_parts(
    collection: Collection,
    queries: QuerySet,
    depth: int,
    encoder: TextEncoder | None,
    policies: Policies,
) -> Iterable[RankedPart]:
    """The same, with what a deeper search needs."""
    policies = adapt_policies(collection, policies)
    order = order_by_docid(collection.truth.ids) if policies.ties == "docid_desc" else None
    for whole, vectors in _query_vectors(collection, queries, encoder):
        own = queries.rows[whole] if queries.rows is not None else None
        if policies.self_clip == "keep":
            own = None
        for part, ranking in _search(collection, vectors, depth, own, policies.ties, order):
            asked = slice(whole.start + part.start, whole.start + part.stop)
            own_part = None if own is None else own[part]
            yield RankedPart(
                collection, asked, ranking, vectors[part], own_part, policies.ties, order
            )


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
    ties: TiePolicy,
    order: Ints | None,
) -> Iterable[tuple[slice, Ranking]]:
    if ties == "insertion":
        yield from search_in_chunks(collection.index, vectors, depth, own_rows=own)
        return
    for part, ranking in _search_whole_ties(collection, vectors, depth, own):
        yield part, ranking if order is None else reorder_ties_by_docid_desc(ranking, order)


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
